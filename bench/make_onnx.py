"""Writes decoders of GPT-2's architecture with seeded random weights, as ONNX and as a Hugging Face folder of the same numbers.

    python bench/make_onnx.py                  # bench/models/default
    python bench/make_onnx.py --shape d288     # bench/models/large/d288, not in the repository; also d128, gpt2

The weights belong to transformers' GPT2LMHeadModel, and its logits are what the graph is checked against. The graph is written
node by node, with the fused operators that onnxruntime's own optimiser makes of an exported GPT-2 (Attention with past keys and
values, SkipLayerNormalization, FastGelu): six nodes a block, and nothing that only moves data. `--exported` writes, beside it and
for comparison, what torch.onnx.export makes of the same model.

One graph serves prefill (an empty past) and decode. Inputs: input_ids and position_ids (1, S), past_0 … (2, 1, H, T, D/H), keys
before values. Outputs: logits (1, S, V), present_0 … (2, 1, H, T + S, D/H).
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from safetensors.torch import save_file
from transformers import GPT2Config, GPT2LMHeadModel

MODELS = Path(__file__).parent / "models"

# n_layer, n_head, n_embd, vocab_size, n_positions, tied
SHAPES = {
    "default": (2, 2, 16, 64, 128, False),
    "d128": (4, 4, 128, 256, 128, True),
    "d288": (6, 6, 288, 32000, 256, True),
    "gpt2": (12, 12, 768, 50257, 1024, True),
}
EPSILON = 1e-5
FUSED = "com.microsoft"


def random_model(shape):
    """A model whose activations and logits are of order 1: with GPT-2's own initialisation, errors would hide in small logits."""
    layers, heads, width, vocabulary, positions, tied = SHAPES[shape]
    config = GPT2Config(
        n_layer=layers,
        n_head=heads,
        n_embd=width,
        n_inner=4 * width,
        vocab_size=vocabulary,
        n_positions=positions,
        layer_norm_epsilon=EPSILON,
        tie_word_embeddings=tied,
        bos_token_id=None,
        eos_token_id=None,
        attn_implementation="eager",
    )
    model = GPT2LMHeadModel(config).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(generator=generator)
            if "ln_" in name and name.endswith("weight"):
                parameter.mul_(0.1).add_(1)
            elif name.endswith("bias"):
                parameter.mul_(0.1)
            else:
                # Linear layers have (in, out) here; embeddings and the head have the width last.
                fan_in = parameter.shape[-1] if name.split(".")[-2] in ("wte", "wpe", "lm_head") else parameter.shape[0]
                parameter.mul_(fan_in**-0.5)
    return model


def tensors_of(model):
    """Hugging Face's names without `transformer.`; a tied head is left out."""
    tied = model.config.tie_word_embeddings
    return {
        name.removeprefix("transformer."): tensor.detach().contiguous()
        for name, tensor in model.state_dict().items()
        if not (tied and name == "lm_head.weight")
    }


def graph_of(model):
    config = model.config
    weights = {name: tensor.numpy() for name, tensor in tensors_of(model).items()}
    nodes = []
    used = set()

    def weight(name):
        used.add(name)
        return name

    def node(kind, inputs, outputs, domain=None, **attributes):
        nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def add_and_norm(residual, branch, bias, norm, name):
        """One node adds the branch and its bias to the residual stream and normalises the sum; both are returned."""
        inputs = [residual, branch, weight(f"{norm}.weight"), weight(f"{norm}.bias"), weight(bias) if bias else ""]
        outputs = [f"{name}.normed", "", "", f"{name}.sum"]
        node("SkipLayerNormalization", inputs, outputs, FUSED, epsilon=EPSILON)
        return outputs[3], outputs[0]

    residual = node("Gather", [weight("wte.weight"), "input_ids"], ["tokens"])
    branch = node("Gather", [weight("wpe.weight"), "position_ids"], ["positions"])
    bias = ""
    for layer in range(config.n_layer):
        h = f"h.{layer}"
        residual, normed = add_and_norm(residual, branch, bias, f"{h}.ln_1", f"{h}.1")
        mixed = node(
            "Attention",
            [normed, weight(f"{h}.attn.c_attn.weight"), weight(f"{h}.attn.c_attn.bias"), "", f"past_{layer}"],
            [f"{h}.mixed", f"present_{layer}"],
            FUSED,
            num_heads=config.n_head,
            unidirectional=1,
        )
        branch = node("MatMul", [mixed, weight(f"{h}.attn.c_proj.weight")], [f"{h}.attended"])
        residual, normed = add_and_norm(residual, branch, f"{h}.attn.c_proj.bias", f"{h}.ln_2", f"{h}.2")
        up = node("MatMul", [normed, weight(f"{h}.mlp.c_fc.weight")], [f"{h}.up"])
        active = node("FastGelu", [up, weight(f"{h}.mlp.c_fc.bias")], [f"{h}.active"], FUSED)
        branch = node("MatMul", [active, weight(f"{h}.mlp.c_proj.weight")], [f"{h}.down"])
        bias = f"{h}.mlp.c_proj.bias"
    _, normed = add_and_norm(residual, branch, bias, "ln_f", "last")
    if config.tie_word_embeddings:
        # Multiplies by the embedding as it is stored: transposed, the graph would hold it twice.
        node("FusedMatMul", [normed, weight("wte.weight")], ["logits"], FUSED, transB=1)
    else:
        weights["lm_head.weight"] = np.ascontiguousarray(weights["lm_head.weight"].T)
        node("MatMul", [normed, weight("lm_head.weight")], ["logits"])

    def value(name, kind, *shape):
        return helper.make_tensor_value_info(name, kind, shape)

    heads, size = config.n_head, config.n_embd // config.n_head
    layers = range(config.n_layer)
    ids = [value(name, TensorProto.INT64, 1, "S") for name in ("input_ids", "position_ids")]
    pasts = [value(f"past_{layer}", TensorProto.FLOAT, 2, 1, heads, "T", size) for layer in layers]
    presents = [value(f"present_{layer}", TensorProto.FLOAT, 2, 1, heads, "T + S", size) for layer in layers]
    logits = value("logits", TensorProto.FLOAT, 1, "S", config.vocab_size)
    initialisers = [numpy_helper.from_array(array, name) for name, array in weights.items() if name in used]
    assert used == set(weights), used ^ set(weights)
    graph = helper.make_graph(nodes, "gpt2", ids + pasts, [logits, *presents], initialisers)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


class Explicit(torch.nn.Module):
    """The model with the inputs and outputs of the graph, in plain operations that torch.onnx.export understands."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, position_ids, *pasts):
        body, config = self.model.transformer, self.model.config
        x = body.wte(input_ids) + body.wpe(position_ids)
        keys = torch.arange(pasts[0].shape[3] + input_ids.shape[1])
        hidden = keys.view(1, 1, 1, -1) > position_ids.view(1, 1, -1, 1)
        presents = []
        for block, past in zip(body.h, pasts):
            parts = block.attn.c_attn(block.ln_1(x)).split(config.n_embd, dim=2)
            q, k, v = (part.view(1, -1, config.n_head, config.n_embd // config.n_head).transpose(1, 2) for part in parts)
            present = torch.cat([past, torch.stack([k, v])], dim=3)
            presents.append(present)
            scores = q @ present[0].transpose(2, 3) * (config.n_embd // config.n_head) ** -0.5
            mixed = scores.masked_fill(hidden, -1e9).softmax(-1) @ present[1]
            x = x + block.attn.c_proj(mixed.transpose(1, 2).reshape(1, -1, config.n_embd))
            x = x + block.mlp(block.ln_2(x))
        return self.model.lm_head(body.ln_f(x)), *presents


def export(model, path):
    """What torch.onnx.export makes of the model, for comparison."""
    layers = range(model.config.n_layer)
    heads, size = model.config.n_head, model.config.n_embd // model.config.n_head
    pasts = [torch.randn(2, 1, heads, 5, size) for _ in layers]
    dynamic = {"input_ids": {1: "S"}, "position_ids": {1: "S"}}
    dynamic |= {f"past_{layer}": {3: "T"} for layer in layers}
    torch.onnx.export(
        Explicit(model).eval(),
        (torch.tensor([[1, 2, 3]]), torch.tensor([[5, 6, 7]]), *pasts),
        str(path),
        input_names=["input_ids", "position_ids", *(f"past_{layer}" for layer in layers)],
        output_names=["logits", *(f"present_{layer}" for layer in layers)],
        dynamic_axes=dynamic,
        opset_version=17,
        do_constant_folding=True,
        dynamo=False,
    )


def check(model, path):
    """Compares logits with transformers', on every position of a prefill and in decode steps after it."""
    config = model.config
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    layers = range(config.n_layer)
    worst = {"prefill": 0.0, "decode": 0.0}
    random = np.random.default_rng(0)
    for length in (1, 11, 31):
        tokens = random.integers(config.vocab_size, size=length + 5)
        with torch.no_grad():
            expected = model(torch.tensor(tokens[None])).logits.numpy()
        past = [np.zeros((2, 1, config.n_head, 0, config.n_embd // config.n_head), np.float32) for _ in layers]
        begin = 0
        for end in range(length, length + 6):
            feeds = {"input_ids": tokens[None, begin:end], "position_ids": np.arange(begin, end)[None]}
            feeds |= {f"past_{layer}": past[layer] for layer in layers}
            logits, *past = session.run(None, feeds)
            phase = "prefill" if begin == 0 else "decode"
            worst[phase] = max(worst[phase], float(np.abs(logits - expected[:, begin:end]).max()))
            begin = end
    size = float(np.abs(expected).max())
    report = ", ".join(f"{phase} {difference:.1e}" for phase, difference in worst.items())
    print(f"{path.name}: largest difference of logits (up to {size:.1f}) from transformers: {report}")
    assert max(worst.values()) < 1e-4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=SHAPES, default="default")
    parser.add_argument("--exported", action="store_true", help="also write exported.onnx, by torch.onnx.export")
    arguments = parser.parse_args()
    shape = arguments.shape
    folder = MODELS / "default" if shape == "default" else MODELS / "large" / shape
    folder.mkdir(parents=True, exist_ok=True)

    model = random_model(shape)
    names = ("n_layer", "n_head", "n_embd", "n_inner", "vocab_size", "n_positions", "layer_norm_epsilon")
    config = {
        "model_type": "gpt2",
        **{name: getattr(model.config, name) for name in names},
        "activation_function": "gelu_new",
        "tie_word_embeddings": model.config.tie_word_embeddings,
        "bos_token_id": None,
        "eos_token_id": None,
    }
    # Python writes 1e-5 as 1e-05, which the repository's formatter would change.
    (folder / "config.json").write_text(json.dumps(config, indent=2).replace("e-0", "e-") + "\n")
    save_file(tensors_of(model), folder / "model.safetensors", metadata={"format": "pt"})
    onnx.save(graph_of(model), folder / "model.onnx")
    check(model, folder / "model.onnx")
    if arguments.exported:
        export(model, folder / "exported.onnx")
        check(model, folder / "exported.onnx")


if __name__ == "__main__":
    main()
