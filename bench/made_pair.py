"""A base and a variant of made bytes, and what import, add and restore of them take.

For benches of working memory (run_memory.py, run_tensors.py): the words look like weights, and the
variant's differ in their low bits.
"""
import argparse
import filecmp
import pathlib
import random
import shutil
import struct

from measure import run

HERE = pathlib.Path(__file__).resolve().parent
CHUNK = 64 << 20


def words(rng):
    """A chunk of float32 whose exponents look like those of weights."""
    sample = struct.pack("<65536f", *(rng.gauss(0, 0.03) for _ in range(65536)))
    return int.from_bytes(sample * (CHUNK // len(sample)), "little")


def low_bits(rng, mask):
    """Random bits in a chunk of words, but only where the 32-bit `mask` allows."""
    return int.from_bytes(rng.randbytes(CHUNK), "little") & int.from_bytes(
        struct.pack("<I", mask) * (CHUNK // 4), "little")


def write_pair(base, variant, header, byte_count):
    """Two safetensors files of one header, chunk by chunk."""
    header += b" " * (-len(header) % 8)
    rng = random.Random(1)
    common = words(rng)
    with open(base, "wb") as b, open(variant, "wb") as v:
        for f in (b, v):
            f.write(struct.pack("<Q", len(header)) + header)
        while byte_count:
            take = min(CHUNK, byte_count)
            own = common ^ low_bits(rng, 0x007FFFFF)
            b.write(own.to_bytes(CHUNK, "little")[:take])
            v.write((own ^ low_bits(rng, 0x00000FFF)).to_bytes(CHUNK, "little")[:take])
            byte_count -= take


def arguments():
    """The parser of what such a bench takes: DIR, --strata, --limit-mb, --jobs."""
    a = argparse.ArgumentParser()
    a.add_argument("folder", type=pathlib.Path)
    a.add_argument("--strata", type=pathlib.Path, default=HERE.parent / "build/release/cli/strata")
    a.add_argument("--limit-mb", type=float, default=512)
    a.add_argument("--jobs", type=int)
    return a


class MadePair:
    """The files of a bench in its folder DIR: base, variant, store, and what is restored."""

    def __init__(self, options):
        self.folder = options.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.base = self.folder / "base.safetensors"
        self.variant = self.folder / "variant.safetensors"
        self.store = self.folder / "store"
        self.restored = self.folder / "restored.safetensors"
        self.program = [options.strata, "-C", self.store,
                        *(["-j", options.jobs] if options.jobs else [])]

    def run(self, *options):
        """Yields the name of each command, and what it took. The store is a new one."""
        shutil.rmtree(self.store, ignore_errors=True)
        self.restored.unlink(missing_ok=True)
        program = [*self.program, *options]
        run([*program, "init"])
        for command in (["import", self.base, "--name", "base"],
                        ["add", "variant", self.variant, "--base", "base"],
                        ["restore", "variant", "-o", self.restored]):
            yield command[0], run([*program, *command])

    def is_same(self):
        """Whether the variant came back, which is printed."""
        same = filecmp.cmp(self.restored, self.variant, shallow=False)
        print(f"\nrestored {'byte for byte' if same else 'WRONGLY'}")
        return same
