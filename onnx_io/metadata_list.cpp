#include "onnx_io/metadata_list.h"

#include "onnx_io/utf8.h"

namespace strata {
namespace {

constexpr std::size_t kMaxValueBytes = 64 * 1024;
constexpr std::size_t kMaxBytes = 1024 * 1024;
constexpr std::size_t kMaxPairs = 1000;

}  // namespace

void MetadataList::add(std::string_view key, std::string_view value) {
  if (pairs_.size() == kMaxPairs) return;
  std::pair<std::string, std::string> pair{toUtf8(key, kMaxNameBytes),
                                           toUtf8(value, kMaxValueBytes)};
  const std::size_t byteCount = pair.first.size() + pair.second.size();
  if (byteCount > kMaxBytes - byteCount_) return;
  byteCount_ += byteCount;
  pairs_.push_back(std::move(pair));
}

}  // namespace strata
