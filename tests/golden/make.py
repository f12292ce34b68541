#!/usr/bin/env python3
"""Makes the golden stores: make.py STRATA [FOLDER]

Stores that every later reader must read, named after their manifests' version, each with the SHA-256 of every
restored file. They are made once, before what they hold is released, and never again: a store that
exists is only listed anew. It also checks that every feature occurs in one of them.
"""

import hashlib
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

from cut_packs import StoreCut

HERE = os.path.dirname(os.path.abspath(__file__))
READER = os.path.join(HERE, "..", "..", "tools", "read_pack")
MOST_BYTES = 40_000
MOST_LOSSY_BYTES = 200_000  # many versions of one model

# What `read_pack --list` must show in some store.
FEATURES = [
    " raw,", " zstd,", " planes,", " same,", " integer,", " xor,", "planes, words,",
    "planes, parent, difference,", "planes, parent, xor,", "integer, parent, lowrank",
    "integer, parent, wide lowrank", " decay,",
    " rows,", " columns,", " shift 16,", " tables 0,", " tables 1,", "own", "transposed", "stride",
    "from f32", "from bf16", "from f16", "own transposed", "blocks of 2^17",
    "planes, words, 2 blocks of 2^16", "2 blocks of 2^16", "skeleton 0 raw", "with dictionary",
    "levels, parent, factors, uniform", "levels, parent, uniform", "levels, parent, table",
    "levels, uniform", "levels, parent, short", "levels, short", "levels, parent transposed", "levels, parent from f32",
    "patterns, parent, factors, runs of", "patterns, parent, runs of 256,",
    "patterns, parent, factors, 1", "patterns, parent, runs of 32,", "exponent, parent, 7 values",
    "sign, parent, row steps", "sign, parent, 1", "coded, 2 blocks",
    "bounded, parent, uniform, rows", "bounded, parent, cosines",
    "index, parent, prefix codes, cuts", "index, parent, prefix codes, on levels",
    "index, parent, rans, cuts", "zstdview, own", "moments, signed", "moments, unsigned",
    "rows, parent, 4 bits, 12 rows", "rows, parent, 2 bits", "huffman, parent, 7 values",
    "integer, parent, parent, own, second moment", "integer, parent, own, own, stepped weights",
    "integer, parent, own, own, parent, stepped weights",
    "parent, parent, own, second moment by rows", "own, own, parent, stepped weights by rows",
    "sized, lowrank, rows, columns", "sized, rows, signed", "sized, parent, rows, signed, decay",
    "levels, parent, uniform, rows", ", lossy", " 9 packs,", ", 1 pieces\n", ", 2 pieces\n",
    "same\n", "safetensors, effort", "onnx, effort", "folder, effort", "effort best", "effort fast",
] + [f": {name} [" for name in (
    "bytes f32 f64 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64 bool c64 c128 f8e4m3fn f8e4m3fnuz f8e5m2 "
    "f8e5m2fnuz f8e8m0 i4 u4 f4e2m1 i2 u2 f6e2m3 f6e3m2").split()]


# --- words ----------------------------------------------------------------------------------------


def f32(values):
    return struct.pack(f"<{len(values)}f", *values)


def f64(values):
    return struct.pack(f"<{len(values)}d", *values)


def f16(values):
    return struct.pack(f"<{len(values)}e", *values)


def bf16(values):
    words = struct.unpack(f"<{len(values)}I", f32(values))
    return struct.pack(f"<{len(values)}H", *((w + 0x7FFF + (w >> 16 & 1)) >> 16 for w in words))


def widened(data):
    """bf16 as f32."""
    words = struct.unpack(f"<{len(data) // 2}H", data)
    return struct.pack(f"<{len(words)}I", *(w << 16 for w in words))


class Values:
    """Weights with a fixed seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def gauss(self, count, scale=0.05):
        return [self.random.gauss(0, scale) for _ in range(count)]

    def coarse(self, count, levels=16, scale=0.1):
        """Few different values, so that a base of many words stays small."""
        palette = self.gauss(levels, scale)
        return [self.random.choice(palette) for _ in range(count)]

    def tuned(self, values, share=1.0, size=0.002):
        return [v + self.random.gauss(0, size) if self.random.random() < share else v
                for v in values]

    def bytes(self, count, top=256):
        return bytes(self.random.randrange(top) for _ in range(count))

    def nudged(self, data, share=0.3, step=1):
        """Bytes of which some go up or down."""
        return bytes((b + self.random.choice((-step, step))) & 255
                     if self.random.random() < share else b for b in data)


# --- models ---------------------------------------------------------------------------------------


def safetensors(tensors, metadata=None):
    """A file of {name: (dtype, shape, bytes)}."""
    header, at = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(t[2] for t in tensors.values())


def varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def onnx_tensor(name, kind, shape, data, location=None):
    out = b"".join(field(1, d) for d in shape) + field(2, kind) + field(8, name)
    if location is None:
        return out + field(9, data)
    file, offset = location
    entries = {"location": file, "offset": str(offset), "length": str(len(data))}
    for key, value in entries.items():
        out += field(13, field(1, key) + field(2, value))
    return out + field(14, 1)


def onnx_model(initializers, producer="golden"):
    graph = b"".join(field(5, tensor) for tensor in initializers)
    output = field(1, "y") + field(2, field(1, field(1, 1)))
    graph = field(2, "graph") + graph + field(12, output)
    opset = field(8, field(1, "") + field(2, 17))
    return field(1, 8) + field(2, producer) + opset + field(7, graph)


# --- stores ---------------------------------------------------------------------------------------


class Golden:
    """One store while it is made."""

    def __init__(self, strata, folder, name):
        self.strata, self.name = strata, name
        self.folder = os.path.join(folder, name)
        self.store = os.path.join(self.folder, "store")
        self.inputs = tempfile.mkdtemp()
        os.makedirs(self.folder)
        self.run("init")
        self.sums = []

    def run(self, *arguments):
        command = [self.strata, "-C", self.store, *arguments, "-q", "-y"]
        if arguments[0] == "init":
            command = [self.strata, "init", self.store, "-q"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{self.name}: {' '.join(command)}: {done.stderr}")

    def profile(self, name, text):
        """A lossy profile for later calls of add."""
        folder = os.path.join(os.environ["XDG_CONFIG_HOME"], "strata", "profiles")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name + ".toml"), "w", encoding="utf-8") as file:
            file.write('mode = "quality"\n[quantize]\n' + text)

    def add_lossy(self, name, data, *options, base):
        """Adds one file with loss. What must come back is what comes back now."""
        self.add(name, data, *options, base=base)
        label, path, original = self.sums.pop()
        target = os.path.join(self.inputs, label, "restored")
        self.run("restore", label.replace("-v", ":v"), "-o", target)
        with open(target, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        if digest == original:
            sys.exit(f"{self.name} {label}: nothing was lost")
        self.sums.append((label, path, digest))

    def add(self, name, files, *options, base=None):
        """Adds a model: one file's bytes, or {path: bytes}."""
        number = 1 + sum(label.startswith(name + "-v") for label in {s[0] for s in self.sums})
        label = f"{name}-v{number}"
        if isinstance(files, bytes):
            files = {("model.onnx" if files[:1] == b"\x08" else "model.safetensors"): files}
        root = os.path.join(self.inputs, label)
        for path, data in files.items():
            target = os.path.join(root, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(data)
            self.sums.append((label, path, hashlib.sha256(data).hexdigest()))
        source = root if len(files) > 1 else os.path.join(root, next(iter(files)))
        if base is None:
            self.run("import", source, "--name", name, *options)
        else:
            self.run("add", name, source, "--base", base, *options)

    def finish(self):
        """Keeps what the format needs, and notes what restoring must give."""
        for entry in os.listdir(self.store):
            if entry.startswith("catalog") or entry in ("lock", "reserve", ".gitignore"):
                os.remove(os.path.join(self.store, entry))
        for entry in ("tmp", "trash"):
            path = os.path.join(self.store, entry)
            if os.path.isdir(path) and not os.listdir(path):
                os.rmdir(path)
        with open(os.path.join(self.folder, "expected.sha256"), "w", encoding="utf-8") as file:
            for label, path, digest in self.sums:
                file.write(f"{digest}  {label}/{path}\n")
        size = sum(os.path.getsize(os.path.join(root, name))
                   for root, _, names in os.walk(self.folder) for name in names)
        most = MOST_LOSSY_BYTES if "lossy" in self.name else MOST_BYTES
        if size > most:
            sys.exit(f"{self.name}: {size} bytes, at most {most}")
        shutil.rmtree(self.inputs)
        print(f"{self.name}: {size} bytes")


def listing_of(folder, name):
    """How the parts of every version of a store are coded."""
    with open(os.path.join(folder, name, "expected.sha256"), encoding="utf-8") as file:
        labels = dict.fromkeys(line[66:].split("/")[0] for line in file)
    listing = ""
    for label in labels:
        reference = label.replace("-v", ":v")
        done = subprocess.run([sys.executable, READER, os.path.join(folder, name, "store"),
                               reference, "--list"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{name} {reference}: {done.stderr}")
        listing += f"== {name} {reference}\n{done.stdout}"
    return listing


def onnx_types(values, change):
    """Initializers of all types that ONNX has; `change` makes some of the bytes others."""
    floats, doubles = values.gauss(600), values.gauss(80)
    kinds = [("f32", 1, f32(floats)), ("u8", 2, values.bytes(600, 40)),
             ("i8", 3, values.bytes(600)),
             ("u16", 4, struct.pack("<600H", *range(0, 60000, 100))),
             ("i16", 5, struct.pack("<600h", *range(-300, 300))),
             ("i32", 6, struct.pack("<600i", *range(-90000, 90000, 300))),
             ("i64", 7, struct.pack("<64q", *range(-(1 << 40), 1 << 40, 1 << 35))),
             ("bool", 9, values.bytes(600, 2)), ("f16", 10, f16(floats)), ("f64", 11, f64(doubles)),
             ("u32", 12, struct.pack("<600I", *range(0, 6000000, 10000))),
             ("u64", 13, struct.pack("<64Q", *range(0, 1 << 60, 1 << 54))),
             ("c64", 14, f32(floats)), ("c128", 15, f64(doubles)), ("bf16", 16, bf16(floats)),
             ("f8e4m3fn", 17, values.bytes(600)), ("f8e4m3fnuz", 18, values.bytes(600)),
             ("f8e5m2", 19, values.bytes(600)), ("f8e5m2fnuz", 20, values.bytes(600)),
             ("u4", 21, values.bytes(300)), ("i4", 22, values.bytes(300)),
             ("f4e2m1", 23, values.bytes(300)), ("f8e8m0", 24, values.bytes(200, 30)),
             ("u2", 25, values.bytes(150)), ("i2", 26, values.bytes(150))]
    counts = {"c64": 300, "c128": 40, "f64": 80, "i64": 64, "u64": 64, "f8e8m0": 200}
    out = []
    for name, kind, data in kinds:
        shape = [counts.get(name, 600) // 4, 4]
        out.append(onnx_tensor(name, kind, shape, change(name, data)))
    return out


def every_type(golden):
    values = Values(1)
    same = onnx_types(values, lambda name, data: data)
    moved = Values(2)

    def change(_, data):
        # The lowest byte of some words; words of eight bytes at most.
        out = bytearray(data)
        for i in range(0, len(out), 8):
            if moved.random.random() < 0.3:
                out[i] = (out[i] + moved.random.choice((-1, 1))) & 255
        return bytes(out)
    golden.add("base", onnx_model(same))
    golden.add("tuned", onnx_model(onnx_types(Values(1), change), "other"), base="base")
    golden.add("crossed", onnx_model(onnx_types(Values(1), change)), "--codec", "xor", base="base")


def safetensors_types(golden):
    values = Values(3)
    tensors = {"f6e2m3": ("F6_E2M3", [16, 8], values.bytes(96)),
               "f6e3m2": ("F6_E3M2", [5, 4], values.bytes(15)),
               "f4": ("F4", [8, 16], values.bytes(64)), "scalar": ("F32", [], f32([0.5])),
               "c64": ("C64", [8, 4], f32(values.gauss(64))),
               "one": ("I64", [1], struct.pack("<q", -7)), "none": ("F32", [0, 4], b""),
               "f8": ("F8_E4M3", [8, 16], values.bytes(128)),
               "text": ("U8", [4000], b"golden! " * 500), "noise": ("U8", [300], values.bytes(300))}
    golden.add("base", safetensors(tensors, {"format": "pt"}), "--effort", "best")
    golden.add("kept", safetensors(tensors), "--raw")
    tensors["f6e2m3"] = ("F6_E2M3", [16, 8], values.nudged(tensors["f6e2m3"][2], 0.1))
    tensors["f8"] = ("F8_E4M3", [8, 16], values.nudged(tensors["f8"][2]))
    golden.add("tuned", safetensors(tensors, {"format": "pt"}), base="base")


def integer_bf16(golden):
    """Rows and columns of unequal change; 32 lanes."""
    values = Values(4)
    rows, columns = 160, 128
    base = values.coarse(rows * columns, 8)
    sizes = [0 if r % 5 == 0 else 0.0002 * 2 ** (r % 7) for r in range(rows)]
    tuned = [v + values.random.gauss(0, sizes[i // columns] * (4 if i % columns > 100 else 0.3))
             if sizes[i // columns] else v for i, v in enumerate(base)]
    special = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-40, -1e-40, 3e38]
    base[:8], tuned[40:48] = special, special
    golden.add("base", safetensors({"w": ("BF16", [rows, columns], bf16(base))}))
    golden.add("tuned", safetensors({"w": ("BF16", [rows, columns], bf16(tuned))}), base="base")


def integer_f32(golden):
    values = Values(5)
    base = values.gauss(40 * 24)
    tuned = values.tuned(base)
    rounded = widened(bf16(tuned))
    golden.add("base", safetensors({"w": ("F32", [40, 24], f32(base)),
                                    "v": ("F32", [40, 24], f32(tuned))}))
    golden.add("tuned", safetensors({"w": ("F32", [40, 24], f32(tuned)),
                                     "v": ("F32", [40, 24], rounded)}), base="base")
    flipped = [-v if i % 9 == 0 else v for i, v in enumerate(values.tuned(tuned, 0.3))]
    golden.add("crossed", safetensors({"w": ("F32", [40, 24], f32(flipped)),
                                       "v": ("F32", [40, 24], f32(tuned))}),
               "--codec", "xor", base="base")


def decay(golden):
    values = Values(6)
    rows, columns = 64, 48

    def tensors(pack, name):
        base = values.gauss(rows * columns)
        moved = []
        for i, v in enumerate(base):
            row = i // columns
            factor = 0.97 if row % 3 else 0.9
            moved.append(v * factor if row % 4 else v + values.random.gauss(0, 0.01))
        return (name, [rows, columns], pack(base)), (name, [rows, columns], pack(moved))
    pairs = {"f32": tensors(f32, "F32"), "bf16": tensors(bf16, "BF16"), "f16": tensors(f16, "F16")}
    golden.add("base", safetensors({k: v[0] for k, v in pairs.items()}))
    golden.add("tuned", safetensors({k: v[1] for k, v in pairs.items()}), base="base")


def low_rank(golden):
    values = Values(7)
    first, second = {}, {}
    shapes = (("f32", f32, 48, 40), ("bf16", bf16, 56, 64), ("f16", f16, 64, 48))
    for name, pack, rows, columns in shapes:
        base = values.gauss(rows * columns)
        a = [values.gauss(rows, 0.1) for _ in range(2)]
        b = [values.gauss(columns, 0.1) for _ in range(2)]
        moved = [v + sum(x[i // columns] * y[i % columns] for x, y in zip(a, b))
                 for i, v in enumerate(base)]
        first[name] = (name.upper(), [rows, columns], pack(base))
        second[name] = (name.upper(), [rows, columns], pack(moved))
    golden.add("base", safetensors(first))
    golden.add("tuned", safetensors(second), "--effort", "best", base="base")


def rounded32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def wide(golden):
    """Adapters merged in f32, one that changes weights little and one that changes them much."""
    values = Values(16)
    first, second = {}, {}
    for name, rows, columns, rank, size in (("fine", 40, 36, 2, 0.001), ("coarse", 36, 48, 3, 0.004)):
        base = [rounded32(v) for v in values.gauss(rows * columns)]
        a = [values.gauss(rows, 1.0) for _ in range(rank)]
        b = [values.gauss(columns, size) for _ in range(rank)]
        moved = [v + rounded32(sum(x[i // columns] * y[i % columns] for x, y in zip(a, b)))
                 for i, v in enumerate(base)]
        first[name] = ("F32", [rows, columns], f32(base))
        second[name] = ("F32", [rows, columns], f32(moved))
    golden.add("base", safetensors(first))
    golden.add("merged", safetensors(second), "--effort", "best", base="base")


def wide_halves(golden):
    """The same in words of 16 bits."""
    values, rows, columns, rank = Values(17), 72, 64, 2
    first, second = {}, {}
    for kind, pack in (("F16", f16), ("BF16", bf16)):
        base = values.gauss(rows * columns)
        base = struct.unpack(f"<{len(base)}e", f16(base)) if kind == "F16" else \
            struct.unpack(f"<{len(base)}f", widened(bf16(base)))
        a, b = [values.gauss(rows, 1.0) for _ in range(rank)], \
            [values.gauss(columns, 0.02) for _ in range(rank)]
        moved = [v + rounded32(sum(x[i // columns] * y[i % columns] for x, y in zip(a, b)))
                 for i, v in enumerate(base)]
        first[kind.lower()] = (kind, [rows, columns], pack(base))
        second[kind.lower()] = (kind, [rows, columns], pack(moved))
    golden.add("base", safetensors(first))
    golden.add("merged", safetensors(second), "--effort", "best", base="base")


def views(golden):
    values = Values(8)
    rows, columns = 40, 32
    w, e, g, b, h, n = (values.gauss(rows * columns) for _ in range(6))

    def transposed(v):
        return [v[r * columns + c] for c in range(columns) for r in range(rows)]

    def grown(v):
        wide = []
        for r in range(rows):
            wide += v[r * columns:(r + 1) * columns] + values.gauss(6)
        return wide
    golden.add("base", safetensors({
        "w": ("F32", [rows, columns], f32(w)), "e": ("F32", [rows, columns], f32(e)),
        "g": ("F32", [rows, columns], f32(g)), "b": ("BF16", [rows, columns], bf16(b)),
        "h": ("F16", [rows, columns], f16(h)), "n": ("BF16", [rows, columns], bf16(n))}))
    tuned = values.tuned(e)
    golden.add("tuned", safetensors({
        "renamed": ("F32", [columns, rows], f32(transposed(values.tuned(w)))),
        "embedding": ("F32", [rows, columns], f32(tuned)),
        "embedding_t": ("F32", [columns, rows], f32(transposed(tuned))),
        "copy": ("F32", [rows, columns], f32(tuned)),
        "g": ("F32", [rows, columns + 6], f32(grown(values.tuned(g)))),
        "b": ("BF16", [rows + 7, columns], bf16(values.tuned(b) + values.gauss(7 * columns))),
        "n": ("BF16", [rows, columns - 8], bf16([v for i, v in enumerate(values.tuned(n))
                                                 if i % columns < columns - 8])),
        "h": ("F16", [rows, columns], f16(h))}), base="base")


def casts(golden):
    values = Values(13)
    special = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-40, 6e-8, 65520.0, 3e38]
    rows, columns = 32, 36
    w, e, b, h = (values.gauss(rows * columns) for _ in range(4))
    for v in (w, e, b):
        v[:len(special)] = special
    h[:7] = special[:7]
    shape = [rows, columns]
    golden.add("base", safetensors({"w": ("F32", shape, f32(w)), "e": ("F32", shape, f32(e)),
                                    "b": ("BF16", shape, bf16(b)), "h": ("F16", shape, f16(h))}))
    e[7:9] = [float("inf")] * 2
    golden.add("cast", safetensors({
        "w": ("BF16", shape, bf16(values.tuned(w, 0.2))),
        "e": ("F16", shape, f16(values.tuned(e, 0.2))),
        "b": ("F32", shape, f32(values.tuned(b, 0.2))),
        "h": ("BF16", shape, bf16(values.tuned(h, 0.2, 0.0005)))}), base="base")


def shared_tables(golden):
    values = Values(9)
    first, second = {}, {}
    for i in range(24):
        base = values.gauss(96)
        kind, pack = (("F32", f32), ("BF16", bf16))[i % 2]
        first[f"layer.{i}.bias"] = (kind, [96], pack(base))
        second[f"layer.{i}.bias"] = (kind, [96], pack(values.tuned(base, 1.0, 0.0005)))
    golden.add("base", safetensors(first))
    golden.add("tuned", safetensors(second), "--effort", "fast", base="base")


def chain(golden):
    values = Values(10)
    state = values.gauss(32 * 32)

    def model(step, state):
        weights = safetensors({"w": ("F16", [32, 32], f16(state))})
        config = json.dumps({"step": step, "layers": list(range(80))})
        merges = b"".join(b"%d %d\n" % (i, i * i) for i in range(60))
        return {"model.safetensors": weights, "config.json": config.encode(),
                "text/empty.txt": b"", "text/merges.txt": merges}
    golden.add("run", model(0, state))
    for step in range(1, 5):
        state = values.tuned(state, 0.3, 0.001)
        golden.add("run", model(step, state), "--chain", base="run")
    golden.run("tag", "run:v3", "kept", "--note", "the good one")
    golden.add("gone", safetensors({"w": ("F32", [3], f32([1, 2, 3]))}))
    golden.run("remove", "gone")
    golden.sums.pop()


def blocks(golden):
    """Several blocks, rows that blocks cut, and larger blocks for sparse changes."""
    values = Values(11)
    shape = [9400, 7]
    count = shape[0] * shape[1]
    palette = struct.unpack("<2H", f16([0.25, -0.125]))
    base = [values.random.choice(palette) for _ in range(count)]
    dense = [word + values.random.randrange(-2, 3) for word in base]
    sparse = [word ^ values.random.randrange(1, 2000) if values.random.random() < 0.001 else word
              for word in base]
    for name, words, options in (("base", base, {}), ("dense", dense, {"base": "base"}),
                                 ("sparse", sparse, {"base": "base"})):
        data = struct.pack(f"<{count}H", *words)
        golden.add(name, safetensors({"w": ("F16", shape, data)}), **options)


def external(golden):
    values = Values(12)

    def model(a, b, text):
        data = b"\0" * 16 + f32(a) + b"\0" * 48 + f32(b) + b"end"
        tensors = [onnx_tensor("a", 1, [32, 16], f32(a), ("weights/data.bin", 16)),
                   onnx_tensor("b", 1, [300], f32(b), ("weights/data.bin", 16 + 4 * len(a) + 48)),
                      onnx_tensor("c", 1, [2], f32([1.0, 2.0])),
                   onnx_tensor("odd", 1, [4], bytes(range(70)))]
        return {"model.onnx": onnx_model(tensors), "weights/data.bin": data, "README.md": text,
                "vocab.bin": bytes(range(256)) * 6}
    a, b = values.gauss(32 * 16), values.gauss(300)
    golden.add("base", model(a, b, b"# Golden\n"))
    golden.add("tuned", model(values.tuned(a), values.tuned(b), b"# Golden, tuned\n"), base="base")


def lossy_tensors(values):
    """What lossy codecs meet, in f32, bf16 and f16: a base and a model tuned from it."""
    base, tuned = {}, {}
    for kind, pack in (("F32", f32), ("BF16", bf16), ("F16", f16)):
        def put(to, name, shape, numbers, kind=kind, pack=pack):
            to[f"{kind.lower()}.{name}"] = (kind, shape, pack(numbers))

        def both(name, shape, numbers, moved, put=put):
            put(base, name, shape, numbers)
            put(tuned, name, shape, moved)
        coarse = values.coarse(32 * 40)
        a, b = values.gauss(32, 0.1), values.gauss(40, 0.1)
        both("layers.0.mlp.weight", [32, 40], coarse,
             [v + values.random.gauss(0, 0.002) + a[i // 40] * b[i % 40]
              for i, v in enumerate(coarse)])
        rows = values.gauss(32 * 20)
        both("layers.0.attention.weight", [32, 20], rows,
             [v + values.random.gauss(0, 0.0002 * 4 ** (i // 20 % 4)) for i, v in enumerate(rows)])
        wave = values.coarse(16 * 24)
        both("layers.0.wave.weight", [16, 24], wave,
             [v + 0.02 * math.sin(i / 9) for i, v in enumerate(wave)])
        words = values.gauss(40 * 12)
        moved = values.tuned(words)
        for name in ("embed_tokens.weight", "lm_head.weight"):
            both(name, [40, 12], words, moved)
        norm, bias, conv = values.gauss(24), values.gauss(40), values.gauss(16 * 18)
        both("layers.0.norm.weight", [24], norm, values.tuned(norm))
        both("layers.0.mlp.bias", [40], bias, values.tuned(bias))
        both("conv.weight", [16, 2, 3, 3], conv, values.tuned(conv))
        odd = values.coarse(16 * 12)
        both("odd.weight", [16, 12], odd, [float("nan")] + values.tuned(odd[1:]))
        both("frozen.weight", [16, 12], odd, odd)
        put(tuned, "head.weight", [20, 16], values.gauss(20 * 16))
    turned, cast = values.coarse(24 * 16), values.coarse(24 * 16)
    base["turned.weight"] = ("F32", [24, 16], f32(turned))
    tuned["turned.weight"] = ("F32", [16, 24], f32(values.tuned(
        [turned[r * 16 + c] for c in range(16) for r in range(24)])))
    base["cast.weight"] = ("F32", [24, 16], f32(cast))
    tuned["cast.weight"] = ("BF16", [24, 16], bf16(values.tuned(cast)))
    return safetensors(base), safetensors(tuned)


def lossy(golden):
    values = Values(14)
    base, tuned = lossy_tensors(values)
    golden.profile("table", "levels = 9\nrank = 0\nprune = 0.2\nprotect = 0.02\n")
    golden.profile("alone", "rank = 0\n")
    golden.profile("factors", "pattern_length = 0\n")
    golden.profile("many", "bits = 6\n")
    golden.profile("rows", "row_scales = true\n")
    golden.add("base", base)
    for name, *options in (
            ("levels", "levels"), ("levels", "levels", "--rank", "0", "--step", "0.05"),
            ("levels", "levels", "--profile", "table"),
            ("patterns", "patterns"), ("patterns", "patterns", "--profile", "alone"),
            ("patterns", "patterns", "--profile", "factors"),
            ("exponent", "exponent"), ("exponent", "exponent", "--profile", "many"),
            ("sign", "sign"), ("sign", "sign", "--profile", "rows"),
            ("bounded", "bounded", "--max-error", "0.001"),
            ("index", "index", "--profile", "table")):
        golden.add_lossy(name, tuned, "--codec", *options, base="base")


def lossy_blocks(golden):
    """Two blocks and 32 lanes; a parent with loss, of a lossy version and of an exact one."""
    values, shape = Values(15), [4112, 32]
    base = [values.random.choice((0.25, -0.125)) for _ in range(shape[0] * shape[1])]
    tuned = values.tuned(base, 0.02, 0.004)
    later = values.tuned(tuned, 0.01, 0.004)

    def model(numbers):
        return safetensors({"wide.weight": ("F16", shape, f16(numbers))})
    golden.profile("few", "levels = 5\nrank = 0\n")
    golden.add("base", model(base))
    golden.add_lossy("levels", model(tuned), "--codec", "levels", "--rank", "2", base="base")
    golden.add_lossy("levels", model(later), "--codec", "levels", "--step", "0.3", base="levels")
    golden.add("exact", model(later), base="levels")
    for name, *options in (("patterns",), ("exponent",), ("sign",),
                           ("bounded", "--max-error", "0.002"), ("index", "--profile", "few")):
        golden.add_lossy(name, model(tuned), "--codec", name, *options, base="base")


def lossy_index_rans(golden):
    """Level indices through the rANS engine, fitted and evenly spaced."""
    base, tuned = lossy_tensors(Values(16))
    golden.add("base", base)
    for name, *options in (("fitted", "--prune", "10"), ("even", "--spacing", "even")):
        golden.add_lossy(name, tuned, "--codec", "index", "--levels", "12", "--entropy", "rans",
                         *options, base="base")


def lossy_short(golden):
    """Levels as bit strings: of vectors, one with a level far beyond the others."""
    values = Values(17)
    base, tuned = {}, {}
    for kind, pack in (("F32", f32), ("BF16", bf16), ("F16", f16)):
        for name, count in (("norm.weight", 16), ("norm.bias", 64), ("far.bias", 40)):
            numbers = values.gauss(count)
            moved = values.tuned(numbers, 1.0, 0.01)
            if name == "far.bias":
                moved[7] = 90.0
            base[f"{kind.lower()}.{name}"] = (kind, [count], pack(numbers))
            tuned[f"{kind.lower()}.{name}"] = (kind, [count], pack(moved))
    tuned["new.bias"] = ("F32", [24], f32(values.gauss(24)))
    golden.add("base", safetensors(base))
    golden.add_lossy("short", safetensors(tuned), "--codec", "levels", base="base")
    golden.add_lossy("short", safetensors(tuned), "--codec", "levels", "--step", "0.02", base="base")


def adam_moments(values, rows, columns):
    """Both moments after some steps; some rows and columns never had a gradient."""
    first, second = [], []
    sizes = [10.0 ** values.random.uniform(-6, -3) for _ in range(rows)]
    for r in range(rows):
        for c in range(columns):
            m = v = 0.0
            for _ in range(0 if r % 6 == 4 or (rows > 1 and c % 9 == 3) else 12):
                gradient = sizes[r] * values.random.gauss(0.3, 1.0)
                m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient * gradient
            first.append(m)
            second.append(v)
    return first, second


def moments(golden):
    """What an optimizer keeps, with several bits."""
    values = Values(23)
    base, state = {}, {}
    for name, shape in (("body.weight", [30, 40]), ("body.bias", [60])):
        rows, columns = (shape[0], shape[1]) if len(shape) > 1 else (1, shape[0])
        numbers = values.gauss(rows * columns)
        base[name] = ("F32", shape, f32(numbers))
        state[name] = ("F32", shape, f32(values.tuned(numbers, 1.0, 0.01)))
        first, second = adam_moments(values, rows, columns)
        state[f"optimizer.exp_avg.{name}"] = ("F32", shape, f32(first))
        state[f"optimizer.exp_avg_sq.{name}"] = ("F32", shape, f32(second))
    golden.add("base", safetensors(base))
    for first, second in ((3, 3), (1, 1), (8, 8), (0, 0)):
        profile = os.path.join(golden.inputs, f"moments-{first}.toml")
        with open(profile, "w", encoding="utf-8") as file:
            file.write('mode = "quality"\n[quantize]\ncodec = "integer"\n')
            for kind, bits in (("first", first), ("second", second)):
                file.write(f'[[rule]]\nkind = "{kind} moment"\ncodec = "moments"\nbits = {bits}\n')
        golden.add_lossy("run", safetensors(state), "--profile", profile, "--no-chain", base="base")


def rows(golden):
    """Tables of which some rows were touched, and exponents by Huffman codes."""
    values, shape = Values(24), [60, 24]
    wide = [2100, 64]
    numbers = values.gauss(shape[0] * shape[1])
    many = [values.random.choice((0.25, -0.125)) for _ in range(wide[0] * wide[1])]

    def touched(old, columns, every):
        return [n + 0.01 * values.random.gauss(0, 1) if i // columns % every == 0 else n
                for i, n in enumerate(old)]

    def model(table, large):
        return safetensors({"table.weight": ("F32", shape, f32(table)),
                            "half.weight": ("F16", shape, f16(table)),
                            "brain.weight": ("BF16", shape, bf16(table)),
                            "wide.weight": ("BF16", wide, bf16(large)),
                            "norm.weight": ("F32", [24], f32(table[:24]))})
    later = touched(numbers, shape[1], 5)
    last = touched(later, shape[1], 7)
    large = touched(many, wide[1], 40)
    golden.profile("fine", "bits = 8\n")
    golden.profile("coarse", "bits = 2\n")
    golden.profile("usual", "bits = 4\n")
    golden.add("base", model(numbers, many))
    golden.add_lossy("rows", model(later, large), "--codec", "rows", "--profile", "usual",
                     base="base")
    golden.add_lossy("rows", model(last, large), "--codec", "rows", "--profile", "usual",
                     base="rows:v1")
    golden.add_lossy("fine", model(later, large), "--codec", "rows", "--profile", "fine",
                     base="base")
    golden.add_lossy("coarse", model(later, large), "--codec", "rows", "--profile", "coarse",
                     base="base")
    golden.add_lossy("huffman", model(later, large), "--codec", "huffman", base="base")
    golden.add_lossy("huffman", model([n + 0.5 for n in later], large), "--codec", "huffman",
                     "--profile", "coarse", base="base")


def half_moments(golden):
    """Moments of 16 bits; of f16 some are so small that their levels round to 0."""
    values = Values(25)
    rows, columns = 30, 40
    numbers = values.gauss(rows * columns)
    base = {"a.weight": ("BF16", [rows, columns], bf16(numbers)),
            "b.weight": ("F16", [rows, columns], f16(numbers))}
    state = dict(base)
    for name, kind, words in (("a.weight", "BF16", bf16), ("b.weight", "F16", f16)):
        first, second = adam_moments(values, rows, columns)
        second = [6.1e-8 if v and i % 7 == 0 else 100 * v for i, v in enumerate(second)]
        state[f"optimizer.exp_avg.{name}"] = (kind, [rows, columns], words(first))
        state[f"optimizer.exp_avg_sq.{name}"] = (kind, [rows, columns], words(second))
    golden.add("base", safetensors(base))
    for bits in (3, 0, 8):
        profile = os.path.join(golden.inputs, f"moments-{bits}.toml")
        with open(profile, "w", encoding="utf-8") as file:
            file.write('mode = "quality"\n[quantize]\ncodec = "integer"\n')
            for kind in ("first", "second"):
                file.write(f'[[rule]]\nkind = "{kind} moment"\ncodec = "moments"\nbits = {bits}\n')
        golden.add_lossy("run", safetensors(state), "--profile", profile, "--no-chain", base="base")


def zstd_view(golden):
    """The two halves of a windowed Fourier transform: one has the other's words elsewhere."""
    count = 96

    def half(wave):
        return f32([math.sin(math.pi * t / count) ** 2 * wave(2 * math.pi * k * t / count)
                    for k in range(count // 2 + 1) for t in range(count)])
    shape = [count // 2 + 1, 1, count]
    golden.add("transform", safetensors({
        "stft.real": ("F32", shape, half(math.cos)),
        "stft.imaginary": ("F32", shape, half(math.sin)),
        "norm.weight": ("F32", [24], f32(Values(18).gauss(24)))}))


def pieces(golden):
    """Files with checksums of their pieces: one piece, two, and none."""
    values, shape = Values(19), [512, 320]
    base = [(0.25, -0.125, 0.5)[i * i % 3] for i in range(shape[0] * shape[1])]
    tuned = values.tuned(base, 0.002, 0.01)

    def model(numbers):
        return safetensors({"w.weight": ("BF16", shape, bf16(numbers))})
    text = b"strata " * ((4 << 20) // 7 + 20)
    golden.add("folder", {"model.safetensors": model(base), "vocab.txt": text,
                          "config.json": b"{}"})
    golden.add("base", model(base))
    golden.add("tuned", model(tuned), base="base")
    golden.add_lossy("lossy", model(tuned), "--codec", "levels", "--rank", "0", base="base")


def packs(golden):
    """Versions of several packs each, which share tables, a skeleton and a predicted part."""
    shared_tables(golden)
    StoreCut(golden.store, 700).run()


def drift(golden):
    """Snapshots several steps apart."""
    steps(golden, "drift")


def row_steps(golden):
    """Snapshots several steps apart, each of which reached few rows."""
    steps(golden, "rows")


def sized(golden):
    """Moments by the sizes of rows and columns, and rows of them that decay."""
    values, rows, columns = Values(26), 600, 112
    sizes = [0.05 * 2.0 ** values.random.uniform(-6, 6) for _ in range(rows + columns)]

    def row(r, first):
        return [sizes[r] * sizes[rows + c] * (values.random.gauss(0, 1) if first else
                                              abs(values.random.gauss(1, 0.1)))
                for c in range(columns)]

    def model(of):
        return safetensors({f"optimizer.{kind}.{name}.weight": (words, [rows, columns], pack(
            [n for line in lines for n in line])) for kind, name, words, pack, lines in of})
    live = [r for r in range(rows) if r % 50 == 7]
    before = [row(r, True) if r in live else [0.0] * columns for r in range(rows)]
    squares = [row(r, False) if r in live else [0.0] * columns for r in range(rows)]
    later = [row(r, True) if r in live[:3] else [0.15 * n for n in line]
             for r, line in enumerate(before)]

    def of_all_kinds(lines):
        return [("exp_avg", "a", "F32", f32, lines), ("exp_avg", "b", "BF16", bf16, lines),
                ("exp_avg", "c", "F16", f16, lines), ("exp_avg_sq", "a", "F32", f32, squares)]
    golden.add("run", model(of_all_kinds(before)))
    golden.add("run", model(of_all_kinds(later)), base="run")


def rounded(golden):
    """Weights of 16 bits that are the rounded words of a tensor behind them."""
    steps(golden, "rounded")


def steps(golden, kind="steps"):
    """A run of which each step is stored upon the one before, with other forms of the step."""
    maker = os.environ.get("STRATA_GOLDEN_STEPS") or os.path.join(
        os.path.dirname(golden.strata), "..", "tests", "golden", "strata_golden_steps")
    subprocess.run([maker, golden.store, golden.inputs, kind], check=True)
    for label in sorted(os.listdir(golden.inputs)):
        for path in sorted(os.listdir(os.path.join(golden.inputs, label))):
            with open(os.path.join(golden.inputs, label, path), "rb") as file:
                golden.sums.append((label, path, hashlib.sha256(file.read()).hexdigest()))


STORES = {
    "v1_0_onnx_types": every_type,
    "v1_0_safetensors_types": safetensors_types,
    "v1_0_integer_bf16": integer_bf16,
    "v1_0_integer_f32": integer_f32,
    "v1_0_decay": decay,
    "v1_0_lowrank": low_rank,
    "v1_0_views": views,
    "v1_0_casts": casts,
    "v1_0_shared_tables": shared_tables,
    "v1_0_chain": chain,
    "v1_0_blocks": blocks,
    "v1_0_onnx_folder": external,
    "v1_1_lossy": lossy,
    "v1_1_lossy_blocks": lossy_blocks,
    "v1_2_wide": wide,
    "v1_2_wide_halves": wide_halves,
    "v1_1_lossy_index_rans": lossy_index_rans,
    "v1_3_lossy_short": lossy_short,
    "v2_0_views": views,
    "v2_0_chain": chain,
    "v2_1_zstdview": zstd_view,
    "v2_2_pieces": pieces,
    "v2_2_packs": packs,
    "v2_3_moments": moments,
    "v2_4_lossy_rows": rows,
    "v2_5_half_moments": half_moments,
    "v3_0_steps": steps,
    "v3_0_drift": drift,
    "v2_6_sized": sized,
    "v3_1_rows": row_steps,
    "v4_0_rounded": rounded,
}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    strata, folder = os.path.abspath(sys.argv[1]), (sys.argv[2:] or [HERE])[0]
    # Settings of whoever runs this must not show.
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(XDG_CONFIG_HOME=home, XDG_DATA_HOME=home, HOME=home)
        listing = ""
        for name, make in STORES.items():
            if not os.path.isdir(os.path.join(folder, name)):
                golden = Golden(strata, folder, name)
                make(golden)
                golden.finish()
            listing += listing_of(folder, name)
    with open(os.path.join(folder, "contents.txt"), "w", encoding="utf-8") as file:
        file.write(listing)
    missing = [feature for feature in FEATURES if feature not in listing]
    if missing:
        sys.exit(f"no store has: {missing}")


if __name__ == "__main__":
    main()
