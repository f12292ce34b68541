#include "onnx_io/safetensors/safetensors_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "core/checked_math.h"
#include "onnx_io/json_visitor.h"
#include "onnx_io/safetensors/safetensors_header.h"
#include "onnx_io/tensor_role.h"
#include "onnx_io/tensor_span.h"
#include "onnx_io/utf8.h"

namespace strata {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::size_t kMaxShards = 100'000;

constexpr std::array<std::pair<std::string_view, ElementType>, 23> kTypes{{
    {"F32", ElementType::F32},
    {"F64", ElementType::F64},
    {"F16", ElementType::F16},
    {"BF16", ElementType::BF16},
    {"I8", ElementType::I8},
    {"U8", ElementType::U8},
    {"I16", ElementType::I16},
    {"U16", ElementType::U16},
    {"I32", ElementType::I32},
    {"U32", ElementType::U32},
    {"I64", ElementType::I64},
    {"U64", ElementType::U64},
    {"BOOL", ElementType::Bool},
    {"C64", ElementType::C64},
    {"F8_E4M3", ElementType::F8E4M3FN},
    {"F8_E5M2", ElementType::F8E5M2},
    {"F8_E8M0", ElementType::F8E8M0},
    {"F4", ElementType::F4E2M1},
    {"F6_E2M3", ElementType::F6E2M3},
    {"F6_E3M2", ElementType::F6E3M2},
    {"F8_E4M3FNUZ", ElementType::F8E4M3FNUZ},
    {"F8_E5M2FNUZ", ElementType::F8E5M2FNUZ},
    {"C128", ElementType::C128},
}};

tl::unexpected<Error> corrupt(std::string message) {
  return fail(ErrorCode::CorruptData, std::move(message));
}

std::uint64_t headerLength(std::span<const std::byte> file) noexcept {
  std::uint64_t length = 0;
  for (std::size_t index = kLengthBytes; index-- > 0;) {
    length = length << 8 | std::to_integer<std::uint64_t>(file[index]);
  }
  return length;
}

/// The header's JSON, its length checked.
Result<std::span<const std::byte>> headerOf(std::span<const std::byte> file) {
  if (file.size() < kLengthBytes) {
    return corrupt(fmt::format("file has {} bytes, expected a header length of {} bytes",
                               file.size(), kLengthBytes));
  }
  const std::uint64_t length = headerLength(file);
  if (length > kMaxJsonBytes) {
    return corrupt(
        fmt::format("byte 0: header length is {}, expected at most {}", length, kMaxJsonBytes));
  }
  if (length > file.size() - kLengthBytes) {
    return corrupt(fmt::format("byte 0: header length is {}, but only {} bytes follow", length,
                               file.size() - kLengthBytes));
  }
  const auto json = file.subspan(kLengthBytes, length);
  if (json.empty() || json.front() != std::byte{'{'}) {
    return corrupt("byte 8: header does not begin with '{'");
  }
  return json;
}

/// One tensor as a span; the header's numbers are untrusted.
Result<TensorInfo> describe(SafetensorsEntry entry, std::uint32_t file, std::uint64_t dataStart,
                            std::uint64_t dataBytes, std::vector<std::string>& odd) {
  const std::uint64_t begin = entry.dataOffsets[0];
  const std::uint64_t end = entry.dataOffsets[1];
  if (begin > end || end > dataBytes) {
    return corrupt(fmt::format("data_offsets are {} to {}, but the file has {} data bytes", begin,
                               end, dataBytes));
  }
  const auto type = elementTypeFromSafetensors(entry.dtype);
  DeclaredTensor declared;
  declared.type = type.value_or(ElementType::Bytes);
  declared.dims = std::move(entry.shape);
  // Bytes that do not fit dtype and shape are kept as opaque ones: odd casts leave such files, and
  // what comes back has to be what was there.
  const std::string name = toUtf8(entry.name, kMaxNameBytes);
  std::string misfit = misfitOf(declared, name, end - begin);
  if (!misfit.empty()) odd.push_back(std::move(misfit));
  TensorInfo info = describeSpan(declared, name, file, {dataStart + begin, end - begin});
  info.kind = kindOfStored(info.name, info.type, info.shape.size());
  return info;
}

Result<void> checkDisjoint(const std::vector<TensorInfo>& sorted) {
  for (std::size_t index = 1; index < sorted.size(); ++index) {
    const TensorInfo& before = sorted[index - 1];
    const TensorInfo& here = sorted[index];
    if (here.offset < before.offset + before.byteCount) {
      return corrupt(fmt::format("byte {}: {} begins inside {}, which ends at {}", here.offset,
                                 here.name, before.name, before.offset + before.byteCount));
    }
  }
  return {};
}

Result<FileContents> readBytes(std::span<const std::byte> bytes, std::uint32_t file) {
  STRATA_TRY(const auto json, headerOf(bytes));
  auto header = parseSafetensorsHeader(json);
  if (!header) return fail(header.error().within("header"));
  const std::uint64_t dataStart = kLengthBytes + json.size();
  FileContents contents;
  contents.tensors.reserve(header->entries.size());
  std::set<Shape> shapes;  // those of many tensors are few
  for (SafetensorsEntry& entry : header->entries) {
    const std::string name = toUtf8(entry.name, kMaxNameBytes);
    auto info =
        describe(std::move(entry), file, dataStart, bytes.size() - dataStart, contents.oddTensors);
    if (!info) return fail(info.error().within(name));
    if (info->byteCount == 0) continue;
    info->shape = *shapes.insert(info->shape).first;
    contents.tensors.push_back(std::move(*info));
  }
  header->entries = {};
  const auto isBefore = [](const auto& a, const auto& b) { return a.offset < b.offset; };
  if (!std::is_sorted(contents.tensors.begin(), contents.tensors.end(), isBefore)) {
    std::stable_sort(contents.tensors.begin(), contents.tensors.end(), isBefore);
  }
  STRATA_TRY(checkDisjoint(contents.tensors));
  for (const auto& [key, value] : header->metadata) contents.metadata.add(key, value);
  return contents;
}

/// Gathers the file names of `weight_map`, an object of strings at the top level.
class IndexVisitor final : public JsonVisitor {
 public:
  ShardedTensors take() { return std::move(shards_); }

 protected:
  bool onKey(std::string& key) override {
    if (depth() == 1) isMap_ = key == "weight_map";
    if (isMap_ && depth() == 2) tensor_ = std::move(key);
    return true;
  }
  bool onString(std::string& value) override {
    if (!isMap_ || depth() != 2) return true;
    shards_[std::move(value)].push_back(std::move(tensor_));
    if (shards_.size() > kMaxShards) {
      return refuse(fmt::format("weight_map names more than {} files", kMaxShards));
    }
    return true;
  }
  bool onNumber(std::uint64_t) override { return onValue("a number"); }
  bool onValue(std::string_view what) override {
    if (!isMap_ || depth() != 2) return true;
    return refuse(fmt::format("weight_map holds {}, expected names of files", what));
  }
  bool onOpen(bool isObject) override {
    const bool isExpected = depth() == 2 && isObject;
    if (!isMap_ || isExpected) return true;
    return refuse(depth() == 2 ? "weight_map is a list, expected an object"
                               : "weight_map holds a list or object, expected names of files");
  }
  bool onClose() override {
    if (depth() == 2) isMap_ = false;
    return true;
  }

 private:
  bool isMap_ = false;
  std::string tensor_;  ///< whose file comes next
  ShardedTensors shards_;
};

}  // namespace

std::optional<ElementType> elementTypeFromSafetensors(std::string_view dtype) noexcept {
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(),
                                         [&](const auto& row) { return row.first == dtype; });
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

std::string_view safetensorsName(ElementType type) noexcept {
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(),
                                         [&](const auto& row) { return row.second == type; });
  return found == kTypes.end() ? std::string_view() : found->first;
}

bool looksLikeSafetensors(std::span<const std::byte> file) noexcept {
  if (file.size() < kLengthBytes + 2 || headerLength(file) >> 40 != 0) return false;
  const auto second = static_cast<char>(file[kLengthBytes + 1]);
  return file[kLengthBytes] == std::byte{'{'} && (second == '"' || second == '}');
}

Result<FileContents> readSafetensors(const ModelFiles& files, std::uint32_t file) {
  const ModelFile& source = files.files()[file];
  auto contents = readBytes(source.bytes.whole(), file);
  if (!contents) return fail(contents.error().within(source.path));
  return contents;
}

Result<ShardedTensors> readShards(std::span<const std::byte> index) {
  if (index.size() > kMaxJsonBytes) {
    return corrupt(
        fmt::format("index has {} bytes, expected at most {}", index.size(), kMaxJsonBytes));
  }
  IndexVisitor visitor;
  STRATA_TRY(readJson(index, visitor));
  return visitor.take();
}

Result<std::optional<std::string>> firstMissing(std::span<const std::byte> file,
                                                const std::vector<std::string>& names) {
  STRATA_TRY(const auto json, headerOf(file));
  STRATA_TRY(const SafetensorsHeader header, parseSafetensorsHeader(json));
  std::set<std::string_view> held;
  for (const SafetensorsEntry& entry : header.entries) held.insert(entry.name);
  const auto missing = std::find_if(names.begin(), names.end(),
                                    [&](const auto& name) { return !held.contains(name); });
  return missing == names.end() ? std::nullopt : std::optional(*missing);
}

Result<std::vector<TensorInfo>> safetensorsWithoutElements(const FileBytes& file) {
  std::vector<std::byte> start(std::min<std::uint64_t>(file.size(), kLengthBytes));
  file.copy(0, start);
  if (start.size() == kLengthBytes) {
    const std::uint64_t length = std::min<std::uint64_t>(headerLength(start), kMaxJsonBytes);
    start.resize(std::min(file.size(), kLengthBytes + length));
    file.copy(0, start);
  }
  STRATA_TRY(const auto json, headerOf(start));
  STRATA_TRY(const SafetensorsHeader header, parseSafetensorsHeader(json));
  std::vector<TensorInfo> empty;
  for (const SafetensorsEntry& entry : header.entries) {
    const auto type = elementTypeFromSafetensors(entry.dtype);
    const bool hasNone = std::ranges::find(entry.shape, 0U) != entry.shape.end();
    if (!type || !hasNone || entry.dataOffsets[0] != entry.dataOffsets[1]) continue;
    TensorInfo& info = empty.emplace_back();
    info.name = toUtf8(entry.name, kMaxNameBytes);
    info.type = *type;
    info.shape = entry.shape;
    info.kind = kindOfStored(info.name, info.type, info.shape.size());
  }
  return empty;
}

}  // namespace strata
