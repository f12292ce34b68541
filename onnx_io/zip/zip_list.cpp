#include "onnx_io/zip/zip_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/checked_math.h"
#include "onnx_io/utf8.h"

namespace strata {
namespace {

constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kLocatorBytes = 20;
constexpr std::uint64_t kEnd64Bytes = 56;
constexpr std::uint64_t kEntryBytes = 46;
constexpr std::uint64_t kHeaderBytes = 30;
constexpr std::uint64_t kMaxComment = 0xFFFF;
constexpr std::uint64_t kMaxEntries = 1'000'000;
constexpr std::uint64_t kIn64 = 0xFFFFFFFF;  ///< of a 32-bit field: the number is in zip64's
constexpr std::uint64_t kShortIn64 = 0xFFFF;
constexpr std::string_view kHeaderMark = "PK\x03\x04";
constexpr std::string_view kEntryMark = "PK\x01\x02";
constexpr std::string_view kEndMark = "PK\x05\x06";
constexpr std::string_view kEnd64Mark = "PK\x06\x06";
constexpr std::string_view kLocatorMark = "PK\x06\x07";

tl::unexpected<Error> corrupt(std::uint64_t at, std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("byte {}: {}", at, what));
}

/// Fields of a record whose bytes all lie in the file.
class ZipFields {
 public:
  ZipFields(std::span<const std::byte> file, std::uint64_t at) : record_(file.subspan(at)) {}

  std::uint64_t number(std::size_t at, std::size_t byteCount) const noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = byteCount; i-- > 0;) {
      value = value << 8 | std::to_integer<std::uint64_t>(record_[at + i]);
    }
    return value;
  }
  std::string_view text(std::size_t at, std::size_t byteCount) const noexcept {
    return {reinterpret_cast<const char*>(record_.data() + at), byteCount};
  }
  bool begins(std::string_view mark) const noexcept { return text(0, mark.size()) == mark; }

 private:
  std::span<const std::byte> record_;
};

/// Where the central directory lies, from the start of the file.
struct Directory {
  ByteRange range;
  std::uint64_t entryCount = 0;
};

/// Reads one archive, which begins at `start` and whose end record is at `end`, with a comment of
/// so many bytes. A trainer may write the file meanwhile: what is checked is read once, and what is
/// compared with more than one thing is copied.
class ZipReader {
 public:
  ZipReader(std::span<const std::byte> file, std::uint64_t start, std::uint64_t end,
            std::uint64_t commentBytes)
      : file_(file), start_(start), end_(end), commentBytes_(commentBytes) {}

  Result<Directory> directory() const;
  Result<ZipList> read(const Directory& directory) const;

 private:
  /// A member as the central directory has it.
  struct Listed {
    ZipEntry entry;
    std::uint64_t byteCount = 0;
    std::uint64_t method = 0;
    bool isEncrypted = false;
  };

  Result<Directory> directory64(const ZipFields& end) const;
  Result<Listed> listed(std::uint64_t& at, std::uint64_t limit) const;
  static Result<void> readSizes64(std::string_view extra, std::uint64_t at, std::uint64_t& whole,
                                  std::uint64_t& packed, std::uint64_t& header);
  Result<void> readHeader(Listed& member, std::uint64_t limit) const;

  std::span<const std::byte> file_;
  std::uint64_t start_;
  std::uint64_t end_;
  std::uint64_t commentBytes_;
};

Result<Directory> ZipReader::directory() const {
  const ZipFields end(file_, end_);
  const bool isOneVolume = end.number(4, 2) % kShortIn64 == 0 && end.number(6, 2) % kShortIn64 == 0;
  if (!isOneVolume) return fail(ErrorCode::Unsupported, "is an archive in several volumes");
  const bool has64 =
      end_ - start_ >= kLocatorBytes && ZipFields(file_, end_ - kLocatorBytes).begins(kLocatorMark);
  if (has64) return directory64(end);
  const std::uint64_t byteCount = end.number(12, 4);
  const std::uint64_t offset = end.number(16, 4);
  const bool fits = rangeFits(offset, byteCount, end_ - start_) &&
                    offset + byteCount == end_ - start_ && end.number(8, 2) == end.number(10, 2);
  if (!fits) return corrupt(end_, "the list of members does not end where the end record begins");
  return Directory{{start_ + offset, byteCount}, end.number(10, 2)};
}

Result<Directory> ZipReader::directory64(const ZipFields& end) const {
  const std::uint64_t locatorAt = end_ - kLocatorBytes;
  const ZipFields locator(file_, locatorAt);
  const std::uint64_t at = locator.number(8, 8);
  const bool isThere = locatorAt - start_ >= kEnd64Bytes && at <= locatorAt - start_ - kEnd64Bytes;
  if (!isThere) return corrupt(locatorAt, "the zip64 end record lies elsewhere");
  const ZipFields end64(file_, start_ + at);
  const std::uint64_t size = end64.number(4, 8);
  const bool isOne = end64.begins(kEnd64Mark) && size == locatorAt - start_ - at - 12;
  if (!isOne) return corrupt(start_ + at, "no zip64 end record");
  const std::uint64_t count = end64.number(32, 8);
  const std::uint64_t byteCount = end64.number(40, 8);
  const std::uint64_t offset = end64.number(48, 8);
  const auto agree = [](std::uint64_t narrow, std::uint64_t wide, std::uint64_t absent) {
    return narrow == absent || narrow == wide;
  };
  const bool isAlike = agree(end.number(10, 2), count, kShortIn64) &&
                       agree(end.number(12, 4), byteCount, kIn64) &&
                       agree(end.number(16, 4), offset, kIn64) && end64.number(24, 8) == count;
  if (!isAlike) return corrupt(start_ + at, "the two end records differ");
  const bool fits = rangeFits(offset, byteCount, at) && offset + byteCount == at;
  if (!fits) return corrupt(start_ + at, "the list of members does not end at the end records");
  return Directory{{start_ + offset, byteCount}, count};
}

/// The numbers that did not fit their 32 bits.
Result<void> ZipReader::readSizes64(std::string_view extra, std::uint64_t at, std::uint64_t& whole,
                                    std::uint64_t& packed, std::uint64_t& header) {
  const auto bytes = std::as_bytes(std::span(extra));
  std::size_t from = 0;
  while (extra.size() - from >= 4) {
    const ZipFields field(bytes, from);
    const std::uint64_t id = field.number(0, 2);
    const std::uint64_t byteCount = field.number(2, 2);
    if (byteCount > extra.size() - from - 4) break;
    if (id == 1) {
      std::size_t next = 4;
      for (std::uint64_t* const number : {&whole, &packed, &header}) {
        if (*number != kIn64) continue;
        if (next + 8 > 4 + byteCount) return corrupt(at, "zip64 numbers are cut");
        *number = field.number(next, 8);
        next += 8;
      }
      return {};
    }
    from += 4 + byteCount;
  }
  const bool isMissing = whole == kIn64 || packed == kIn64 || header == kIn64;
  if (isMissing) return corrupt(at, "zip64 numbers are not there");
  return {};
}

/// One line of the central directory; `at` moves behind it.
Result<ZipReader::Listed> ZipReader::listed(std::uint64_t& at, std::uint64_t limit) const {
  if (limit - at < kEntryBytes) return corrupt(at, "the list of members is cut");
  const ZipFields entry(file_, at);
  if (!entry.begins(kEntryMark)) return corrupt(at, "no member of the list");
  const std::uint64_t nameBytes = entry.number(28, 2);
  const std::uint64_t extraBytes = entry.number(30, 2);
  const std::uint64_t byteCount = kEntryBytes + nameBytes + extraBytes + entry.number(32, 2);
  if (byteCount > limit - at) return corrupt(at, "the list of members is cut");
  if (entry.number(34, 2) != 0) return fail(ErrorCode::Unsupported, "has several volumes");
  Listed out;
  out.entry.name = entry.text(kEntryBytes, nameBytes);
  out.entry.crc = static_cast<std::uint32_t>(entry.number(16, 4));
  out.method = entry.number(10, 2);
  out.isEncrypted = (entry.number(8, 2) & 1) != 0;
  std::uint64_t packed = entry.number(20, 4);
  std::uint64_t header = entry.number(42, 4);
  out.byteCount = entry.number(24, 4);
  STRATA_TRY(readSizes64(entry.text(kEntryBytes + nameBytes, extraBytes), at, out.byteCount, packed,
                         header));
  out.entry.isPlain = out.method == 0 && !out.isEncrypted;
  if (out.entry.isPlain && packed != out.byteCount) {
    return corrupt(at, "a member that is not compressed has two sizes");
  }
  out.byteCount = packed;
  if (header > limit - start_) return corrupt(at, "a member lies outside of the archive");
  out.entry.header = start_ + header;
  out.entry.listed = at;
  at += byteCount;
  return out;
}

/// What a member says of itself before its bytes. `limit` is where the central directory begins.
Result<void> ZipReader::readHeader(Listed& member, std::uint64_t limit) const {
  const std::uint64_t at = member.entry.header;
  if (at > limit || limit - at < kHeaderBytes) return corrupt(at, "a member's header is cut");
  const ZipFields header(file_, at);
  const std::uint64_t nameBytes = header.number(26, 2);
  const std::uint64_t before = kHeaderBytes + nameBytes + header.number(28, 2);
  if (before > limit - at) return corrupt(at, "a member's header is cut");
  const bool isAlike = header.begins(kHeaderMark) && header.number(8, 2) == member.method &&
                       ((header.number(6, 2) & 1) != 0) == member.isEncrypted &&
                       header.text(kHeaderBytes, nameBytes) == member.entry.name;
  if (!isAlike) return corrupt(at, "a member's header is not what the list says");
  const bool isSaidBehind = (header.number(6, 2) & 8) != 0;
  member.entry.isSaidBehind = isSaidBehind;
  const std::uint64_t packed = header.number(18, 4);
  const bool fits = packed == member.byteCount || packed == kIn64 || (isSaidBehind && packed == 0);
  if (!fits) return corrupt(at, "a member's size is not what the list says");
  if (member.byteCount > limit - at - before) return corrupt(at, "a member reaches into the list");
  member.entry.data = {at + before, member.byteCount};
  return {};
}

Result<ZipList> ZipReader::read(const Directory& directory) const {
  const std::uint64_t limit = directory.range.end();
  if (directory.entryCount > kMaxEntries || directory.entryCount > directory.range.byteCount) {
    return fail(ErrorCode::Unsupported, fmt::format("has more than {} members", kMaxEntries));
  }
  std::vector<Listed> members;
  std::uint64_t at = directory.range.offset;
  for (std::uint64_t i = 0; i < directory.entryCount; ++i) {
    STRATA_TRY(Listed member, listed(at, limit));
    members.push_back(std::move(member));
  }
  if (at != limit) return corrupt(at, "the list of members has bytes behind its end");
  const auto byName = [](const Listed& a, const Listed& b) { return a.entry.name < b.entry.name; };
  std::sort(members.begin(), members.end(), byName);
  const auto twice = std::adjacent_find(
      members.begin(), members.end(),
      [](const Listed& a, const Listed& b) { return a.entry.name == b.entry.name; });
  if (twice != members.end()) {
    return corrupt(limit,
                   fmt::format("the member {} is there twice", toUtf8(twice->entry.name, 128)));
  }
  std::sort(members.begin(), members.end(),
            [](const Listed& a, const Listed& b) { return a.entry.header < b.entry.header; });
  ZipList out;
  std::uint64_t end = start_;
  for (Listed& member : members) {
    if (member.entry.header < end) return corrupt(member.entry.header, "members overlap");
    STRATA_TRY(readHeader(member, directory.range.offset));
    end = member.entry.data.end();
    out.entries.push_back(std::move(member.entry));
  }
  out.range = {start_, end_ + kEndBytes + commentBytes_ - start_};
  return out;
}

/// The length of the comment of an end record at `at`; nothing where no whole one lies there.
std::optional<std::uint64_t> commentAt(std::span<const std::byte> file, std::uint64_t at) noexcept {
  if (file.size() < kEndBytes || at > file.size() - kEndBytes) return std::nullopt;
  const ZipFields end(file, at);
  const std::uint64_t byteCount = end.number(20, 2);
  const bool isOne = end.begins(kEndMark) && byteCount <= file.size() - at - kEndBytes;
  return isOne ? std::optional(byteCount) : std::nullopt;
}

}  // namespace

std::vector<std::uint64_t> checksumPlaces(std::span<const std::byte> file, const ZipEntry& entry) {
  constexpr std::string_view kBehindMark = "PK\x07\x08";
  constexpr std::uint64_t kInLine = 16;
  constexpr std::uint64_t kInHeader = 14;
  std::vector<std::uint64_t> places{entry.listed + kInLine};
  const auto addIfThere = [&](std::uint64_t at) {
    const bool fits = rangeFits<std::uint64_t>(at, 4, file.size());
    if (fits && ZipFields(file, at).number(0, 4) == entry.crc) places.push_back(at);
  };
  addIfThere(entry.header + kInHeader);
  if (!entry.isSaidBehind || !rangeFits<std::uint64_t>(entry.data.end(), 4, file.size()))
    return places;
  const bool hasMark = ZipFields(file, entry.data.end()).begins(kBehindMark);
  addIfThere(entry.data.end() + (hasMark ? kBehindMark.size() : 0));
  return places;
}

bool looksLikeZip(std::span<const std::byte> file) noexcept {
  return file.size() >= kHeaderMark.size() && ZipFields(file, 0).begins(kHeaderMark);
}

Result<ZipList> listZip(std::span<const std::byte> file) {
  std::uint64_t behindEnd = 0;
  for (std::uint64_t comment = 0; comment <= kMaxComment; ++comment) {
    if (file.size() < kEndBytes + comment) break;
    const std::uint64_t at = file.size() - kEndBytes - comment;
    const auto said = commentAt(file, at);
    if (said && *said < comment && behindEnd == 0) behindEnd = comment - *said;
    if (said != comment) continue;
    const ZipReader reader(file, 0, at, comment);
    STRATA_TRY(const Directory directory, reader.directory());
    return reader.read(directory);
  }
  if (behindEnd == 0) {
    return fail(ErrorCode::CorruptData, "has no end record: the archive is not whole");
  }
  return fail(ErrorCode::CorruptData, fmt::format("has {} bytes behind its end record", behindEnd));
}

std::vector<ZipList> listZips(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  std::vector<ZipList> out;
  std::uint64_t start = 0;
  std::uint64_t at = 0;
  while (text.substr(start).starts_with(kHeaderMark)) {
    at = text.find(kEndMark, at);
    if (at == std::string_view::npos) break;
    const auto comment = commentAt(file, at);
    const ZipReader reader(file, start, at, comment.value_or(0));
    const auto directory = comment ? reader.directory() : corrupt(at, "no end record");
    if (!directory) {
      ++at;  // a weight whose bytes look like the mark
      continue;
    }
    auto list = reader.read(*directory);
    if (!list) break;
    start = at = list->range.end();
    out.push_back(std::move(*list));
  }
  return out;
}

}  // namespace strata
