#include "onnx_io/zip/npy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "onnx_io/tensor_span.h"

namespace strata {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeaderBytes = 65536;

constexpr std::array<std::pair<std::string_view, ElementType>, 14> kTypes{{
    {"<f4", ElementType::F32},
    {"<f8", ElementType::F64},
    {"<f2", ElementType::F16},
    {"|i1", ElementType::I8},
    {"|u1", ElementType::U8},
    {"<i2", ElementType::I16},
    {"<u2", ElementType::U16},
    {"<i4", ElementType::I32},
    {"<u4", ElementType::U32},
    {"<i8", ElementType::I64},
    {"<u8", ElementType::U64},
    {"|b1", ElementType::Bool},
    {"<c8", ElementType::C64},
    {"<c16", ElementType::C128},
}};

/// Reads the literal {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  /// False where the text is another.
  bool parse(NpyHeader& out);

 private:
  void skipSpace() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) {
      text_.remove_prefix(1);
    }
  }
  bool take(std::string_view token) {
    skipSpace();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  bool takeText(std::string_view& out);
  bool takeShape(std::vector<std::uint64_t>& out);
  bool takeValue(std::string_view key, NpyHeader& out);

  std::string_view text_;
  bool isFortran_ = false;
  int seen_ = 0;  ///< keys
};

bool HeaderParser::takeText(std::string_view& out) {
  if (!take("'")) return false;
  const std::size_t end = text_.find('\'');
  if (end == std::string_view::npos) return false;
  out = text_.substr(0, end);
  text_.remove_prefix(end + 1);
  return true;
}

bool HeaderParser::takeShape(std::vector<std::uint64_t>& out) {
  if (!take("(")) return false;
  while (!take(")")) {
    skipSpace();
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (problem != std::errc() || out.size() == kMaxRank) return false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    out.push_back(number);
    take("L");  // as Python 2 wrote it
    if (!take(",") && !text_.starts_with(')')) return false;
  }
  return true;
}

bool HeaderParser::takeValue(std::string_view key, NpyHeader& out) {
  ++seen_;
  if (key == "fortran_order") {
    isFortran_ = take("True");
    return isFortran_ || take("False");
  }
  if (key == "shape") return takeShape(out.shape);
  std::string_view word;
  if (key != "descr" || !takeText(word)) return false;
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(),
                                         [&](const auto& row) { return row.first == word; });
  if (found != kTypes.end()) out.type = found->second;
  return true;
}

bool HeaderParser::parse(NpyHeader& out) {
  if (!take("{")) return false;
  while (!take("}")) {
    std::string_view key;
    if (!takeText(key) || !take(":") || !takeValue(key, out)) return false;
    take(",");
  }
  if (isFortran_) std::reverse(out.shape.begin(), out.shape.end());
  out.isTurned = isFortran_;
  return seen_ == 3;
}

}  // namespace

std::optional<NpyHeader> readNpyHeader(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              std::min(file.size(), kMaxHeaderBytes));
  if (!text.starts_with(kMagic) || text.size() < 12) return std::nullopt;
  const auto byteAt = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<std::uint8_t>(text[at]));
  };
  const std::size_t version = byteAt(6);
  if (version < 1 || version > 3) return std::nullopt;
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = byteAt(8) | byteAt(9) << 8;
  if (version > 1) length |= byteAt(10) << 16 | byteAt(11) << 24;
  if (length > text.size() - start) return std::nullopt;
  NpyHeader out;
  if (!HeaderParser(text.substr(start, length)).parse(out)) return std::nullopt;
  out.byteCount = start + length;
  return out;
}

}  // namespace strata
