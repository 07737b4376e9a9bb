"""Write what Hugging Face's GPT-2 computes with the trained weights: `trained.json`, next to this file.

Run it after every training (see ../../crate/models/README.md):

    python make_trained.py
"""

import json
from pathlib import Path

import torch
from transformers import GPT2LMHeadModel

HERE = Path(__file__).resolve().parent
MODEL = HERE.parent.parent / "crate" / "models" / "trained"

# The vocabulary as README.md of the project has it: one token for each character, from id 1.
CHARACTERS = " abcdefghijklmnopqrstuvwxyz0123456789.,!?'\"-:;()[]+*/=<>&%$#@_\n"

PROMPTS = (
    "t",
    "the cat sat",
    "a young sailor ran",
    "where is",
    "can you hear the little dog?",
    "good morning, l",
    "hello",
    "q7;#@_\n()",
    "at the moon",
    # As long as a prompt can be: one token short of the context.
    ("the fox slept under a bridge. " * 5)[:127],
)


def main():
    # In 32 bits, as the engine computes: the file's 16 hold every number exactly.
    model = GPT2LMHeadModel.from_pretrained(MODEL, dtype=torch.float32, attn_implementation="eager").eval()
    cases = []
    with torch.no_grad():
        for prompt in PROMPTS:
            ids = [CHARACTERS.index(character) + 1 for character in prompt]
            output = model(torch.tensor([ids]), output_attentions=True)
            case = {"prompt": prompt, "ids": ids, "logits": output.logits[0, -1].tolist()}
            # (n_layer, n_head, T): how much the last position attends to each.
            case["attention"] = [layer[0, :, -1].tolist() for layer in output.attentions]
            cases.append(case)
    lines = ",\n".join(json.dumps(case) for case in cases)
    (HERE / "trained.json").write_text(f'{{"cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
