"""Cuts the packs of a store into several each, as writers do with those that reach 256,000,000 bytes.

Another writer of manifests than Strata's own: it goes by docs/FORMAT.md.
"""

import hashlib
import json
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "read_pack"))

from encoding import Cursor  # pylint: disable=wrong-import-position
from manifest import MANIFEST, SECTION, read_manifest  # pylint: disable=wrong-import-position
from xxh3 import xxh3  # pylint: disable=wrong-import-position
from zstd import unzstd  # pylint: disable=wrong-import-position

PACK_HEADER = b"STRATAPK" + struct.pack("<II", 1, 0)
PACKS = 9  # the field of a manifest


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def sections(manifest):
    """In the order of §3.8."""
    found = [file.skeleton for file in manifest.files]
    found += [part.section for tensor in manifest.tensors for part in tensor.parts]
    return [one for one in found + manifest.tables if one is not None]


def cut(packs, wanted, most):
    """New packs of about `most` bytes, and where each of the sections is in them."""
    made, places = [], {}
    for pack, offset, count in sorted({(s.pack, s.offset, s.byte_count) for s in wanted}):
        if not made or len(made[-1]) >= most:
            made.append(PACK_HEADER)
        places[pack, offset, count] = len(made) - 1, len(made[-1])
        made[-1] += packs[pack][offset:offset + count]
    return made, places


class Rewriting:
    """A manifest's message with other packs and other places of its sections."""

    def __init__(self, digests, places):
        self.digests, self.places = digests, iter(places)
        self.ends = [len(PACK_HEADER)] * len(digests)

    def section(self):
        """A `Section`, its offset as a difference (§3.8)."""
        pack, offset, count = next(self.places)
        difference = offset - self.ends[pack] & (1 << 64) - 1
        self.ends[pack] = offset + count
        numbers = zip((1, 2, 3), (pack, difference, count))
        return b"".join(varint(number << 3) + varint(value) for number, value in numbers if value)

    def message(self, data, schema):
        out, cursor = b"", Cursor(data)
        while cursor.left():
            key = cursor.varint()
            number, wire = key >> 3, key & 7
            kind = schema.get(number, ("", None))[1]
            kind = kind[0] if isinstance(kind, list) else kind
            if wire == 0:
                out += varint(key) + varint(cursor.varint())
            elif wire != 2:
                out += varint(key) + cursor.take({1: 8, 5: 4}[wire])
            else:
                value = cursor.take(cursor.varint())
                if schema is MANIFEST and number == PACKS:
                    out += b"".join(field(PACKS, digest) for digest in self.digests)
                    self.digests = []
                elif kind is SECTION:
                    out += field(number, self.section())
                else:
                    inner = self.message(value, kind) if isinstance(kind, dict) else value
                    out += field(number, inner)
        return out


def frame(data):
    """A zstd frame with its content size, of one block that is not compressed."""
    assert len(data) < 128 << 10
    return (b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data)) +
            (len(data) << 3 | 1).to_bytes(3, "little") + data)


class StoreCut:
    def __init__(self, store, most):
        self.store, self.most = store, most

    def place(self, digest):
        return os.path.join(self.store, "objects", digest[:2], digest[2:])

    def read(self, digest):
        with open(self.place(digest), "rb") as file:
            return file.read()

    def put(self, data):
        digest = hashlib.sha256(data).digest()
        os.makedirs(os.path.dirname(self.place(digest.hex())), exist_ok=True)
        with open(self.place(digest.hex()), "wb") as file:
            file.write(data)
        return digest

    def version(self, path):
        """Cuts the packs of the version that a ref names, and writes the ref anew."""
        with open(path, "rb") as file:
            ref = json.loads(file.read())["ref"]
        data = self.read(ref["manifest"])
        manifest = read_manifest(data)
        wanted = sections(manifest)
        former = [digest.hex() for digest in manifest.packs]
        made, places = cut([self.read(digest) for digest in former], wanted, self.most)
        counts = [(s.pack, s.offset, s.byte_count) for s in wanted]
        rewriting = Rewriting([self.put(pack) for pack in made],
                              [(*places[one], one[2]) for one in counts])
        message = rewriting.message(unzstd(data[24:], struct.unpack_from("<Q", data, 16)[0]), MANIFEST)
        whole = data[:16] + struct.pack("<Q", len(message)) + frame(message)
        for digest in {ref["manifest"], *former}:
            os.remove(self.place(digest))
        ref["manifest"] = self.put(whole).hex()
        ref["storedBytes"] = len(whole) + sum(map(len, made))
        body = json.dumps(ref, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()
        with open(path, "wb") as file:
            file.write(b'{"checksum":"%016x","ref":%s}\n' % (xxh3(body), body))

    def run(self):
        for folder, _, names in sorted(os.walk(os.path.join(self.store, "refs"))):
            for name in sorted(names):
                if name.startswith("v"):
                    self.version(os.path.join(folder, name))
