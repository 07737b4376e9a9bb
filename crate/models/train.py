"""Makes the trained weights: writes sentences from a grammar, trains a GPT-2 of the default shape on them, saves it.

    python train.py            (about six minutes on one core; run by hand, see README.md)

Writes into `trained/`, or the folder after `--out`: `config.json` and `model.safetensors`, as Hugging Face's `transformers`
loads them; `grammar.json`, the grammar below for those who check what the model writes; `training.json`, how the training
went.
"""

import argparse
import json
import math
import platform
import random
import re
import time
from pathlib import Path

import numpy
import torch
import transformers
from safetensors.torch import save_file
from transformers import GPT2Config, GPT2LMHeadModel

# --- The grammar -----------------------------------------------------------------------------------------------------
# A sentence is a pattern with one word, or a few, in each place. A word that stands twice in a list comes twice as often.
# Lists hold what can go together in sense: whoever reads and writes is a person, but a fox may find a cake.

CREATURES = "cat|dog|fox|hen|mouse|rabbit|wolf|lamb|bird|pony"
PEOPLE = "girl|king|nurse|teacher|sailor|judge"

WORDS = {
    "a": "the|a|the|a|the old|a young|the little|a quiet|the young",
    "the": "the|the|the|the old|the little|the young",
    "one": "the|a",
    "who": f"{CREATURES}|{PEOPLE}",
    "person": PEOPLE,
    "rested": "sat|slept|hid|waited",
    "by": "by|near|under",
    "spot": "tree|bridge|wall|gate",
    "went": "ran|walked|came",
    "to": "to|from|past",
    "place": "river|hill|barn|lake|garden",
    "ate": "ate|shared",
    "food": "bread|soup|cake|pie",
    "read": "read|wrote",
    "story": "story|book|letter|poem",
    "found": "found|kept",
    "thing": "bread|soup|cake|pie|story|book|letter|poem",
    "light": "moon|sun|sky|star",
    "bright": "bright|far|clear",
    "happy": "happy|tired|kind|hungry",
    "warm": "warm|cold|long|quiet",
    "day": "day|night|morning",
    "hour": "morning|night|evening",
    "see": "see|hear|find",
}

# Each with how often it comes.
PATTERNS = {
    "{a} {who} {rested} {by} {one} {spot}.": 10,
    "{a} {who} {went} {to} the {place}.": 8,
    "{a} {who} {found} {one} {thing}.": 4,
    "{a} {who} {ate} {one} {food}.": 4,
    "{a} {person} {read} {one} {story}.": 4,
    "{a} {who} is {happy}.": 5,
    "the {light} is {bright}.": 3,
    "where is {the} {who}?": 3,
    "can you {see} {the} {who}?": 3,
    "can you see the {light}?": 1,
    "is it a {warm} {day}?": 2,
    "good {hour}, {who}!": 2,
    "look at the {light}!": 2,
    "what a {warm} {day}!": 2,
}

# --- Tokens: one for each character, as the widget has them -----------------------------------------------------------
CHARACTERS = " abcdefghijklmnopqrstuvwxyz0123456789.,!?'\"-:;()[]+*/=<>&%$#@_\n"
IDS = {character: id for id, character in enumerate(CHARACTERS, start=1)}
END_OF_TEXT = 0
ENDS = ".!?"

# --- The training ----------------------------------------------------------------------------------------------------
SEED = 1
STEPS = 24_000
WARM_UP = 200
BATCH = 64
LEARNING_RATE = 1.5e-2
CONTEXT = 128
# A batch in four fills the whole context, so that every position is learned; the others hold one sentence a row.
LONG_BATCHES = 0.25
LONGEST_SENTENCE = 48
# Rows that begin in the middle of a sentence, and rows that begin with letters that are no words: prompts may, too.
CUT, NOISE = 0.3, 0.1
# After a cut this many characters are not predicted: what they are is not to be known yet.
UNKNOWN = 4
# The weights are rounded to this many multiples of a power of two on either side of zero, for a smaller file; `--levels 0`
# leaves them as they are. The last quarter of the training knows of it: passes use the rounded weights, and the updates go
# to the exact ones.
LEVELS = 127
ROUNDED_FROM = 0.75

# With these a sentence begins, too.
OPENINGS = ("the ", "a ", "is ")
# The target of a place that is not learned, as cross_entropy has it.
IGNORED = -100


def sentence(rng):
    """One sentence of the grammar."""
    (pattern,) = rng.choices(list(PATTERNS), PATTERNS.values())
    return re.sub(r"\{(\w+)\}", lambda place: rng.choice(WORDS[place[1]].split("|")), pattern)


def noise(rng):
    """One to three words that are none, and a space."""
    letters = CHARACTERS[1:27] if rng.random() < 0.75 else [c for c in CHARACTERS if c not in ENDS]
    words = ["".join(rng.choices(letters, k=rng.randint(1, 7))) for _ in range(rng.randint(1, 3))]
    return " ".join(words) + " "


def row(rng, length):
    """Token ids, and what each of them is to predict: the next one, and end-of-text after the end of a sentence."""
    kind = rng.random()
    before = noise(rng) if kind < NOISE else ""
    text = sentence(rng)
    cut = rng.randrange(1, len(text) - 1) if kind > 1 - CUT else 0
    # What could be the beginning of another sentence is no cut: "the king?" would be one.
    if text[cut:].startswith(OPENINGS):
        cut = 0
    text = before + text[cut:]
    while length == CONTEXT and len(text) < length:
        text += " " + sentence(rng)
    ids = [IDS[c] for c in text]
    targets = [END_OF_TEXT if c in ENDS else id for c, id in zip(text, [*ids[1:], IGNORED])]
    # Of the noise only its end can be learned, and of a sentence that was cut only what comes once it is known.
    for place in range(min(len(targets), max(len(before) - 2, UNKNOWN if cut else 0, 0))):
        targets[place] = IGNORED
    return ids[:length], targets[:length]


def batch(rng):
    """Rows of one length, padded."""
    size, length = (BATCH // 4, CONTEXT) if rng.random() < LONG_BATCHES else (BATCH, LONGEST_SENTENCE)
    rows = [row(rng, length) for _ in range(size)]
    longest = max(len(ids) for ids, _ in rows)
    ids = torch.tensor([ids + [END_OF_TEXT] * (longest - len(ids)) for ids, _ in rows])
    targets = torch.tensor([targets + [IGNORED] * (longest - len(targets)) for _, targets in rows])
    return ids, targets


def rounded(weight, levels):
    """The nearest multiples of a power of two, at most so many of them on either side of zero."""
    if levels == 0:
        return weight
    step = 2.0 ** math.ceil(math.log2(weight.abs().max().item() / levels))
    return (weight / step).round().clamp(-levels, levels) * step


def learning_rate(step):
    """Warm-up, then cosine decay to a hundredth."""
    decay = 0.5 * (1 + math.cos(math.pi * step / STEPS))
    return LEARNING_RATE * min(1, (step + 1) / WARM_UP) * (0.01 + 0.99 * decay)


def train(model, levels):
    """Trains in place; returns the mean loss, in nats a token, of every thousand steps."""
    rng = random.Random(SEED)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.99), weight_decay=0.0)
    parameters = list(model.parameters())
    losses, recent = {}, []
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step)
        ids, targets = batch(rng)
        exact = [parameter.data for parameter in parameters]
        if step >= ROUNDED_FROM * STEPS:
            for parameter in parameters:
                parameter.data = rounded(parameter.data, levels)
        logits = model(ids).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for parameter, data in zip(parameters, exact):
            parameter.data = data
        optimizer.step()
        recent.append(loss.item())
        if len(recent) == 1000:
            losses[step + 1] = round(sum(recent) / len(recent), 4)
            recent = []
            print(f"step {step + 1}: loss {losses[step + 1]}", flush=True)
    for parameter in parameters:
        parameter.data = rounded(parameter.data, levels)
    return losses


def save(model, levels, out):
    """The files that `transformers` loads, in 16 bits where they hold every weight exactly: where all are rounded."""
    out.mkdir(parents=True, exist_ok=True)
    exact = {name: tensor.detach() for name, tensor in model.named_parameters()}
    dtype = torch.float16 if levels > 0 else torch.float32
    tensors = {name: tensor.to(dtype).contiguous() for name, tensor in exact.items()}
    assert all(torch.equal(tensors[name].float(), tensor) for name, tensor in exact.items())
    save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
    keys = "activation_function architectures bos_token_id eos_token_id layer_norm_epsilon model_type n_embd n_head n_inner "
    keys += "n_layer n_positions tie_word_embeddings vocab_size"
    config = {**model.config.to_dict(), "architectures": ["GPT2LMHeadModel"], "dtype": str(dtype).removeprefix("torch.")}
    known = {key: config[key] for key in [*keys.split(), "dtype"]}
    (out / "config.json").write_text(json.dumps(known, indent=2) + "\n")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--out", type=Path, default=Path(__file__).parent / "trained")
    options.add_argument("--levels", type=int, default=LEVELS)
    out, levels = vars(options.parse_args()).values()
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    # A model this small gains nothing by a second thread.
    torch.set_num_threads(1)
    model = GPT2LMHeadModel(
        GPT2Config(
            n_layer=2,
            n_head=2,
            n_embd=16,
            n_inner=64,
            vocab_size=64,
            n_positions=CONTEXT,
            bos_token_id=END_OF_TEXT,
            eos_token_id=END_OF_TEXT,
            tie_word_embeddings=False,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            initializer_range=0.1,
        )
    )
    begin = time.monotonic()
    losses = train(model, levels)
    seconds = round(time.monotonic() - begin)
    save(model, levels, out)
    words = {word for words in WORDS.values() for word in words.replace("|", " ").split()}
    words |= {word for pattern in PATTERNS for word in re.findall(r"\b(?<!\{)[a-z]+\b(?!\})", pattern)}
    grammar = {
        "words": {place: sorted(set(words.split("|"))) for place, words in WORDS.items()},
        "patterns": list(PATTERNS),
    }
    (out / "grammar.json").write_text(json.dumps(grammar, indent=1) + "\n")
    training = {
        "words": len(words),
        "seed": SEED,
        "steps": STEPS,
        "levels": levels,
        "seconds": seconds,
        "loss": losses,
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "numpy": numpy.__version__,
        },
    }
    (out / "training.json").write_text(json.dumps(training, indent=1) + "\n")
    print(f"{len(words)} words, {seconds} seconds")


if __name__ == "__main__":
    main()
