#!/usr/bin/env python3
"""Working memory and time of import, add and restore of a model of very many small tensors.

    run_tensors.py DIR [--strata PROGRAM] [--tensors 1000000] [--memory 512MB] [--limit-mb 512]
                   [--limit-seconds 60] [--jobs N]

Makes a safetensors base of tensors of 16 words and a variant in DIR (0.6 GB is needed there) in
which each tensor changes a little, and prints the peak of RssAnon of each command. Exit status 1
if one is over a limit, or the variant does not come back.
"""
import shutil
import sys

from made_pair import MadePair, arguments, write_pair
from measure import machine, print_table

TENSOR_BYTES = 64
EXPERTS = 2048


def header_of(count):
    """A safetensors header, as long as one of a million tensors may be: 100 MB."""
    entries = []
    for i in range(count):
        expert, part = divmod(i, 3)
        layer, expert = divmod(expert, EXPERTS)
        entries.append('"layers.%d.experts.%d.w%d.weight":{"dtype":"F32","shape":[4,4],'
                       '"data_offsets":[%d,%d]}' % (layer, expert, part + 1, i * TENSOR_BYTES,
                                                    (i + 1) * TENSOR_BYTES))
    return ("{" + ",".join(entries) + "}").encode()


def main():
    a = arguments()
    a.add_argument("--tensors", type=int, default=1_000_000)
    a.add_argument("--memory", default="512MB")
    a.add_argument("--limit-seconds", type=float, default=60)
    o = a.parse_args()
    pair = MadePair(o)
    write_pair(pair.base, pair.variant, header_of(o.tensors), o.tensors * TENSOR_BYTES)
    rows, is_over = [], False
    for command, done in pair.run("--memory", o.memory):
        megabytes = done.peak_anonymous_bytes / 1e6
        is_over = is_over or megabytes > o.limit_mb or done.seconds > o.limit_seconds
        rows.append([command, f"{megabytes:.0f}", f"{done.seconds:.1f}"])
    print(f"{machine()}; a model of {o.tensors:,} tensors of 16 words.\n")
    print_table(["command", "peak RssAnon, MB", "seconds"], rows)
    same = pair.is_same()
    shutil.rmtree(pair.store)
    for made in (pair.restored, pair.base, pair.variant):
        made.unlink()
    return 0 if same and not is_over else 1


if __name__ == "__main__":
    sys.exit(main())
