#!/usr/bin/env python3
"""second_reader.py CONFORMANCE

Lets the conformance program write samples of every lossy codec, decodes them with the reader of
tools/read_pack, and compares.
"""

import os
import struct
import subprocess
import sys
import tempfile
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "read_pack"))

from encoding import words_of  # pylint: disable=wrong-import-position
from layout import TYPES  # pylint: disable=wrong-import-position
from outcome import FormatError  # pylint: disable=wrong-import-position
from payload import open_payload  # pylint: disable=wrong-import-position


def sections(data):
    """Runs of bytes, each behind its u64 size."""
    at = 0
    while at < len(data):
        size, = struct.unpack_from("<Q", data, at)
        yield data[at + 8:at + 8 + size]
        at += 8 + size


def problem(path):
    with open(path, "rb") as file:
        head, parent, payload, restored = sections(file.read())
    codec, kind, rows, columns = struct.unpack("<4Q", head)
    layout = types.SimpleNamespace(type=TYPES[kind])
    part = types.SimpleNamespace(codec=codec, rows=rows, columns=columns, view=object())
    try:
        reader = open_payload(layout, part, payload, [])
        found = reader.decode(words_of(parent, layout.type.word))
    except FormatError as error:
        return str(error)
    return None if found == restored else "decodes to other words"


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], "--write-lossy", folder], check=True)
        names = sorted(os.listdir(folder))
        problems = [f"{n}: {p}" for n in names if (p := problem(os.path.join(folder, n)))]
    for text in problems:
        print(text)
    print(f"{len(names) - len(problems)} of {len(names)} samples decode the same")
    sys.exit(1 if problems or not names else 0)


main()
