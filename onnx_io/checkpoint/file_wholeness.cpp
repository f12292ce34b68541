#include "onnx_io/checkpoint/file_wholeness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "onnx_io/json_visitor.h"
#include "onnx_io/safetensors/safetensors_header.h"
#include "onnx_io/torch/torch_archive.h"
#include "onnx_io/torch/torch_spans.h"
#include "onnx_io/torch/torch_tensors.h"
#include "onnx_io/utf8.h"
#include "onnx_io/zip/zip_checksums.h"
#include "onnx_io/zip/zip_list.h"

namespace strata {
namespace {

using Bytes = std::span<const std::byte>;

std::string_view textOf(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Little-endian; the bytes are there.
std::uint64_t numberAt(Bytes bytes, std::size_t at, std::size_t width) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  }
  return value;
}

/// What files of torch.save began with until 1.6: a pickle of a number.
constexpr std::string_view kOldTorch = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

bool isZip(Bytes bytes) noexcept { return textOf(bytes).starts_with("PK\x03\x04"); }

/// Where the end record of a zip begins: its comment reaches to the end of the file.
std::optional<std::size_t> endRecord(Bytes bytes) noexcept {
  constexpr std::size_t kRecordBytes = 22;
  constexpr std::size_t kMostComment = 65535;
  if (bytes.size() < kRecordBytes) return std::nullopt;
  const std::size_t last = bytes.size() - kRecordBytes;
  const std::size_t first = last - std::min(last, kMostComment);
  for (std::size_t at = last + 1; at-- > first;) {
    const bool isOne = textOf(bytes.subspan(at)).starts_with("PK\x05\x06");
    if (isOne && numberAt(bytes, at + 20, 2) == bytes.size() - at - kRecordBytes) return at;
  }
  return std::nullopt;
}

/// Whether the directory that the end record names lies before it.
bool hasDirectory(Bytes bytes, std::size_t end) noexcept {
  constexpr std::uint64_t kElsewhere = 0xFFFFFFFF;
  constexpr std::size_t kLocatorBytes = 20;
  constexpr std::size_t kWideRecordBytes = 56;
  std::uint64_t size = numberAt(bytes, end + 12, 4);
  std::uint64_t offset = numberAt(bytes, end + 16, 4);
  if (offset == kElsewhere || size == kElsewhere) {
    if (end < kLocatorBytes + kWideRecordBytes) return false;
    const std::size_t locator = end - kLocatorBytes;
    if (!textOf(bytes.subspan(locator)).starts_with("PK\x06\x07")) return false;
    const std::uint64_t record = numberAt(bytes, locator + 8, 8);
    if (record > locator - kWideRecordBytes) return false;
    if (!textOf(bytes.subspan(record)).starts_with("PK\x06\x06")) return false;
    size = numberAt(bytes, record + 40, 8);
    offset = numberAt(bytes, record + 48, 8);
  }
  if (offset > end || size > end - offset) return false;
  return size == 0 || textOf(bytes.subspan(offset)).starts_with("PK\x01\x02");
}

/// Of an archive of torch.save whose pickle is understood: a storage that is not there, or that
/// ends before the tensor does.
std::string lackingStorage(Bytes bytes) {
  const auto list = listZip(bytes);
  if (!list || !TorchArchive::isOne(*list)) return {};
  const auto archive = TorchArchive::open(bytes, *list);
  if (!archive) return {};
  for (const TorchTensor& tensor : torchContents(archive->tree()).tensors) {
    const ByteRange* const storage = archive->storage(tensor.storage);
    const std::string key = toUtf8(tensor.storage, 128);
    if (!archive->hasStorage(tensor.storage)) {
      return fmt::format("has no storage {}, which its pickle names", key);
    }
    if (storage == nullptr) continue;  // how long a compressed one becomes is not looked at
    const std::uint64_t least = leastStorageBytes(tensor);
    if (storage->byteCount >= least) continue;
    return fmt::format("has {} bytes in storage {}, expected {}", storage->byteCount, key, least);
  }
  return {};
}

std::string brokenZip(Bytes bytes) {
  const auto end = endRecord(bytes);
  if (!end) return "has no end record, so it was not written to its end";
  if (!hasDirectory(bytes, *end)) return "has no directory where its end record says";
  return lackingStorage(bytes);
}

std::string brokenSafetensors(Bytes bytes) {
  constexpr std::size_t kLengthBytes = 8;
  if (bytes.size() < kLengthBytes) return "is cut";
  const std::uint64_t length = numberAt(bytes, 0, kLengthBytes);
  if (length > kMaxJsonBytes || length > bytes.size() - kLengthBytes) return "is cut in its header";
  const auto header = parseSafetensorsHeader(bytes.subspan(kLengthBytes, length));
  if (!header) return "has a damaged header";
  std::uint64_t end = 0;
  for (const SafetensorsEntry& entry : header->entries) {
    end = std::max(end, entry.dataOffsets[1]);
  }
  const std::uint64_t there = bytes.size() - kLengthBytes - length;
  if (end == there) return {};
  return fmt::format("has {} bytes of tensors, expected {}", there, end);
}

bool isNamedOne(std::string_view path, std::span<const std::string_view> endings) noexcept {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

/// Half a kilobyte of zeros at the front: pickles and archives begin otherwise.
bool beginsWithZeros(Bytes bytes) noexcept {
  const Bytes start = bytes.first(std::min<std::size_t>(bytes.size(), 512));
  return std::all_of(start.begin(), start.end(), [](std::byte one) { return one == std::byte{0}; });
}

/// Zeros at the end that begin within a row: weights end with whole rows of them at most.
std::string zerosAtEnd(Bytes bytes) {
  constexpr std::size_t kLengthBytes = 8;
  constexpr std::size_t kFewestZeros = 65'536;
  constexpr std::uint64_t kWidestElement = 8;
  if (bytes.size() < kLengthBytes || !brokenSafetensors(bytes).empty()) return {};
  const std::uint64_t length = numberAt(bytes, 0, kLengthBytes);
  const auto header = parseSafetensorsHeader(bytes.subspan(kLengthBytes, length));
  const Bytes data = bytes.subspan(kLengthBytes + length);
  std::size_t zerosFrom = data.size();
  while (zerosFrom > 0 && data[zerosFrom - 1] == std::byte{0}) --zerosFrom;
  if (data.size() - zerosFrom < kFewestZeros) return {};
  for (const SafetensorsEntry& entry : header->entries) {
    if (entry.dataOffsets.size() != 2) continue;
    const std::uint64_t begin = entry.dataOffsets[0];
    if (zerosFrom <= begin || zerosFrom >= entry.dataOffsets[1]) continue;
    std::uint64_t rows = 1;
    for (std::size_t i = 0; i + 1 < entry.shape.size(); ++i) rows *= entry.shape[i];
    const std::uint64_t rowBytes = rows == 0 ? 0 : (entry.dataOffsets[1] - begin) / rows;
    // The last number of the row before may end in zeros itself.
    const std::uint64_t lacking = rowBytes == 0 ? 0 : (rowBytes - (zerosFrom - begin) % rowBytes);
    const bool isRowEnd = rows > 1 && rowBytes > 0 && lacking % rowBytes < kWidestElement;
    if (isRowEnd) return {};
    return fmt::format("its last {} bytes are zeros, from within a row of {} on",
                       data.size() - zerosFrom, toUtf8(entry.name, 128));
  }
  return {};
}

/// Numbers of `width` bytes whose exponent has all of its bits and whose fraction has any.
std::uint64_t countNans(Bytes numbers, std::size_t width, std::uint64_t exponent) {
  const std::uint64_t sign = std::uint64_t{1} << (8 * width - 1);
  std::uint64_t count = 0;
  for (std::size_t at = 0; at + width <= numbers.size(); at += width) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, numbers.data() + at, width);  // this machine is little-endian
    count += (bits & ~sign) > exponent ? 1U : 0U;
  }
  return count;
}

/// What a training that diverged leaves.
std::string nansIn(Bytes bytes) {
  struct Type {
    std::string_view name;
    std::size_t width;
    std::uint64_t exponent;
  };
  constexpr std::array<Type, 4> kTypes{{{"F16", 2, 0x7C00},
                                        {"BF16", 2, 0x7F80},
                                        {"F32", 4, 0x7F800000},
                                        {"F64", 8, 0x7FF0000000000000}}};
  constexpr std::size_t kLengthBytes = 8;
  if (!brokenSafetensors(bytes).empty()) return {};
  const std::uint64_t length = numberAt(bytes, 0, kLengthBytes);
  const auto header = parseSafetensorsHeader(bytes.subspan(kLengthBytes, length));
  const Bytes data = bytes.subspan(kLengthBytes + length);
  std::uint64_t count = 0;
  for (const SafetensorsEntry& entry : header->entries) {
    const auto type = std::ranges::find(kTypes, entry.dtype, &Type::name);
    const auto& range = entry.dataOffsets;
    if (type == kTypes.end() || range.size() != 2 || range[0] > range[1]) continue;
    count += countNans(data.subspan(range[0], range[1] - range[0]), type->width, type->exponent);
  }
  return count == 0 ? "" : fmt::format("{} of its weights are no numbers (NaN)", count);
}

}  // namespace

std::string brokenBecause(std::string_view path, Bytes bytes) {
  constexpr std::array<std::string_view, 4> kPickled{".pt", ".pth", ".ckpt", ".pkl"};
  constexpr std::array<std::string_view, 4> kOthers{".safetensors", ".bin", ".json", ".metadata"};
  const bool isPickled = isNamedOne(path, kPickled);
  if (bytes.empty()) return isPickled || isNamedOne(path, kOthers) ? "is empty" : "";
  if (path.ends_with(".safetensors")) return brokenSafetensors(bytes);
  if (path.ends_with(".distcp"))
    return {};  // archives one behind the other; none of a rank without tensors
  if (isZip(bytes)) return isPickled || path.ends_with(".bin") ? brokenZip(bytes) : "";
  if (isPickled && beginsWithZeros(bytes)) return "begins with zeros, so it was not written";
  const bool isPickle = path.ends_with(".pkl") || path.ends_with(".metadata");
  const bool isBegun = textOf(bytes).front() == '\x80';
  // torch.save wrote several pickles, and the bytes of storages behind them, until 1.6.
  const bool isOldTorch = textOf(bytes).starts_with(kOldTorch);
  if (isPickle && isBegun && !isOldTorch && textOf(bytes).back() != '.') {
    return "is a pickle that is cut";
  }
  return {};
}

std::string doubtfulBecause(std::string_view path, Bytes bytes) {
  if (path.ends_with(".safetensors")) {
    const std::string zeros = zerosAtEnd(bytes);
    return zeros.empty() ? nansIn(bytes) : zeros;
  }
  const std::string member = memberWithOtherChecksum(bytes);
  if (member.empty()) return {};
  return fmt::format("the bytes of {} do not have the checksum that it says", toUtf8(member, 128));
}

}  // namespace strata
