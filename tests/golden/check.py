#!/usr/bin/env python3
"""Restores every version of the golden stores with the reader of tools/read_pack, compares."""

import hashlib
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "read_pack"))

from outcome import FormatError  # pylint: disable=wrong-import-position
from store import Store  # pylint: disable=wrong-import-position


def expectations(folder):
    """{label: {path: SHA-256}} of one golden store."""
    expected = {}
    with open(os.path.join(folder, "expected.sha256"), encoding="utf-8") as file:
        for line in file:
            digest, place = line.rstrip("\n").split("  ", 1)
            label, path = place.split("/", 1)
            expected.setdefault(label, {})[path] = digest
    return expected


def check(folder):
    """What is wrong with one store, as texts."""
    store, problems = Store(os.path.join(folder, "store")), []
    for label, files in expectations(folder).items():
        name, number = label.rsplit("-v", 1)
        try:
            version = store.open(store.resolve(f"{name}:v{number}")["content"])
            found = {file.path: hashlib.sha256(version.file(i)).hexdigest()
                     for i, file in enumerate(version.manifest.files)}
        except FormatError as error:
            problems.append(f"{label}: {error}")
            continue
        if found != files:
            problems.append(f"{label}: restored files differ")
    return problems


def check_references(folder):
    """The ways to name a version, in the store that has a chain and a tag."""
    store = Store(os.path.join(folder, "store"))
    newest = store.resolve("run")
    same = [("run~2", "run:v3"), ("run:kept", "run:v3"), ("@" + newest["content"][:12], "run:v5"),
            (newest["content"], "run:v5")]
    problems = [f"{a} is not {b}" for a, b in same if store.resolve(a) != store.resolve(b)]
    for missing in ("run:v6", "run~5", "gone", "other:v1", "run:none"):
        try:
            store.resolve(missing)
            problems.append(f"{missing} was found")
        except FormatError as error:
            if error.outcome != "NotFound":
                problems.append(f"{missing}: {error}")
    return problems


def check_damage(folder):
    """An object with a flipped bit is refused."""
    source = os.path.join(folder, "store")
    store = Store(source)
    manifest = store.resolve("tuned")["manifest"]
    with tempfile.TemporaryDirectory() as copy:
        os.symlink(os.path.abspath(os.path.join(source, "refs")), os.path.join(copy, "refs"))
        os.symlink(os.path.abspath(os.path.join(source, "store.toml")),
                   os.path.join(copy, "store.toml"))
        os.makedirs(os.path.join(copy, "objects", manifest[:2]))
        data = bytearray(store.object(manifest))
        data[len(data) // 2] ^= 1
        with open(os.path.join(copy, "objects", manifest[:2], manifest[2:]), "wb") as file:
            file.write(data)
        try:
            damaged = Store(copy)
            damaged.open(damaged.resolve("tuned")["content"])
        except FormatError as error:
            return [] if error.outcome == "CorruptData" else [f"damage: {error}"]
    return ["a damaged manifest was read"]


def main():
    folders = [entry.path for entry in os.scandir(sys.argv[1] if sys.argv[1:] else HERE)
               if os.path.exists(os.path.join(entry.path, "expected.sha256"))]
    failed = not folders
    for folder in sorted(folders):
        problems = check(folder)
        if folder.endswith("v1_0_chain"):
            problems += check_references(folder)
        if folder.endswith("v1_0_integer_f32"):
            problems += check_damage(folder)
        for problem in problems:
            print(f"{os.path.basename(folder)}: {problem}")
        failed |= bool(problems)
    print(f"{len(folders)} golden stores read")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
