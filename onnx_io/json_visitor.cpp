#include "onnx_io/json_visitor.h"

#include <fmt/format.h>

#include <exception>

namespace strata {
namespace {

constexpr std::size_t kMaxDepth = 32;

}  // namespace

bool JsonVisitor::refuse(std::string reason) {
  if (problem_.empty()) problem_ = std::move(reason);
  return false;
}

bool JsonVisitor::open(bool isObject) {
  if (++depth_ > kMaxDepth) return refuse(fmt::format("JSON nests deeper than {}", kMaxDepth));
  return onOpen(isObject);
}

bool JsonVisitor::close() {
  const bool goesOn = onClose();
  --depth_;
  return goesOn;
}

// The library's own text quotes the input, which may be long and anything; the place is enough.
bool JsonVisitor::parse_error(std::size_t position, const std::string&,
                              const nlohmann::json::exception&) {
  return refuse(fmt::format("JSON breaks off or is malformed at its byte {}", position));
}

Result<void> readJson(std::span<const std::byte> text, JsonVisitor& visitor) {
  const auto* begin = reinterpret_cast<const char*>(text.data());
  try {
    if (nlohmann::json::sax_parse(begin, begin + text.size(), &visitor)) return {};
  } catch (const std::exception&) {
    return fail(ErrorCode::CorruptData, "JSON cannot be read");
  }
  return fail(ErrorCode::CorruptData, visitor.problem());
}

}  // namespace strata
