"""Manifest objects (§3)."""

import hashlib
import struct

from encoding import Cursor
from layout import CODECS, DIFFERENCES, NEED_VIEW, SAME, Layout
from outcome import FormatError, corrupt, require
from xxh3 import MASK64, u32, u64
from zstd import unzstd

SECTION = {1: ("pack", int), 2: ("offset", int), 3: ("byte_count", int)}
VIEW = {1: ("own", int), 2: ("file", int), 3: ("offset", int), 4: ("stride", int),
        5: ("transposed", int), 6: ("type", int)}
PART = {1: ("row_count", int), 2: ("first_column", int), 3: ("column_count", int),
        4: ("view", VIEW), 5: ("codec", int), 6: ("section", SECTION),
        7: ("further_views", [VIEW])}
SEVERAL = 3  # the version in which parts may have several sources
FILE = {1: ("path", str), 2: ("byte_count", int), 3: ("sha256", bytes), 4: ("kind", int),
        5: ("skeleton", SECTION), 6: ("skeleton_bytes", int), 7: ("skeleton_checksum", int),
        8: ("skeleton_parent", int), 9: ("skeleton_codec", int), 10: ("piece_checksums", bytes),
        11: ("mode", int)}
TENSOR = {1: ("name", str), 2: ("type", int), 3: ("shape", [int]), 4: ("file", int),
          5: ("offset", int), 6: ("kind", int), 7: ("checksum", "fixed64"), 8: ("parts", [PART]),
          9: ("parent_name", str), 10: ("changed", "float"), 11: ("relative_change", "float")}
ENTRY = {1: ("key", str), 2: ("value", str)}
MANIFEST = {1: ("format_version", int), 2: ("content_digest", bytes), 3: ("parent_digest", bytes),
            4: ("depth", int), 5: ("format", str), 6: ("effort", str), 7: ("profile", str),
            8: ("lossy", int), 9: ("packs", [bytes]), 10: ("files", [FILE]),
            11: ("tensors", [TENSOR]), 12: ("tables", [SECTION]), 13: ("metadata", [ENTRY]),
            18: ("relative_change", "float"), 19: ("change_left_out", int)}
PIECE = 4 << 20
EMPTY = {int: 0, str: "", bytes: b"", "fixed64": 0, "float": 0.0}
WIRE = {int: 0, "fixed64": 1, "float": 5}


class Message:
    """A protobuf message by its schema: fields are attributes, absent messages None."""

    def __init__(self, schema, data):
        for name, kind in schema.values():
            default = [] if isinstance(kind, list) else \
                None if isinstance(kind, dict) else EMPTY[kind]
            setattr(self, name, default)
        cursor = Cursor(data)
        while cursor.left():
            self._field(schema, cursor)

    def _field(self, schema, cursor):
        key = cursor.varint()
        number, wire = key >> 3, key & 7
        value = self._value(cursor, wire)
        if number not in schema:
            return
        name, kind = schema[number]
        if isinstance(kind, list):
            if kind[0] is int and wire == 2:
                packed = Cursor(value)
                while packed.left():
                    getattr(self, name).append(packed.varint())
            else:
                getattr(self, name).append(self._typed(name, kind[0], wire, value))
        else:
            setattr(self, name, self._typed(name, kind, wire, value))

    @staticmethod
    def _value(cursor, wire):
        if wire == 0:
            return cursor.varint()
        require(wire in (1, 2, 5), "wire type of a protobuf field is damaged")
        return cursor.take({1: 8, 5: 4}.get(wire) or cursor.varint())

    @staticmethod
    def _typed(name, kind, wire, value):
        expected = 2 if isinstance(kind, dict) else WIRE.get(kind, 2)
        require(wire == expected, f"field {name} has wire type {wire}, expected {expected}")
        if isinstance(kind, dict):
            return Message(kind, value)
        if kind is str:
            try:
                return value.decode("utf-8")
            except UnicodeDecodeError as error:
                raise corrupt(f"field {name} is no UTF-8") from error
        if kind == "fixed64":
            return u64(value, 0)
        return struct.unpack("<f", value)[0] if kind == "float" else value


def check_header(data, magic, what, newest=1):
    require(data[:8] == magic and len(data) >= 16, f"{what} does not begin as one")
    version = u32(data, 8)
    if version > newest:
        raise FormatError("FormatTooNew", f"{what} has format {version}, this reads {newest}")
    require(version >= 1 and u32(data, 12) == 0, f"header of {what} is damaged")
    return version


def read_manifest(data):
    version = check_header(data, b"STRATAMF", "manifest", newest=SEVERAL)
    size = u64(data, 16)
    require(len(data) >= 24 and size <= 512 << 20, "header of manifest is damaged")
    manifest = Message(MANIFEST, unzstd(data[24:], size))
    require(manifest.format_version == version, "format version is not its header's")
    for tensor in manifest.tensors:
        tensor.layout = Layout(tensor)
    if version > 1:
        turn_places_back(manifest)
    check_manifest(manifest)
    return manifest


def turn_places_back(manifest):
    """§3.8: differences to what is expected become offsets."""
    ends = [16] * len(manifest.packs)

    def turn(section):
        require(section.pack < len(ends), "section of a pack that is not there")
        section.offset = section.offset + ends[section.pack] & MASK64
        ends[section.pack] = section.offset + section.byte_count & MASK64

    for file in manifest.files:
        if file.skeleton is not None:
            turn(file.skeleton)
    file, end, drifts = 0, 0, [0] * 4
    for tensor in manifest.tensors:
        expected = end if tensor.file == file else 0
        tensor.offset = tensor.offset + expected & MASK64
        file, end = tensor.file, tensor.offset + tensor.layout.byte_count & MASK64
        for part in tensor.parts:
            first = part.first_row * tensor.layout.columns + part.first_column
            place = tensor.offset + first * tensor.layout.type.word
            require(len(part.further_views) < len(drifts), "too many views of a part")
            for i, view in enumerate([part.view, *part.further_views]):
                if view is not None:
                    view.offset = view.offset + place + drifts[i] & MASK64
                    drifts[i] = view.offset - place & MASK64
            if part.section is not None:
                turn(part.section)
    for tables in manifest.tables:
        turn(tables)


def content_digest(files):
    whole = hashlib.sha256()
    for file in files:
        whole.update(file.path.encode() + b"\0" + struct.pack("<Q", file.byte_count) + file.sha256)
    return whole.digest()


def check_manifest(manifest):
    files = manifest.files
    for file in files:
        parts = file.path.split("/")
        require(1 <= len(file.path.encode()) <= 4096 and "\0" not in file.path and
                not {"", ".", ".."} & set(parts), f"path {file.path!r} leaves the model")
        require(len(file.sha256) == 32 and file.skeleton_codec <= 2, f"{file.path}: is damaged")
        require(len(file.piece_checksums) in (0, 16 * -(-file.byte_count // PIECE)),
                f"{file.path}: checksums of pieces are cut")
        require(file.mode <= 0o777, f"{file.path}: mode is beyond permission bits")
        if file.skeleton_bytes > 256 << 20:
            raise FormatError("LimitExceeded", f"{file.path}: skeleton is too large")
    paths = [file.path.encode() for file in files]
    require(all(a < b for a, b in zip(paths, paths[1:])), "files are not in order")
    require(manifest.content_digest == content_digest(files), "content digest does not match")
    require(len(manifest.parent_digest) == (32 if manifest.depth else 0) and manifest.depth <= 64,
            "parent or depth is damaged")
    require(all(len(pack) == 32 for pack in manifest.packs), "pack digest is cut")
    require(len(manifest.tables) <= 16, "too many shared tables")
    rest = [file.byte_count for file in files]
    last = (0, 0)
    for tensor in manifest.tensors:
        end = tensor.offset + tensor.layout.byte_count
        require(tensor.file < len(files) and (tensor.file, tensor.offset) >= last and
                end <= files[tensor.file].byte_count, f"tensor {tensor.name} is out of place")
        last = (tensor.file, end)
        rest[tensor.file] -= tensor.layout.byte_count
        for part in tensor.parts:
            check_part(manifest.format_version, tensor, part)
    for file, count in zip(files, rest):
        require(file.skeleton_bytes == count, f"{file.path}: skeleton does not fill the gaps")
    require(manifest.format_version < SEVERAL or
            any(part.further_views for tensor in manifest.tensors for part in tensor.parts),
            "no part has several sources")


def check_part(version, tensor, part):
    if part.codec >= len(CODECS):
        raise FormatError("Unsupported", f"tensor {tensor.name}: codec {part.codec}")
    require((part.codec == SAME) == (part.section is None), f"tensor {tensor.name}: section is odd")
    require(part.view is not None or part.codec not in NEED_VIEW, f"tensor {tensor.name}: no view")
    plain = part.codec == SAME and not part.view.stride and not part.view.transposed
    if part.further_views:
        require(version >= SEVERAL and part.view is not None and part.codec in DIFFERENCES and
                part.rows * part.columns <= 1 << 22, f"tensor {tensor.name}: further views are odd")
    require(plain or part.rows * part.columns <= 1 << 24, f"tensor {tensor.name}: part too large")
