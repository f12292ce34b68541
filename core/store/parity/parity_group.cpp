#include "core/store/parity/parity_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>

namespace strata {
namespace {

constexpr std::string_view kMagic = "STRATAPG";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kFixedBytes = 24;
constexpr std::size_t kMemberBytes = 48;
/// Of one object; what claims more is damaged.
constexpr std::uint64_t kMostMemberBytes = std::uint64_t{1} << 48;

void append(std::string& text, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t read(std::string_view text, std::size_t at, std::size_t bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
  }
  return value;
}

tl::unexpected<Error> broken(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("parity file {}", what));
}

Result<ParityMember> readMember(std::string_view text) {
  ParityMember member;
  member.digest = *digestFromBytes(text.substr(0, 32));
  member.byteCount = read(text, 32, 8);
  member.column = static_cast<std::uint8_t>(text[40]);
  if (text.find_first_not_of('\0', 41) != text.npos) return broken("has set reserved bytes");
  if (member.byteCount > kMostMemberBytes) return broken("names an object of impossible size");
  return member;
}

}  // namespace

std::uint64_t parityHeaderBytes(std::size_t memberCount) noexcept {
  return kFixedBytes + kMemberBytes * memberCount;
}

std::uint64_t ParityGroup::shardBytes() const noexcept {
  std::uint64_t most = 0;
  for (const ParityMember& member : members) most = std::max(most, member.byteCount);
  return most;
}

std::uint64_t ParityGroup::memberBytes() const noexcept {
  std::uint64_t sum = 0;
  for (const ParityMember& member : members) sum += member.byteCount;
  return sum;
}

std::uint64_t ParityGroup::fileBytes() const noexcept {
  return parityHeaderBytes(members.size()) + shardBytes() + kParityChecksumBytes;
}

std::string ParityGroup::header(std::uint8_t shard) const {
  std::string text(kMagic);
  append(text, kVersion, 4);
  append(text, ratio.shards, 1);
  append(text, ratio.columns, 1);
  append(text, shard, 1);
  append(text, members.size(), 1);
  append(text, shardBytes(), 8);
  for (const ParityMember& member : members) {
    text += toBytes(member.digest);
    append(text, member.byteCount, 8);
    append(text, member.column, 8);
  }
  return text;
}

Digest ParityGroup::id() const {
  const std::string text = header(0);
  return sha256(std::as_bytes(std::span(text)));
}

Result<ParityGroup> readParityHeader(std::span<const std::byte> file, std::uint8_t shard) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.size() < kFixedBytes || !text.starts_with(kMagic)) return broken("has no header");
  const std::uint64_t version = read(text, 8, 4);
  if (version > kVersion) {
    return fail(
        ErrorCode::FormatTooNew,
        fmt::format("parity file has version {}, this program reads up to {}", version, kVersion));
  }
  ParityGroup group;
  group.ratio = {static_cast<std::uint8_t>(text[12]), static_cast<std::uint8_t>(text[13])};
  const auto count = static_cast<std::uint8_t>(text[15]);
  const bool isSound = version == kVersion && isRatio(group.ratio) &&
                       static_cast<std::uint8_t>(text[14]) == shard && shard < group.ratio.shards &&
                       count >= 1 && count <= group.ratio.columns;
  if (!isSound) return broken("has a damaged header");
  if (text.size() < parityHeaderBytes(count)) return broken("ends within its header");
  std::set<Digest> known;
  for (std::size_t i = 0; i < count; ++i) {
    STRATA_TRY(const ParityMember member,
               readMember(text.substr(kFixedBytes + i * kMemberBytes, kMemberBytes)));
    const bool isNext = group.members.empty() || group.members.back().column < member.column;
    if (!isNext || member.column >= group.ratio.columns) return broken("has columns out of order");
    if (!known.insert(member.digest).second) return broken("names an object twice");
    group.members.push_back(member);
  }
  if (read(text, 16, 8) != group.shardBytes()) return broken("has another length than its largest");
  return group;
}

std::string parityProblem(std::span<const std::byte> file, const ParityGroup& group,
                          std::uint8_t shard) {
  if (file.size() < kParityChecksumBytes || file.size() != group.fileBytes()) {
    return fmt::format("has {} bytes, expected {}", file.size(), group.fileBytes());
  }
  const auto named = readParityHeader(file, shard);
  if (!named || *named != group) return "does not name its group";
  const auto checked = file.first(file.size() - kParityChecksumBytes);
  std::uint64_t checksum = 0;
  const auto last = file.last(kParityChecksumBytes);
  for (std::size_t i = 0; i < kParityChecksumBytes; ++i) {
    checksum |= std::to_integer<std::uint64_t>(last[i]) << (8 * i);
  }
  return xxh3(checked) == checksum ? std::string() : "does not match its checksum";
}

std::span<const std::byte> parityRange(std::span<const std::byte> file, std::uint64_t offset,
                                       std::uint64_t count) noexcept {
  if (offset >= file.size()) return {};
  return file.subspan(offset, std::min<std::uint64_t>(count, file.size() - offset));
}

}  // namespace strata
