"""Makes a pair of bf16 models, a base and its fine-tune, of 1 GiB each: DIR/base.safetensors and DIR/tuned.safetensors.

    make_pair.py DIR [MEBIBYTES]
"""
import json
import pathlib
import struct
import sys

import numpy

COLUMNS = 4096


def bf16(values):
    bits = values.view(numpy.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)


def main():
    folder, mebibytes = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1024
    rows = 4096
    count = max(1, mebibytes * (1 << 20) // (rows * COLUMNS * 2))
    size = rows * COLUMNS * 2
    header = {f"layer.{i}.weight": {"dtype": "BF16", "shape": [rows, COLUMNS], "data_offsets": [i * size, (i + 1) * size]}
              for i in range(count)}
    text = json.dumps(header).encode()
    random = numpy.random.default_rng(7)
    with open(folder / "base.safetensors", "wb") as base, open(folder / "tuned.safetensors", "wb") as tuned:
        for file in (base, tuned):
            file.write(struct.pack("<Q", len(text)) + text)
        for _ in range(count):
            weights = random.standard_normal((rows, COLUMNS), dtype=numpy.float32) * numpy.float32(0.04)
            changes = random.standard_normal((rows, COLUMNS), dtype=numpy.float32) * numpy.float32(0.0004)
            base.write(bf16(weights).tobytes())
            tuned.write(bf16(weights + changes).tobytes())


if __name__ == "__main__":
    main()
