#!/usr/bin/env python3
"""Appends true steps of PyTorch's optimizers to steps.bin beside it (adam_replay_test.cpp reads it).

Run once with each PyTorch: it was made by Debian's 1.13.1 and then by 2.7.1. A record: a name in 32
bytes; learning rate, both betas (SGD: momentum and 0), eps and decoupled weight decay in f64; the step's
number and the number of words in u64; the words w0, m0, v0, w1, m1, v1 (SGD: without v) in f32.
"""
import pathlib
import struct

import torch

COUNT, STEP = 261, 40
OLD = torch.__version__.startswith("1.")


def cases():
    adamw, adam, sgd = torch.optim.AdamW, torch.optim.Adam, torch.optim.SGD
    decay = {"lr": 3e-4, "weight_decay": 0.01}
    if OLD:
        yield "1.13 AdamW single", adamw, {**decay, "foreach": False}
        yield "1.13 AdamW foreach", adamw, {**decay, "foreach": True}
        yield "1.13 Adam with decay", adam, {**decay, "betas": (0.9, 0.95), "eps": 1e-6}
        yield "1.13 SGD", sgd, {"lr": 1e-2, "momentum": 0.9, "weight_decay": 0.01}
    else:
        yield "2.7 AdamW fused", adamw, {**decay, "fused": True}
        yield "2.7 Adam fused", adam, {"lr": 1e-3, "fused": True}
        yield "2.7 SGD fused", sgd, {"lr": 1e-2, "momentum": 0.9, "fused": True}


def bytes_of(tensor):
    return tensor.detach().numpy().astype("<f4").tobytes()


def record(name, kind, settings):
    torch.manual_seed(7)
    weight = torch.nn.Parameter(torch.randn(COUNT) * 0.04)
    scales = torch.exp(torch.randn(COUNT) * 2) * 1e-3
    optimizer = kind([weight], **settings)
    fields = ("momentum_buffer",) if kind is torch.optim.SGD else ("exp_avg", "exp_avg_sq")
    arrays = b""
    for step in range(1, STEP + 1):
        weight.grad = torch.randn(COUNT) * scales
        weight.grad[:16] = 0  # rows that no batch has touched
        optimizer.step()
        if step >= STEP - 1:
            arrays += bytes_of(weight) + b"".join(bytes_of(optimizer.state[weight][f]) for f in fields)
    group = optimizer.param_groups[0]
    betas = group.get("betas", (group.get("momentum"), 0.0))
    decay = group["weight_decay"] if kind is torch.optim.AdamW else 0.0
    head = struct.pack("<32s5d2Q", name.encode(), group["lr"], *betas, group.get("eps", 0.0), decay, STEP, COUNT)
    return head + arrays


def main():
    path = pathlib.Path(__file__).with_name("steps.bin")
    with open(path, "ab") as file:
        for case in cases():
            file.write(record(*case))


if __name__ == "__main__":
    main()
