"""Write the golden values that the tests compare this project's decoder with.

A decoder that is wrong in a small way (a bias left out, gelu in its other form,
a mask off by one, a cut in top-p one token too early) still writes plausible
text.  So the tests do not look at text: they compare numbers with those of an
implementation that other people wrote, Hugging Face's GPT-2, on models small
enough to keep in the repository.  The shapes are odd on purpose (head counts
that are no power of two, a feed-forward width that is not four times the model
width, tied and untied output, a filled context), and every weight, gain and
bias is random, so that no term can go missing unnoticed.

Running it rewrites models/ and functions.json next to this file; see README.md.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import mpmath
import numpy as np
import torch
from safetensors.torch import save_file
from transformers import DynamicCache, GPT2Config, GPT2LMHeadModel
from transformers.generation.logits_process import (
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

HERE = Path(__file__).resolve().parent

DECODE_STEPS = 12
SAMPLED_STEPS = (4, 11)  # decode steps whose logits the sampling cases use
CACHE_TOLERANCE = 1e-4  # cached against uncached logits
BORDER_LOGIT_GAP = 1e-4  # between the last token kept and the first one cut
BORDER_PROBABILITY_GAP = 1e-5  # between a cumulative sum and top_p
MOST_KEPT = 200  # cases that keep more tokens are left out, for size

CONFIG_KEYS = (
    "n_layer", "n_head", "n_embd", "n_inner", "vocab_size", "n_positions",
    "layer_norm_epsilon", "tie_word_embeddings", "eos_token_id", "activation_function",
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    name: str
    seed: int
    layers: int
    heads: int
    width: int
    inner: int
    vocab: int
    positions: int
    tied: bool
    prompt: int
    epsilon: float = 1e-5


SHAPES = (
    Shape("default", 101, 2, 2, 16, 64, 64, 128, False, prompt=9),
    Shape("tied-narrow", 102, 1, 1, 8, 32, 64, 32, True, prompt=1),
    Shape("odd-inner", 103, 3, 4, 32, 48, 64, 48, False, prompt=11),
    Shape("vocab-1000-tied", 104, 2, 3, 24, 100, 1000, 40, True, prompt=5),
    Shape("deep-small-heads", 105, 4, 2, 12, 20, 1000, 64, False, prompt=7),
    Shape("odd-vocab", 106, 1, 5, 20, 33, 61, 24, True, prompt=12, epsilon=1e-6),
)


# ---- The models -------------------------------------------------------------


def golden_model(shape):
    """The GPT-2 of this shape, with lively random weights."""
    config = GPT2Config(
        n_layer=shape.layers, n_head=shape.heads, n_embd=shape.width,
        n_inner=shape.inner, vocab_size=shape.vocab, n_positions=shape.positions,
        layer_norm_epsilon=shape.epsilon, tie_word_embeddings=shape.tied,
        bos_token_id=shape.vocab - 1, eos_token_id=shape.vocab - 1,
        activation_function="gelu_new", attn_implementation="eager",
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip
    model = GPT2LMHeadModel(config).to(torch.float32).eval()
    torch.manual_seed(shape.seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():  # a tied head comes once, as wte
            mean, deviation = weight_distribution(name, parameter)
            parameter.copy_(mean + deviation * torch.randn(parameter.shape))
    return model


def weight_distribution(name, parameter):
    """Mean and standard deviation to draw a parameter from.

    They are wide enough for logits that spread over several units and attention
    that is far from uniform: near zero, most mistakes would not show.
    """
    module, kind = name.split(".")[-2:]
    if module.startswith("ln_"):
        return (1.0 if kind == "weight" else 0.0), 0.3
    if kind == "bias":
        return 0.0, 0.1
    if module == "wte":
        return 0.0, 0.7
    if module == "wpe":
        return 0.0, 0.4
    if module == "lm_head":  # stored as [out, in]
        return 0.0, 2.0 / math.sqrt(parameter.shape[1])
    return 0.0, 1.0 / math.sqrt(parameter.shape[0])  # Conv1D, stored as [in, out]


def model_tensors(model, shape):
    tensors = {name: tensor.clone().contiguous() for name, tensor in model.state_dict().items()}
    if shape.tied:
        del tensors["lm_head.weight"]
    return tensors


# ---- The logits -------------------------------------------------------------


@dataclass
class Run:
    prompt: list  # S token ids
    fed: list  # the ids fed one at a time after it
    prefill: torch.Tensor  # [S, V]
    decode: torch.Tensor  # [DECODE_STEPS, V]
    cache_difference: float


@torch.no_grad()
def golden_run(model, shape):
    """Prompt and cached steps over random ids, checked against one uncached pass."""
    generator = torch.Generator().manual_seed(shape.seed + 1000)
    ids = torch.randint(shape.vocab, (1, shape.prompt + DECODE_STEPS), generator=generator)
    assert ids.shape[1] <= shape.positions
    prompt, fed = ids.split([shape.prompt, DECODE_STEPS], dim=1)
    cache = DynamicCache(config=model.config)  # the keys and values of all earlier positions
    prefill = model(prompt, cache=cache, use_cache=True).logits[0]
    steps = [model(token, cache=cache, use_cache=True).logits[0] for token in fed.split(1, dim=1)]
    decode = torch.cat(steps)
    uncached = model(ids, use_cache=False).logits[0]
    difference = (torch.cat([prefill, decode]) - uncached).abs().max().item()
    assert difference < CACHE_TOLERANCE, (shape.name, difference)
    return Run(prompt[0].tolist(), fed[0].tolist(), prefill, decode, difference)


# ---- The sampling cases -----------------------------------------------------


def sampling_grid(vocab):
    """(temperature, top_k, top_p) of every case; None where a cut is off."""
    grid = [(t, None, None) for t in (0.2, 0.7, 1.0, 1.8)]
    grid += [(t, k, None) for k in (1, 2, 5, 40, vocab) for t in (0.7, 1.0)]
    grid += [(t, None, p) for p in (0.1, 0.5, 0.9, 0.95, 1.0) for t in (0.8, 1.3)]
    grid += [(t, k, p) for k, p in ((5, 0.8), (20, 0.95), (2, 0.9)) for t in (0.7, 1.5)]
    return grid


def sampling_distribution(logits, temperature, top_k, top_p):
    """Probabilities [V] after the cuts, or None if rounding could move a cut."""
    scores = TemperatureLogitsWarper(temperature)(None, logits[None])
    if top_k is not None:
        uncut, scores = scores, TopKLogitsWarper(top_k)(None, scores)
        if is_close_at_border(uncut, scores):
            return None
    if top_p is not None:
        uncut, scores = scores, TopPLogitsWarper(top_p)(None, scores)
        if is_close_at_border(uncut, scores) or is_close_to_sum(uncut, top_p):
            return None
    return torch.softmax(scores, dim=-1)[0]


def is_close_at_border(uncut, cut):
    """Whether the smallest score kept and the largest one cut are (nearly) tied."""
    kept = torch.isfinite(cut)
    removed = ~kept & torch.isfinite(uncut)
    if not removed.any():
        return False
    return (uncut[kept].min() - uncut[removed].max()).item() < BORDER_LOGIT_GAP


def is_close_to_sum(uncut, top_p):
    """Whether a cumulative sum, other than that of all tokens, is (nearly) top_p."""
    finite = uncut[torch.isfinite(uncut)].double()
    sums = torch.softmax(finite, dim=-1).sort(descending=True).values.cumsum(-1)[:-1]
    return bool(((sums - top_p).abs() < BORDER_PROBABILITY_GAP).any())


def sampling_cases(run, shape):
    """The JSON texts of all cases of a model."""
    sources = [("prefill", run.prefill[-1])] + [(step, run.decode[step]) for step in SAMPLED_STEPS]
    for source, logits in sources:
        for temperature, top_k, top_p in sampling_grid(shape.vocab):
            probabilities = sampling_distribution(logits, temperature, top_k, top_p)
            if probabilities is None:
                continue
            kept = probabilities.nonzero()[:, 0].tolist()
            if len(kept) > MOST_KEPT:
                continue
            values = ",".join(f'"{i}":{float32_text(probabilities[i])}' for i in kept)
            settings = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
            head = compact({"source": source, **settings, "kept": kept})
            yield f'{head[:-1]},"probabilities":{{{values}}}}}'


# ---- The functions ----------------------------------------------------------


def float32_points(values):
    """Exact float32 values, ascending, as Python floats."""
    return sorted({float(np.float32(value)) for value in values})


def gelu_new(x):
    inner = mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)
    return x / 2 * (1 + mpmath.tanh(inner))


def softmax(xs):
    powers = [mpmath.exp(mpmath.mpf(x) - max(xs)) for x in xs]
    return [float(power / mpmath.fsum(powers)) for power in powers]


def function_tables():
    """Name -> rows [x, y]: computed with 60 digits, then rounded to float64."""
    mpmath.mp.dps = 60
    points = {
        "gelu_new": (gelu_new, [*np.arange(-6, 6.25, 0.25), -1, 3]),
        "exp": (mpmath.exp, [*np.linspace(-100, 88, 199), -1e-3, 0, 1e-3]),
        "tanh": (mpmath.tanh, [*np.linspace(-10, 10, 101), -1e-3, 1e-4, 1e-3]),
    }
    tables = {
        name: [[x, float(function(mpmath.mpf(x)))] for x in float32_points(xs)]
        for name, (function, xs) in points.items()
    }
    random = np.random.default_rng(7)
    vectors = [[378, -292, 90, 0], [1e30, 0], [-1e30] * 3, [0.5]]
    vectors += [random.normal(0, scale, size) for size, scale in ((5, 1), (16, 3), (61, 8))]
    vectors = [[float(np.float32(x)) for x in vector] for vector in vectors]
    tables["softmax"] = [[xs, softmax(xs)] for xs in vectors]
    return tables


# ---- The files --------------------------------------------------------------


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def float32_text(value):
    """The shortest decimal that reads back as the same float32 (at most 9 digits)."""
    return str(np.float32(value))


def float32_row(values):
    return "[" + ",".join(map(float32_text, values.tolist())) + "]"


def block(rows):
    """A JSON array with one element a line."""
    return "[\n" + ",\n".join(rows) + "\n]"


def write_model(shape):
    model = golden_model(shape)
    run = golden_run(model, shape)
    folder = HERE / "models" / shape.name
    folder.mkdir(parents=True, exist_ok=True)

    config = {key: getattr(model.config, key) for key in CONFIG_KEYS}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    save_file(model_tensors(model, shape), folder / "model.safetensors", {"format": "pt"})

    steps = zip(run.fed, run.decode)
    decode = [f'{{"token":{token},"logits":{float32_row(logits)}}}' for token, logits in steps]
    cases = list(sampling_cases(run, shape))
    expected = ",\n".join((
        f'"prompt":{compact(run.prompt)}',
        f'"prefill_logits":{block(map(float32_row, run.prefill))}',
        f'"decode":{block(decode)}',
        f'"sampling":{block(cases)}',
    ))  # fmt: skip
    (folder / "expected.json").write_text(f"{{\n{expected}\n}}\n")

    size = sum(file.stat().st_size for file in folder.iterdir())
    print(
        f"{shape.name:17} {size / 1000:6.0f} kB  {len(cases):2} sampling cases"
        f"  logits {run.prefill.min():6.2f} .. {run.prefill.max():5.2f}"
        f"  cached - uncached {run.cache_difference:.1e}"
    )


def write_functions():
    tables = function_tables().items()
    text = ",\n".join(f'"{name}":{block(map(compact, rows))}' for name, rows in tables)
    (HERE / "functions.json").write_text(f"{{\n{text}\n}}\n")


if __name__ == "__main__":
    torch.set_num_threads(1)  # one order of summation, so that a rerun gives the same bytes
    for shape in SHAPES:
        write_model(shape)
    write_functions()
