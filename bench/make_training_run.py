#!/usr/bin/env python3
"""Fine-tunes MiniLM on SST-2 for some steps and keeps the whole training state of a few of them.

    make_training_run.py ENCODER.safetensors VOCAB.txt TRAIN.tsv OUT [--steps 100,101,118,140]
        [--kind adamw|foreach|fused|bf16|sgd] [--folders] [--layers N] [--rows N] [--seed N]

Writes OUT/step-K.safetensors: weights, and `optimizer.exp_avg.NAME`, `optimizer.exp_avg_sq.NAME` (SGD:
`optimizer.momentum_buffer.NAME`); its metadata hold the step and the settings. --folders also writes
OUT/checkpoint-K/ with model.safetensors and optimizer.pt as trainers do. `bf16` stores weights in bf16
beside fp32 masters (`optimizer.master.NAME`). TRAIN.tsv has a sentence and a label a line.
--layers and --rows keep the first layers and the commonest words alone, for a quick run.
The data and the encoder are those of the other benches; batch 32, lr 5e-5 with a warm-up, dropout 0.1,
weight decay 0.01, gradients cut at norm 1, as transformers' Trainer does it. Needs Debian's
python3-torch and libopenblas0-pthread; about two processor seconds a step.
"""
import argparse
import collections
import json
import math
import pathlib
import struct
import unicodedata

import numpy
import torch
from torch.nn import functional

HEADS, LENGTH, PLAN_STEPS = 12, 64, 650


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("encoder", "vocab", "train"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--steps", default="100,101,118,140")
    parser.add_argument("--kind", default="adamw", choices=["adamw", "foreach", "fused", "bf16", "sgd"])
    parser.add_argument("--folders", action="store_true")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def read_safetensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    floats = {}
    for name, entry in header.items():
        if entry["dtype"] == "F32":
            begin, end = (8 + size + at for at in entry["data_offsets"])
            floats[name] = torch.from_numpy(numpy.frombuffer(data[begin:end], "<f4").reshape(entry["shape"]).copy())
    return floats


def write_safetensors(path, tensors, metadata):
    header, at = {"__metadata__": metadata}, 0
    for name, tensor in tensors.items():
        kind, width = ("BF16", 2) if tensor.dtype == torch.bfloat16 else ("F32", 4)
        size = tensor.numel() * width
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            words = tensor.contiguous()
            words = words.view(torch.int16) if words.dtype == torch.bfloat16 else words
            file.write(words.numpy().tobytes())


class WordPieces:
    def __init__(self, path):
        self.ids = {word: i for i, word in enumerate(path.read_text(encoding="utf-8").splitlines())}

    @staticmethod
    def words(text):
        plain = (c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
        spaced = "".join(c if c.isalnum() or c.isspace() else f" {c} " for c in plain)
        return spaced.split()

    def of_word(self, word):
        pieces, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = self.ids.get(("##" if start else "") + word[start:end])
                if piece is not None:
                    break
            else:
                return [self.ids["[UNK]"]]
            pieces.append(piece)
            start = end
        return pieces

    def of_text(self, text):
        pieces = [piece for word in self.words(text) for piece in self.of_word(word)]
        return [self.ids["[CLS]"], *pieces[: LENGTH - 2], self.ids["[SEP]"]]


class Encoder:
    """BERT as functions over named weights."""

    def __init__(self, weights, layers):
        self.w, self.layers = weights, layers

    def linear(self, x, name):
        return functional.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def norm(self, x, name):
        return functional.layer_norm(x, x.shape[-1:], self.w[name + ".weight"], self.w[name + ".bias"], 1e-12)

    def attention(self, x, mask, name):
        batch, length, width = x.shape
        parts = [self.linear(x, f"{name}.self.{p}").view(batch, length, HEADS, -1).transpose(1, 2)
                 for p in ("query", "key", "value")]
        scores = parts[0] @ parts[1].transpose(2, 3) / math.sqrt(width / HEADS) + mask
        mixed = functional.dropout(scores.softmax(-1), 0.1) @ parts[2]
        mixed = mixed.transpose(1, 2).reshape(batch, length, width)
        return self.norm(x + functional.dropout(self.linear(mixed, name + ".output.dense"), 0.1), name + ".output.LayerNorm")

    def logits(self, ids, mask):
        bias = (1 - mask[:, None, None, :]) * -1e9
        x = self.w["embeddings.word_embeddings.weight"][ids]
        x = x + self.w["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = x + self.w["embeddings.token_type_embeddings.weight"][0]
        x = functional.dropout(self.norm(x, "embeddings.LayerNorm"), 0.1)
        for i in range(self.layers):
            name = f"encoder.layer.{i}"
            x = self.attention(x, bias, name + ".attention")
            inner = functional.gelu(self.linear(x, name + ".intermediate.dense"))
            x = self.norm(x + functional.dropout(self.linear(inner, name + ".output.dense"), 0.1), name + ".output.LayerNorm")
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        return self.linear(mean, "classifier")


def commonest(texts, rows):
    """Numbers pieces by how common they are; those beyond `rows` become one."""
    counts = collections.Counter(piece for text in texts for piece in text)
    kept = {piece: i for i, (piece, _) in enumerate(counts.most_common(rows - 1), 1)}
    return [[kept.get(piece, 0) for piece in text] for text in texts]


def batches(pieces, train, seed, rows):
    lines = [line.rstrip("\n").split("\t") for line in train.read_text(encoding="utf-8").splitlines()]
    texts, labels = [pieces.of_text(text) for text, _ in lines], [int(label) for _, label in lines]
    if rows < len(pieces.ids):
        texts = commonest(texts, rows)
    for epoch in range(1000):
        order = numpy.random.RandomState(seed + epoch).permutation(len(texts))
        for at in range(0, len(order), 32):
            rows = order[at : at + 32]
            width = max(len(texts[r]) for r in rows)
            ids = torch.tensor([texts[r] + [0] * (width - len(texts[r])) for r in rows])
            yield ids, (ids != 0).float(), torch.tensor([labels[r] for r in rows])


def make_optimizer(kind, params):
    if kind == "sgd":
        return torch.optim.SGD(params, lr=2e-3, momentum=0.9, weight_decay=0.01)
    extra = {"foreach": {"foreach": True}, "fused": {"fused": True}}.get(kind, {"foreach": False})
    return torch.optim.AdamW(params, lr=5e-5, weight_decay=0.01, **extra)


def state_of(names, weights, optimizer, kind):
    tensors = {}
    for name in names:
        tensors[name] = weights[name].detach()
    if kind == "bf16":
        for name in names:
            tensors[f"optimizer.master.{name}"] = tensors[name]
            tensors[name] = tensors[name].to(torch.bfloat16)
    for field in ("exp_avg", "exp_avg_sq", "momentum_buffer"):
        for name in names:
            value = optimizer.state[weights[name]].get(field)
            if value is not None:
                tensors[f"optimizer.{field}.{name}"] = value
    return tensors


def keep(o, step, lr, names, weights, optimizer):
    settings = {k: v for k, v in optimizer.param_groups[0].items() if k != "params"}
    metadata = {"step": str(step), "lr_of_step": repr(lr), "settings": json.dumps(settings), "kind": o.kind}
    tensors = state_of(names, weights, optimizer, o.kind)
    write_safetensors(o.out / f"step-{step}.safetensors", tensors, metadata)
    if o.folders:
        folder = o.out / f"checkpoint-{step}"
        folder.mkdir(exist_ok=True)
        write_safetensors(folder / "model.safetensors", {n: tensors[n] for n in names}, {"format": "pt"})
        torch.save(optimizer.state_dict(), folder / "optimizer.pt")


def start_weights(o):
    """The encoder as `o` cuts it, with a head of its own, to be trained."""
    weights = {n: t for n, t in read_safetensors(o.encoder).items() if not n.startswith("pooler.")}
    deeper = tuple(f"encoder.layer.{i}." for i in range(o.layers, 100))
    weights = {n: t for n, t in weights.items() if not n.startswith(deeper)}
    words = weights["embeddings.word_embeddings.weight"]
    weights["embeddings.word_embeddings.weight"] = words[: o.rows].clone()
    weights["classifier.weight"], weights["classifier.bias"] = torch.randn(2, 384) * 0.02, torch.zeros(2)
    for tensor in weights.values():
        tensor.requires_grad_(True)
    return weights


def main():
    o = options()
    o.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(o.seed)
    kept = sorted(int(step) for step in o.steps.split(","))
    weights = start_weights(o)
    params, net = list(weights.values()), Encoder(weights, o.layers)
    optimizer = make_optimizer(o.kind, params)
    top = optimizer.param_groups[0]["lr"]
    plan = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1, (s + 1) / (0.06 * PLAN_STEPS)) * (1 - s / PLAN_STEPS))
    for step, (ids, mask, labels) in enumerate(batches(WordPieces(o.vocab), o.train, o.seed, o.rows), 1):
        optimizer.zero_grad()
        loss = functional.cross_entropy(net.logits(ids, mask), labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        lr = optimizer.param_groups[0]["lr"]
        optimizer.step()
        plan.step()
        if step in kept:
            keep(o, step, lr, list(weights), weights, optimizer)
        if step in kept or step % 20 == 0:
            print(f"step {step} loss {float(loss.detach()):.4f} lr {lr:.3e} of {top:.1e}", flush=True)
        if step >= kept[-1]:
            break


if __name__ == "__main__":
    main()
