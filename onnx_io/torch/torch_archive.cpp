#include "onnx_io/torch/torch_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "onnx_io/tensor_span.h"
#include "onnx_io/torch/pickle_reader.h"
#include "onnx_io/torch/torch_spans.h"
#include "onnx_io/utf8.h"

namespace strata {
namespace {

constexpr std::string_view kPickleMember = "/data.pkl";

std::string_view textOf(std::span<const std::byte> file, ByteRange range) noexcept {
  return {reinterpret_cast<const char*>(file.data() + range.offset),
          static_cast<std::size_t>(range.byteCount)};
}

const ZipEntry* pickleOf(const ZipList& list) noexcept {
  const auto found = std::find_if(list.entries.begin(), list.entries.end(), [](const auto& entry) {
    return entry.name.ends_with(kPickleMember);
  });
  return found == list.entries.end() ? nullptr : &*found;
}

/// What stands before "/data.pkl": the folder in which all members of an archive lie.
std::string_view folderOf(const ZipEntry& pickle) noexcept {
  return std::string_view(pickle.name).substr(0, pickle.name.size() - kPickleMember.size());
}

/// What a member is called in a folder; empty for one that lies elsewhere.
std::string_view inside(std::string_view name, std::string_view folder,
                        std::string_view sub) noexcept {
  if (!name.starts_with(folder)) return {};
  name.remove_prefix(folder.size());
  if (!name.starts_with(sub)) return {};
  return name.substr(sub.size());
}

template <typename T>
double valueOf(std::string_view bytes) noexcept {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return static_cast<double>(value);
}

/// The value of one element of a type that has one as a double; `bytes` are as long as the element.
std::optional<double> valueOfElement(ElementType type, std::string_view bytes) noexcept {
  switch (type) {
    case ElementType::F32:
      return valueOf<float>(bytes);
    case ElementType::F64:
      return valueOf<double>(bytes);
    case ElementType::I32:
      return valueOf<std::int32_t>(bytes);
    case ElementType::I64:
      return valueOf<std::int64_t>(bytes);
    case ElementType::U8:
    case ElementType::Bool:
      return valueOf<std::uint8_t>(bytes);
    case ElementType::BF16: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, bytes.data(), sizeof(bits));
      return std::bit_cast<float>(std::uint32_t{bits} << 16);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

bool TorchArchive::isOne(const ZipList& list) noexcept { return pickleOf(list) != nullptr; }

std::vector<TorchArchive::Storage> TorchArchive::storagesOf(const ZipList& list) {
  std::vector<Storage> out;
  const ZipEntry* const pickle = pickleOf(list);
  if (pickle == nullptr) return out;
  for (const ZipEntry& entry : list.entries) {
    const std::string_view key = inside(entry.name, folderOf(*pickle), "/data/");
    if (!key.empty() && entry.isPlain) out.push_back({std::string(key), entry.data});
  }
  std::sort(out.begin(), out.end(),
            [](const Storage& a, const Storage& b) { return a.key < b.key; });
  return out;
}

Result<TorchArchive> TorchArchive::open(std::span<const std::byte> file, const ZipList& list) {
  const ZipEntry* const pickle = pickleOf(list);
  if (pickle == nullptr) return fail(ErrorCode::Unsupported, "has no data.pkl");
  if (!pickle->isPlain) return fail(ErrorCode::Unsupported, "data.pkl is compressed");
  TorchArchive out;
  out.file_ = file;
  const auto bytes = file.subspan(pickle->data.offset, pickle->data.byteCount);
  if (bytes.size() <= kMaxPickleBytes) out.pickle_.assign(bytes.begin(), bytes.end());
  auto tree =
      readPickle(bytes.size() <= kMaxPickleBytes ? std::span<const std::byte>(out.pickle_) : bytes);
  if (!tree) return fail(tree.error().within("data.pkl"));
  out.tree_ = std::move(*tree);
  out.storages_ = storagesOf(list);
  for (const ZipEntry& entry : list.entries) {
    const std::string_view key = inside(entry.name, folderOf(*pickle), "/data/");
    if (!key.empty() && !entry.isPlain) out.packed_.emplace_back(key);
    const bool isOrder = inside(entry.name, folderOf(*pickle), "/") == "byteorder";
    if (isOrder && entry.isPlain) out.isSwapped_ = textOf(file, entry.data) == "big";
  }
  std::sort(out.packed_.begin(), out.packed_.end());
  return out;
}

const ByteRange* TorchArchive::storage(std::string_view key) const noexcept {
  const auto found = std::lower_bound(
      storages_.begin(), storages_.end(), key,
      [](const Storage& one, std::string_view wanted) { return one.key < wanted; });
  return found == storages_.end() || found->key != key ? nullptr : &found->bytes;
}

bool TorchArchive::hasStorage(std::string_view key) const noexcept {
  return storage(key) != nullptr || std::binary_search(packed_.begin(), packed_.end(), key);
}

std::optional<double> TorchArchive::number(PickleId id) const noexcept {
  if (const auto plain = tree_.number(id)) return plain;
  const auto tensor = torchTensorAt(tree_, id);
  if (!tensor || tensor->isWholeStorage || isSwapped_) return std::nullopt;
  const bool isOne = std::all_of(tensor->shape.begin(), tensor->shape.end(),
                                 [](std::uint64_t dimension) { return dimension == 1; });
  const ByteRange* const place = storage(tensor->storage);
  const std::uint64_t width = bitsPerElement(tensor->type) / 8;
  const bool isThere =
      isOne && place != nullptr && width > 0 && tensor->offset < place->byteCount / width;
  if (!isThere) return std::nullopt;
  return valueOfElement(tensor->type,
                        textOf(file_, {place->offset + tensor->offset * width, width}));
}

void addTorchTensors(const TorchArchive& archive, const std::string& name, std::uint32_t file,
                     FileContents& out) {
  std::map<std::string_view, std::vector<TorchTensor>> sharing;  // by storage
  for (TorchTensor& tensor : torchContents(archive.tree()).tensors) {
    const bool isAlone = tensor.name.empty();
    if (!name.empty())
      tensor.name = isAlone ? name : toUtf8(name + '.' + tensor.name, kMaxNameBytes);
    if (isAlone && name.empty()) tensor.name = "tensor";
    const std::string_view key = tensor.storage;
    sharing[key].push_back(std::move(tensor));
  }
  for (const TorchArchive::Storage& storage : archive.storages()) {
    if (out.tensors.size() >= kMaxTensors) return;
    const StoragePlace place{storage.bytes, file, archive.isSwapped()};
    const auto views = sharing.find(storage.key);
    if (views != sharing.end()) {
      auto spans = storageSpans(views->second, place, out.oddTensors);
      out.tensors.insert(out.tensors.end(), std::make_move_iterator(spans.begin()),
                         std::make_move_iterator(spans.end()));
    } else if (storage.bytes.byteCount > 0) {
      const std::string own = "data/" + toUtf8(storage.key, kMaxNameBytes);
      out.tensors.push_back(opaqueSpan(own, file, storage.bytes));
    }
  }
}

}  // namespace strata
