#!/usr/bin/env python3
"""Fine-tunes a MiniLM sentence encoder to tell good film reviews from bad ones.

    finetune.py ENCODER_DIR REVIEWS.txt OUT_DIR [--steps 100]

ENCODER_DIR holds a BERT-like encoder: model.safetensors, config.json, vocab.txt. REVIEWS.txt holds
lines of `id <tab> mean rating <tab> text`. Writes OUT_DIR/reviews.safetensors and reviews.onnx.
Needs torch and numpy, nothing else. `scripts/demo --large` fetches the inputs and calls this.
"""
import argparse
import json
import math
import pathlib
import re
import struct
import sys
import time
import unicodedata

import numpy as np
import torch
from torch import nn

MAX_WORDS = 48
BATCH = 32


class Layer(nn.Module):
    """One encoder layer; the names of the weights come from `published_name`."""

    def __init__(self, width, inner, heads):
        super().__init__()
        self.heads, self.scale = heads, 1 / math.sqrt(width // heads)
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.mixed = nn.Linear(width, width), nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, 1e-12)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm2 = nn.LayerNorm(width, 1e-12)

    def forward(self, x, bias):
        def split(t):
            return t.view(t.shape[0], t.shape[1], self.heads, -1).transpose(1, 2)

        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        scores = q @ k.transpose(-1, -2) * self.scale + bias
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.mixed(mixed))
        return self.norm2(x + self.down(nn.functional.gelu(self.up(x))))


class Classifier(nn.Module):
    def __init__(self, config, classes=2):
        super().__init__()
        width = config["hidden_size"]
        self.words = nn.Embedding(config["vocab_size"], width)
        self.places = nn.Embedding(config["max_position_embeddings"], width)
        self.kinds = nn.Embedding(config["type_vocab_size"], width)
        self.norm = nn.LayerNorm(width, 1e-12)
        shape = (width, config["intermediate_size"], config["num_attention_heads"])
        self.layers = nn.ModuleList(Layer(*shape) for _ in range(config["num_hidden_layers"]))
        self.classifier = nn.Linear(width, classes)

    def forward(self, ids, mask):
        place = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.places(place) + self.kinds(torch.zeros_like(ids)))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers:
            x = layer(x, bias)
        m = mask.unsqueeze(-1).to(x.dtype)
        return self.classifier((x * m).sum(1) / m.sum(1))


def published_name(name):
    """The name that a weight has in the published encoder's file."""
    table = {
        "words.": "embeddings.word_embeddings.", "places.": "embeddings.position_embeddings.",
        "kinds.": "embeddings.token_type_embeddings.", "norm.": "embeddings.LayerNorm.",
        "query.": "attention.self.query.", "key.": "attention.self.key.",
        "value.": "attention.self.value.", "mixed.": "attention.output.dense.",
        "norm1.": "attention.output.LayerNorm.", "up.": "intermediate.dense.",
        "down.": "output.dense.", "norm2.": "output.LayerNorm.",
    }
    head, rest = "", name
    if name.startswith("layers."):
        _, number, rest = name.split(".", 2)
        head = f"encoder.layer.{number}."
    part, leaf = rest.split(".")
    return head + table.get(part + ".", part + ".") + leaf


def load_safetensors(path):
    data = np.memmap(path, np.uint8, "r")
    (length,) = struct.unpack("<Q", data[:8].tobytes())
    weights = {}
    for name, entry in json.loads(data[8 : 8 + length].tobytes()).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = (8 + length + o for o in entry["data_offsets"])
            words = np.frombuffer(data[begin:end].tobytes(), "<f4")
            weights[name] = torch.from_numpy(words.reshape(entry["shape"]).copy())
    return weights


def save_safetensors(path, weights):
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, t in weights.items():
        header[name] = {"dtype": "F32", "shape": list(t.shape),
                        "data_offsets": [offset, offset + t.numel() * 4]}
        offset += t.numel() * 4
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for t in weights.values():
            f.write(t.contiguous().numpy().tobytes())


class WordPieces:
    """BERT's uncased tokenizer: words and punctuation, then the longest pieces of the vocabulary."""

    def __init__(self, path):
        words = pathlib.Path(path).read_text(encoding="utf-8").split("\n")
        self.ids = {word: i for i, word in enumerate(words) if word}

    def __call__(self, text):
        plain = unicodedata.normalize("NFD", text.lower())
        plain = "".join(c for c in plain if unicodedata.category(c) != "Mn")
        ids = [self.ids["[CLS]"]]
        for word in re.findall(r"\w+|[^\w\s]", plain):
            ids += self.pieces(word)
        return ids[: MAX_WORDS - 1] + [self.ids["[SEP]"]]

    def pieces(self, word):
        found, begin = [], 0
        while begin < len(word):
            end, mark = len(word), "##" if begin else ""
            while end > begin and mark + word[begin:end] not in self.ids:
                end -= 1
            if end == begin:
                return [self.ids["[UNK]"]]
            found.append(self.ids[mark + word[begin:end]])
            begin = end
        return found


def read_reviews(path, tokenizer):
    """Token ids and labels; reviews that their raters found neither good nor bad are left out."""
    rows = []
    for line in pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
        _, rating, text = line.split("\t", 2)
        if abs(float(rating)) > 0.5:
            rows.append((tokenizer(text), int(float(rating) > 0)))
    return [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]


def as_batch(rows):
    longest = max(len(ids) for ids, _ in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    for i, (row, _) in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row)
    return ids, (ids != 0).long(), torch.tensor([label for _, label in rows])


def accuracy(net, rows):
    net.eval()
    rows, hits = sorted(rows, key=lambda row: len(row[0])), 0
    with torch.no_grad():
        for i in range(0, len(rows), 64):
            ids, mask, labels = as_batch(rows[i : i + 64])
            hits += int((net(ids, mask).argmax(1) == labels).sum())
    net.train()
    return hits / len(rows)


def train(net, rows, steps):
    optimizer = torch.optim.AdamW(net.parameters(), lr=5e-5, weight_decay=0.01)
    plan = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1, (s + 1) / (0.06 * steps)) * (1 - s / steps))
    begun = time.monotonic()
    for step in range(steps):
        first = step * BATCH % (len(rows) - BATCH)
        ids, mask, labels = as_batch(rows[first : first + BATCH])
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(ids, mask), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        plan.step()
        if (step + 1) % 20 == 0:
            seconds = time.monotonic() - begun
            print(f"step {step + 1} of {steps}, loss {float(loss):.3f}, {seconds:.0f} s",
                  file=sys.stderr, flush=True)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("encoder", type=pathlib.Path)
    arguments.add_argument("reviews", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--steps", type=int, default=100)
    o = arguments.parse_args()
    torch.manual_seed(0)
    rows = read_reviews(o.reviews, WordPieces(o.encoder / "vocab.txt"))
    test, rows = rows[:500], rows[500:]
    net = Classifier(json.loads((o.encoder / "config.json").read_text()))
    published = load_safetensors(o.encoder / "model.safetensors")
    with torch.no_grad():
        for name, weight in net.named_parameters():
            if not name.startswith("classifier."):
                weight.copy_(published[published_name(name)])
    before = accuracy(net, test)
    train(net, rows, o.steps)
    print(f"accuracy on {len(test)} reviews: {before:.3f} before, {accuracy(net, test):.3f} after")
    net.eval()
    o.out.mkdir(parents=True, exist_ok=True)
    weights = {name if name.startswith("classifier.") else "bert." + published_name(name): weight
               for name, weight in net.state_dict().items()}
    save_safetensors(o.out / "reviews.safetensors", weights)
    example = torch.ones(1, 16, dtype=torch.long)
    axes = {0: "batch", 1: "words"}
    torch.onnx.export(net, (example, example), str(o.out / "reviews.onnx"), opset_version=14,
                      input_names=["input_ids", "attention_mask"], output_names=["logits"],
                      dynamic_axes={"input_ids": axes, "attention_mask": axes})


if __name__ == "__main__":
    main()
