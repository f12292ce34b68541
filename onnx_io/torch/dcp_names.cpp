#include "onnx_io/torch/dcp_names.h"

#include <fmt/format.h>

#include "onnx_io/torch/pickle_reader.h"
#include "onnx_io/utf8.h"

namespace strata {

DcpNames DcpNames::read(std::span<const std::byte> metadata) {
  DcpNames out;
  const auto tree = readPickle(metadata);
  if (!tree) return out;
  const PickleId stored = tree->attribute(tree->root(), "storage_data");
  if (!tree->is(stored, PickleKind::Map)) return out;
  const auto& items = (*tree)[stored].items;
  std::size_t namesBytes = 0;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const std::string_view path = tree->text(tree->attribute(items[i + 1], "relative_path"));
    const auto offset = tree->count(tree->attribute(items[i + 1], "offset"));
    const auto piece = tree->count(tree->attribute(items[i], "index"));
    std::string name = toUtf8(tree->text(tree->attribute(items[i], "fqn")), kMaxNameBytes);
    namesBytes += name.size() + path.size();
    const bool isUseful = offset && !name.empty() && !path.empty() && path.size() <= kMaxNameBytes;
    if (!isUseful || namesBytes > kMaxNamesBytes) continue;
    if (piece && *piece > 0) name = fmt::format("{}#{}", name, *piece + 1);
    out.names_[std::string(path)].emplace(*offset, std::move(name));
  }
  return out;
}

std::string_view DcpNames::nameAt(std::string_view file, std::uint64_t offset) const noexcept {
  const auto found = names_.find(file);
  if (found == names_.end()) return {};
  const auto name = found->second.find(offset);
  return name == found->second.end() ? std::string_view() : name->second;
}

}  // namespace strata
