"""Element types, word matrices and the tiling of tensors (§6)."""

from outcome import require
from xxh3 import MASK64

RAW, ZSTD, PLANES, SAME, INTEGER, XOR, LEVELS, EXPONENT, SIGN, BOUNDED, INDEX, \
    PATTERNS, ZSTD_VIEW, MOMENTS, ROWS, HUFFMAN, SIZED = range(17)
CODECS = ["raw", "zstd", "planes", "same", "integer", "xor", "levels", "exponent", "sign",
          "bounded", "index", "patterns", "zstdview", "moments", "rows",
          "huffman", "sized"]
DIFFERENCES = (INTEGER, XOR)
NEED_VIEW = (SAME, INTEGER, XOR, EXPONENT, SIGN, BOUNDED, INDEX, ZSTD_VIEW, ROWS, HUFFMAN)


class ElementType:
    def __init__(self, name, bits, word, mantissa=None, signed=False):
        self.name, self.bits, self.word, self.signed = name, bits, word, signed
        self.is_float, self.mantissa = mantissa is not None, mantissa or 0


TYPES = [ElementType(*line) for line in (
    ("bytes", 8, 1), ("f32", 32, 4, 23), ("f64", 64, 8, 52), ("f16", 16, 2, 10),
    ("bf16", 16, 2, 7), ("i8", 8, 1, None, True), ("u8", 8, 1), ("i16", 16, 2, None, True),
    ("u16", 16, 2), ("i32", 32, 4, None, True), ("u32", 32, 4), ("i64", 64, 8, None, True),
    ("u64", 64, 8), ("bool", 8, 1), ("c64", 64, 4, 23), ("c128", 128, 8, 52),
    ("f8e4m3fn", 8, 1, 3), ("f8e4m3fnuz", 8, 1, 3), ("f8e5m2", 8, 1, 2), ("f8e5m2fnuz", 8, 1, 2),
    ("f8e8m0", 8, 1), ("i4", 4, 1), ("u4", 4, 1), ("f4e2m1", 4, 1), ("i2", 2, 1), ("u2", 2, 1),
    ("f6e2m3", 6, 1), ("f6e3m2", 6, 1), ("f8e4m3", 8, 1, 3))]


class Layout:
    """The word matrix of a tensor (§6.2); checks that its parts tile it (§6.3)."""

    def __init__(self, tensor):
        require(tensor.type < len(TYPES), f"tensor {tensor.name}: type {tensor.type}")
        self.type = TYPES[tensor.type]
        elements = 1
        for dimension in tensor.shape:
            elements *= dimension
        self.byte_count = (elements * self.type.bits + 7) // 8
        require(0 < self.byte_count <= MASK64, f"tensor {tensor.name}: shape is damaged")
        words = self.byte_count // self.type.word
        self.rows, self.columns = 1, words
        if len(tensor.shape) >= 2 and words % tensor.shape[0] == 0:
            if self.type.bits >= 8 or elements // tensor.shape[0] * self.type.bits % 8 == 0:
                self.rows, self.columns = tensor.shape[0], words // tensor.shape[0]
        self._tile(tensor)

    def _tile(self, tensor):
        row = column = band = 0
        for part in tensor.parts:
            require(row < self.rows, f"tensor {tensor.name}: too many parts")
            part.first_row = row
            part.rows = part.row_count or self.rows - row
            part.columns = part.column_count or self.columns - column
            require(part.rows <= self.rows - row and part.columns <= self.columns - column and
                    part.first_column == column and (column == 0 or part.rows == band),
                    f"tensor {tensor.name}: parts overlap or leave a gap")
            band = part.rows
            column += part.columns
            if column == self.columns:
                row, column = row + band, 0
        require(row == self.rows and column == 0, f"tensor {tensor.name}: parts do not cover it")
