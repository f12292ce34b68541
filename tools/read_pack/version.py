"""A version and its parents (§5, §7, §21)."""

from encoding import Cursor, bytes_of, words_of
from entropy import TableSet
from floats import cast
from layout import SAME, TYPES
from manifest import PIECE, SEVERAL, check_header
from outcome import corrupt, require
from payload import Difference, open_payload
from xxh3 import xxh128, xxh3
from zstd import unzstd


class Version:
    """One stored version and, behind it, its parents. Files are decoded whole and kept."""

    def __init__(self, store, manifest, parent):
        self.manifest, self.parent = manifest, parent
        self.packs = [store.object(digest.hex()) for digest in manifest.packs]
        for pack in self.packs:
            check_header(pack, b"STRATAPK", "pack")
        self.tables = []
        for section in manifest.tables:
            cursor = Cursor(self.section(section))
            alphabet = cursor.u8()
            require(alphabet in (64, 128), "alphabet of shared tables")
            self.tables.append(TableSet(cursor, alphabet))
        self.own_views = [t for t in manifest.tensors
                          if any(p.view and p.view.own for p in t.parts)]
        self.skeletons, self.files, self.tensors = {}, {}, {}

    def section(self, section):
        require(section.pack < len(self.packs) and section.offset >= 16 and
                section.offset + section.byte_count <= len(self.packs[section.pack]),
                "section lies outside of its pack")
        return self.packs[section.pack][section.offset:section.offset + section.byte_count]

    def skeleton(self, number):
        """§5."""
        if number not in self.skeletons:
            file = self.manifest.files[number]
            before = b""
            if file.skeleton_parent:
                known = len(self.parent.manifest.files) if self.parent else 0
                require(file.skeleton_parent <= known, f"{file.path}: no parent of its skeleton")
                before = self.parent.skeleton(file.skeleton_parent - 1)
            data = self.section(file.skeleton) if file.skeleton else b""
            if file.skeleton_codec == 1:
                data = unzstd(data, file.skeleton_bytes, before)
            elif file.skeleton_codec == 2:
                data = before
            require(len(data) == file.skeleton_bytes and xxh3(data) == file.skeleton_checksum,
                    f"{file.path}: skeleton does not match its checksum")
            self.skeletons[number] = data
        return self.skeletons[number]

    def file(self, number):
        """The bytes of a file; parts of it are there while it is being decoded (§7.1)."""
        if number not in self.files:
            info = self.manifest.files[number]
            out = self.files[number] = bytearray()
            skeleton = self.skeleton(number) if info.skeleton_bytes else b""
            at = 0
            for tensor in self.manifest.tensors:
                if tensor.file == number:
                    gap = tensor.offset - len(out)
                    out += skeleton[at:at + gap]
                    at += gap
                    out += self.tensor(tensor) if self.is_plain() else self.tensor_once(tensor)
            out += skeleton[at:]
            self._check_pieces(info, out)
        return self.files[number]

    @staticmethod
    def _check_pieces(info, data):
        """§5.1."""
        for i in range(len(info.piece_checksums) // 16):
            piece = data[i * PIECE:(i + 1) * PIECE]
            require(xxh128(piece) == info.piece_checksums[16 * i:16 * i + 16],
                    f"{info.path}: piece {i} has another checksum")

    def is_plain(self):
        """Whether no part has several sources, so that own views go back in the files."""
        return self.manifest.format_version < SEVERAL

    def tensor_once(self, tensor, way=0):
        """The bytes of a tensor that others may stand on (§7.1)."""
        number = self.manifest.tensors.index(tensor)
        require(way <= 4, f"tensor {tensor.name} stands on itself or on too many others")
        if number not in self.tensors:
            self.tensors[number] = self.tensor(tensor, way)
        return self.tensors[number]

    def own_words(self, view, end, way):
        """The bytes that an own view shows."""
        for tensor in self.manifest.tensors:
            stop = tensor.offset + tensor.layout.byte_count
            if tensor.file == view.file and tensor.offset <= view.offset and end <= stop:
                return self.tensor_once(tensor, way)[view.offset - tensor.offset:][
                    :end - view.offset]
        raise corrupt("own view lies in no tensor")

    def tensor(self, tensor, way=0):
        layout = tensor.layout
        width = layout.columns * layout.type.word
        out = bytearray(layout.byte_count)
        for part in tensor.parts:
            data = self.part(tensor, part, way)
            left, run = part.first_column * layout.type.word, part.columns * layout.type.word
            for r in range(part.rows):
                start = (part.first_row + r) * width + left
                out[start:start + run] = data[r * run:(r + 1) * run]
        require(xxh3(out) == tensor.checksum, f"tensor {tensor.name} has another checksum")
        return out

    def part(self, tensor, part, way=0):
        parent = self.view(tensor, part, part.view, way) if part.view else None
        if part.codec == SAME:
            return bytes_of(parent, tensor.layout.type.word)
        payload = self.payload(tensor, part)
        if not isinstance(payload, Difference):
            return payload.decode(parent)
        further = [self.view(tensor, part, view, way) for view in part.further_views]
        return payload.decode(parent, further)

    def payload(self, tensor, part):
        return open_payload(tensor.layout, part, self.section(part.section), self.tables)

    def view(self, tensor, part, view, way):
        """§7: the words of one source of a part, row by row."""
        own = tensor.layout.type
        require(view.type < len(TYPES), "type of a view")
        there = TYPES[view.type] if view.type else own
        floats = ("f32", "f16", "bf16")
        require(there is own or (there.name in floats and own.name in floats), "cast of a view")
        rows, columns = part.rows, part.columns
        if view.transposed:
            rows, columns = columns, rows
        stride = view.stride or columns
        end = view.offset + ((rows - 1) * stride + columns) * there.word
        source = self if view.own else self.parent
        require(source is not None and view.file < len(source.manifest.files) and
                end <= source.manifest.files[view.file].byte_count, "view leaves the parent")
        if view.own and not self.is_plain():
            data = self.own_words(view, end, way + 1)
        else:
            if view.own:
                self._check_own(tensor, view, end)
            data = source.file(view.file)[view.offset:end]
        words = words_of(bytes(data), there.word)
        grid = [words[i * stride:i * stride + columns] for i in range(rows)]
        if view.transposed:
            grid = zip(*grid)
        flat = [word for row in grid for word in row]
        return flat if there is own else [cast(w, there.name, own.name) for w in flat]

    def _check_own(self, tensor, view, end):
        """§7.1."""
        require((view.file, end) <= (tensor.file, tensor.offset) or view.file < tensor.file,
                "own view is not earlier")
        for other in self.own_views:
            require(other.file != view.file or other.offset >= end or
                    other.offset + other.layout.byte_count <= view.offset,
                    "own view of an own view")
