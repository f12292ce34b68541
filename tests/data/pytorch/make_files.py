#!/usr/bin/env python3
"""Writes the files that the tests of PyTorch's formats read.

    tests/data/pytorch/make_files.py FOLDER

Needs torch and numpy; what the installed torch does not know is left out. 1.13/ was written with
PyTorch 1.13.1 (Debian 12), 2.15/ with PyTorch 2.15.0 and NumPy 2.4.6. No value is drawn by chance.
"""

import os
import sys

import numpy
import torch


def model():
    made = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4))
    with torch.no_grad():
        for number, weight in enumerate(made.parameters()):
            weight.copy_(torch.arange(weight.numel()).reshape(weight.shape) + 100 * number)
    return made


def trained():
    made = model()
    groups = [{"params": made[0].parameters()},
              {"params": made[1].parameters(), "lr": 0.25, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=0.5, betas=(0.75, 0.875), eps=2.0**-20,
                                  weight_decay=0.125)
    for step in range(2):
        optimizer.zero_grad()
        (made(torch.arange(6.0).reshape(2, 3) + step) ** 2).sum().backward()
        optimizer.step()
    return made, optimizer


def views():
    """Tensors that share storages, and some of every kind."""
    whole = torch.arange(24.0).reshape(4, 6)
    parts = torch.arange(10, dtype=torch.int64)
    tied = torch.ones(5)
    out = {
        "turned": whole.t(),
        "images": torch.arange(48.0).reshape(1, 3, 4, 4).contiguous(
            memory_format=torch.channels_last),
        "middle": torch.arange(24.0)[3:9],
        "columns": torch.arange(24.0).reshape(4, 6)[:, 1:3],
        "low": parts[:4], "high": parts[4:],
        "expanded": torch.arange(3.0).reshape(3, 1).expand(3, 4),
        "tied": tied, "again": tied.view(5, 1),
        "scalar": torch.tensor(7.0), "none": torch.empty(0, 3),
        "parameter": torch.nn.Parameter(torch.arange(2.0)),
        "list": [torch.zeros(1), {"deep": torch.zeros(2), 3: torch.zeros(3)}],
        "size": torch.Size([1, 2]), "name": "text", "epoch": 3, "rate": 0.1, "big": 1 << 80,
        "sparse": torch.eye(3).to_sparse(), "device": torch.device("cpu"),
        "rng": torch.arange(16, dtype=torch.uint8),
    }
    for name in ("float64", "float16", "bfloat16", "int8", "int16", "int32", "bool", "complex64",
                 "complex128", "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2"):
        kind = getattr(torch, name, None)
        if kind is not None:
            out[name] = torch.zeros(3, dtype=torch.uint8).to(kind)
    if hasattr(torch.Tensor, "untyped_storage"):
        out["untyped"] = torch.zeros(3).untyped_storage()
    return out


def slices(offset):
    """Two views of one storage, one of which leaves gaps, and one of a storage of its own."""
    both = torch.arange(64.0).reshape(8, 8) + 100 * offset
    alone = torch.arange(24.0).reshape(4, 6) - offset
    return {"columns": alone[:, offset:offset + 2], "gaps": both[:, 3:6], "rows": both[1:3]}


def save_steps(path):
    """Checkpoints of a run at its third and fourth step. Its numbers look drawn by chance."""
    made = torch.nn.Linear(24, 20)
    with torch.no_grad():
        for number, weight in enumerate(made.parameters()):
            weight.copy_(torch.sin(torch.arange(weight.numel()).reshape(weight.shape) * 1.7 + number))
    optimizer = torch.optim.AdamW(made.parameters(), lr=1e-3, weight_decay=0.01)
    for step in range(1, 5):
        optimizer.zero_grad()
        there = torch.cos(torch.arange(16 * 24.0).reshape(16, 24) * 0.37 * step)
        (made(there) ** 3).mean().backward()
        optimizer.step()
        if step >= 3:
            torch.save({"state_dict": made.state_dict(),
                        "optimizer_states": [optimizer.state_dict()]}, path(f"step-{step}.ckpt"))


def save_dcp(folder):
    try:
        from torch.distributed.checkpoint import save
    except ImportError:
        return  # not there in 1.13
    made, optimizer = trained()
    save({"model": made.state_dict(), "optim": optimizer.state_dict(), "step": 2},
         checkpoint_id=os.path.join(folder, "dcp"))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)

    def path(name):
        return os.path.join(folder, name)

    made, optimizer = trained()
    torch.save(model().state_dict(), path("weights.pt"))
    torch.save(model(), path("module.pt"))
    torch.save(optimizer.state_dict(), path("optimizer.pt"))
    torch.save({"epoch": 1, "state_dict": made.state_dict(),
                "optimizer_states": [optimizer.state_dict()]}, path("run.ckpt"))
    torch.save(views(), path("views.pt"))
    torch.save(views(), path("protocol5.pt"), pickle_protocol=5)
    torch.save(model().state_dict(), path("old.pt"), _use_new_zipfile_serialization=False)
    torch.save(slices(1), path("slices-1.pt"))
    torch.save(slices(2), path("slices-2.pt"))
    save_dcp(folder)
    save_steps(path)
    arrays = {"whole": numpy.arange(6, dtype="f4").reshape(2, 3),
              "columns": numpy.asfortranarray(numpy.arange(6, dtype="f8").reshape(2, 3)),
              "turned": numpy.arange(4, dtype=">i4"), "text": numpy.array(["a", "bc"]),
              "flag": numpy.array(True), "none": numpy.zeros((0, 2), "u2")}
    numpy.savez(path("arrays.npz"), **arrays)
    numpy.savez_compressed(path("compressed.npz"), **arrays)


main()
