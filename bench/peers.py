#!/usr/bin/env python3
"""What other tools make of a pair; run by run_exact.py inside a virtual environment that has them.

    peers.py align BASE VARIANT OUT_DIR      writes OUT_DIR/variant.words, base.words and dtype
    peers.py PEER encode|decode DIR          one run of zipnn, z4ai or lmzip; prints
                                             {"seconds": S, "cpu_seconds": C, "bytes": N}

None of the peers finds a weight that was renamed, transposed or moved, so `align` does that for
them: for each weight of the variant, in order, the closest weight of the base of the same or the
transposed shape, or zeros where there is none. They get the bare weights; what a file has beside
them costs them nothing.
"""
import json
import pathlib
import shutil
import struct
import sys
import time

import numpy as np

DTYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def safetensors_weights(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    entries = json.loads(data[8 : 8 + length])
    entries.pop("__metadata__", None)
    out, kinds = [], set()
    for e in sorted(entries.values(), key=lambda e: e["data_offsets"]):
        if e["dtype"] in DTYPES:
            begin, end = (8 + length + o for o in e["data_offsets"])
            words = np.frombuffer(data[begin:end], DTYPES[e["dtype"]])
            if words.size == np.prod(e["shape"]):
                out.append(words.reshape(e["shape"]))
                kinds.add(e["dtype"])
    return out, kinds


def fields(data):
    """(number, value) of each field of a protobuf message; enough for the files measured here."""

    def varint(at):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value, at

    at = 0
    while at < len(data):
        key, at = varint(at)
        if key & 7 == 0:
            value, at = varint(at)
        elif key & 7 == 2:
            size, at = varint(at)
            value, at = data[at : at + size], at + size
        else:
            size = 8 if key & 7 == 1 else 4
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def onnx_weights(path):
    out = []
    graph = next(v for k, v in fields(memoryview(path.read_bytes())) if k == 7)
    for number, tensor in fields(graph):
        if number != 5:
            continue
        parts = list(fields(tensor))
        kind = next(v for k, v in parts if k == 2)
        raw = [v for k, v in parts if k == 9]
        if kind == 1 and raw:
            shape = [v for k, v in parts if k == 1]
            out.append(np.frombuffer(raw[0], "<f4").reshape(shape))
    return out, {"F32"}


def weights(path):
    return onnx_weights(path) if path.suffix == ".onnx" else safetensors_weights(path)


def closest(target, candidates):
    """The candidate nearest to `target`, by a sample."""
    step = max(1, target.size // 4096)

    def distance(words):
        def sample(a):
            a = np.ascontiguousarray(a).reshape(-1)[::step]
            return (a.astype(np.uint32) << 16).view("<f4") if a.dtype == np.uint16 else a
        with np.errstate(all="ignore"):
            return float(np.abs(sample(words) - sample(target)).astype(np.float64).sum())

    return min(candidates, key=distance, default=None)


def align(base, variant, out):
    (base_weights, base_kinds), (variant_weights, kinds) = weights(base), weights(variant)
    assert len(kinds) == 1 and base_kinds == kinds, "peers are measured on one element type"
    with open(out / "variant.words", "wb") as v, open(out / "base.words", "wb") as b:
        for target in variant_weights:
            same = [w for w in base_weights if w.shape == target.shape]
            turned = [w.T for w in base_weights if w.ndim == 2 and w.T.shape == target.shape]
            found = closest(target, same + turned)
            found = np.zeros_like(target) if found is None else np.ascontiguousarray(found)
            v.write(target.tobytes())
            b.write(found.tobytes())
    (out / "dtype").write_text(kinds.pop())


def zipnn(dtype):
    import torch

    # The byte interface, which is what runs here, needs these only to be named.
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
                 "uint16", "uint32", "uint64"):
        if not hasattr(torch, name):
            setattr(torch, name, f"no {name}")
    from zipnn import ZipNN

    name = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}[dtype]
    codec = ZipNN(bytearray_dtype=name, input_format="byte", delta_compressed_type="byte",
                  threads=1)
    return (lambda new, old: codec.compress(bytearray(new), delta_second_data=bytearray(old)),
            lambda blob, old: codec.decompress(blob, delta_second_data=bytearray(old)))


def z4ai(dtype):
    import z4ai

    name = {"F32": "fp32", "F16": "fp16", "BF16": "bf16"}[dtype]
    return (lambda new, old: z4ai.compress_delta(new, reference=old, dtype=name, threads=1),
            z4ai.decompress_delta)


class InMemory:
    """A peer that codes bytes against their base's; what align() wrote lies in `folder`."""

    def __init__(self, name, codec, dtype, folder):
        self.name, (self.compress, self.decompress) = name, codec(dtype)
        self.words, self.base = folder / "variant.words", folder / "base.words"
        self.packed, self.unpacked = folder / f"{name}.packed", folder / f"{name}.unpacked"

    def prepare(self):
        pass

    def encode(self):
        self.packed.write_bytes(self.compress(self.words.read_bytes(), self.base.read_bytes()))
        return self.packed.stat().st_size

    def decode(self):
        packed = self.packed.read_bytes()
        self.unpacked.write_bytes(self.decompress(packed, self.base.read_bytes()))

    def is_restored(self):
        return self.unpacked.read_bytes() == self.words.read_bytes()


class Lmzip:
    """lmzip codes a file against those in its archive: counted is what an archive with the base
    grows by."""

    def __init__(self, dtype, folder):
        self.dtype, self.folder = dtype, folder
        self.bare, self.archive = folder / "base.lmz", folder / "both.lmz"
        self.variant, self.restored = folder / "variant.lmzip", folder / "restored.lmzip"

    def _write_model(self, target, words):
        count = len(words) // np.dtype(DTYPES[self.dtype]).itemsize
        entry = {"dtype": self.dtype, "shape": [count], "data_offsets": [0, len(words)]}
        header = json.dumps({"words": entry}).encode()
        header += b" " * (-len(header) % 8)
        target.write_bytes(struct.pack("<Q", len(header)) + header + words)

    def prepare(self):
        import lmz

        if not self.bare.exists():
            base = self.folder / "base.lmzip"
            self._write_model(self.variant, (self.folder / "variant.words").read_bytes())
            self._write_model(base, (self.folder / "base.words").read_bytes())
            lmz.compress(str(base), str(self.bare), workers=1)
        shutil.copy(self.bare, self.archive)

    def encode(self):
        import lmz

        lmz.append(str(self.archive), str(self.variant), workers=1)
        return self.archive.stat().st_size - self.bare.stat().st_size

    def decode(self):
        import lmz

        lmz.extract(str(self.archive), self.variant.name, str(self.restored), overwrite=True,
                    workers=1)

    def is_restored(self):
        return self.restored.read_bytes() == self.variant.read_bytes()


def peer_of(name, dtype, folder):
    if name == "lmzip":
        return Lmzip(dtype, folder)
    return InMemory(name, {"zipnn": zipnn, "z4ai": z4ai}[name], dtype, folder)


def main():
    if sys.argv[1] == "align":
        return align(*map(pathlib.Path, sys.argv[2:]))
    name, direction, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    peer, size = peer_of(name, (folder / "dtype").read_text(), folder), None
    if direction == "encode":
        peer.prepare()
    begun, cpu = time.monotonic(), time.process_time()
    if direction == "encode":
        size = peer.encode()
    else:
        peer.decode()
    seconds, cpu_seconds = time.monotonic() - begun, time.process_time() - cpu
    if direction == "decode" and not peer.is_restored():
        sys.exit(f"{name} did not restore its input")
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu_seconds, "bytes": size}))


if __name__ == "__main__":
    main()
