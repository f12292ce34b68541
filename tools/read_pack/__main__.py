#!/usr/bin/env python3
"""A second reader of Strata stores, written from docs/FORMAT.md alone; § are its sections.

    python3 tools/read_pack STORE REF --list                 files, tensors, how parts are coded
    python3 tools/read_pack STORE REF --tensor NAME -o FILE  the bytes of one tensor
    python3 tools/read_pack STORE REF --restore DIR          all files, checked by SHA-256

REF is NAME, NAME:vN, NAME:TAG, NAME~K, @HEX or a content digest. Slow and plain on purpose: it is
there to check the format and to read a store when nothing else can. It needs Python 3.8 and either
the package `zstandard` or the program `zstd` (1.5 or later).
"""

import argparse
import hashlib
import os
import sys

from layout import CODECS, SAME, TYPES
from outcome import FormatError, require
from store import Store


def describe_view(view):
    words = ["own" if view.own else "parent"]
    words += ["transposed"] if view.transposed else []
    words += [f"stride {view.stride}"] if view.stride else []
    words += [f"from {TYPES[view.type].name}"] if view.type else []
    return " ".join(words)


def list_version(version):
    manifest = version.manifest
    print(f"content {manifest.content_digest.hex()}")
    print(f"parent {manifest.parent_digest.hex() or 'none'}, depth {manifest.depth}")
    print(f"{manifest.format}, effort {manifest.effort}, {len(manifest.packs)} packs, "
          f"{len(manifest.tables)} shared tables" + (", lossy" if manifest.lossy else ""))
    for file in manifest.files:
        coded = ("raw", "zstd", "same")[file.skeleton_codec]
        coded += " with dictionary" if file.skeleton_parent and file.skeleton_codec == 1 else ""
        pieces = len(file.piece_checksums) // 16
        coded += f", {pieces} pieces" if pieces else ""
        coded += f", mode {file.mode:o}" if file.mode else ""
        print(f"file {file.path}: {file.byte_count} bytes, skeleton {file.skeleton_bytes} {coded}")
    for tensor in manifest.tensors:
        shape = "x".join(map(str, tensor.shape))
        print(f"tensor {tensor.name}: {tensor.layout.type.name} [{shape}]")
        for part in tensor.parts:
            words = [f"{part.rows}x{part.columns}", CODECS[part.codec]]
            words += [describe_view(view) for view in [part.view, *part.further_views] if view]
            if part.codec != SAME:
                payload = version.payload(tensor, part)
                words += payload.describe()
                words.append(f"{len(payload.blocks.list)} blocks of 2^"
                             f"{payload.blocks.words.bit_length() - 1}")
                words.append(f"{part.section.byte_count} bytes")
            print("  " + ", ".join(words))


def write_tensor(version, name, path):
    for tensor in version.manifest.tensors:
        if tensor.name == name:
            data = version.file(tensor.file)[tensor.offset:][:tensor.layout.byte_count]
            with open(path, "wb") as file:
                file.write(data)
            return
    raise FormatError("NotFound", f"no tensor {name}")


def restore(version, folder):
    for number, info in enumerate(version.manifest.files):
        data = version.file(number)
        require(hashlib.sha256(data).digest() == info.sha256, f"{info.path} has another SHA-256")
        path = os.path.join(folder, info.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def main():
    parser = argparse.ArgumentParser(prog="read_pack", description=__doc__.split("\n")[0])
    parser.add_argument("store")
    parser.add_argument("reference")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--list", action="store_true")
    what.add_argument("--tensor", metavar="NAME")
    what.add_argument("--restore", metavar="DIR")
    parser.add_argument("-o", metavar="FILE", help="where to write the tensor")
    options = parser.parse_args()
    if options.tensor and not options.o:
        parser.error("--tensor needs -o FILE")
    try:
        store = Store(options.store)
        version = store.open(store.resolve(options.reference)["content"])
        if options.list:
            list_version(version)
        elif options.tensor:
            write_tensor(version, options.tensor, options.o)
        else:
            restore(version, options.restore)
    except (FormatError, OSError) as error:
        sys.exit(f"read_pack: {error}")


if __name__ == "__main__":
    main()
