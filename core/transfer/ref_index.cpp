#include "core/transfer/ref_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "core/io/temp_file.h"
#include "core/text/json_text.h"
#include "core/transfer/list_stamps_json.h"

namespace strata {

using nlohmann::json;

namespace {

/// Nobody comes so far; larger ones could start anew and be taken for earlier ones.
constexpr std::uint64_t kMostSweeps = std::uint64_t{1} << 62U;

/// Walks through the text of an index before it is parsed, and finds what would fill the memory.
class IndexScan {
 public:
  explicit IndexScan(std::string_view text) : text_(text) {}

  /// Whether each member has at most kMostOuterBytes, and each member of an object in one, such as
  /// a ref, kMaxMemberBytes.
  bool isBounded() {
    for (at_ = 0; at_ < text_.size(); ++at_) {
      if (isString_) {
        passString();
      } else if (!passMark()) {
        return false;
      }
    }
    return endMember();
  }

 private:
  static constexpr std::size_t kMostOuterMembers = 1000;
  /// Of a registry's index: it names the changes that are in it.
  static constexpr std::size_t kMostOuterBytes = kMaxIndexBytes / 2;

  void passString() {
    const char c = text_[at_];
    if (c == '\\') ++at_;
    if (c == '"') isString_ = false;
  }

  bool passMark() {
    const char c = text_[at_];
    if (c == '"') {
      isString_ = true;
      return true;
    }
    if (c == '{' || c == '[') {
      ++depth_;
      if (depth_ == 2) isInObject_ = c == '{';
    }
    if (c == ',' && depth_ <= 1 && ++outerMembers_ > kMostOuterMembers) return false;
    const bool isEnd = c == ',' || c == '{' || c == '}';
    const bool isCounted = depth_ <= 1 || (depth_ == 2 && isInObject_);
    const bool fits = !isEnd || !isCounted || endMember();
    if (c == '}' || c == ']') --depth_;
    return fits;
  }

  /// Of the level that the last member is on.
  bool endMember() {
    const bool fits = at_ - memberBegin_ <= (depth_ <= 1 ? kMostOuterBytes : kMaxMemberBytes);
    memberBegin_ = at_;
    return fits;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t memberBegin_ = 0;
  std::size_t outerMembers_ = 0;
  std::int64_t depth_ = 0;
  bool isString_ = false;
  bool isInObject_ = false;  ///< on the second level
};

/// What became of the list, and whose it is. Empty for one that nothing has become of.
std::string historyText(const RefIndex& index) {
  std::string text;
  if (index.sweepCount > 0) {
    json doomed = json::array();
    for (const Digest& digest : index.doomed) doomed.push_back(toHex(digest));
    text =
        fmt::format(",\"sweep\":{{\"count\":{},\"doomed\":{}}}", index.sweepCount, doomed.dump());
  }
  if (index.mendedAbove > 0) text += fmt::format(",\"mended\":{}", index.mendedAbove);
  if (!index.unseen.empty()) text += fmt::format(",\"unseen\":{}", json(index.unseen).dump());
  if (!index.identity.empty()) text += fmt::format(",\"id\":\"{}\"", index.identity);
  if (index.follows) text += fmt::format(",\"before\":{}", stampsJson(*index.follows).dump());
  return text;
}

constexpr std::string_view kCheckBegin = ",\"check\":\"";

std::string checkOf(std::string_view text) { return toHex(sha256(std::as_bytes(std::span(text)))); }

/// The end of a list that says its number and what its bytes are.
std::string ended(std::string text, std::uint64_t number) {
  if (number > 0) text += fmt::format(",\"number\":{}", number);
  const std::string check = checkOf(text);
  return fmt::format("{}{}{}\"}}\n", text, kCheckBegin, check);
}

/// Of a list that says what its bytes are; what earlier programs wrote does not.
Result<void> checkBytes(const json& document, std::string_view text, std::string_view what) {
  if (!document.contains("check")) return {};
  const std::string_view checked = text.substr(0, text.rfind(kCheckBegin));
  if (textMember(document, "check") == checkOf(checked)) return {};
  return fail(ErrorCode::CorruptData, fmt::format("{}: does not match its check", what));
}

/// One flipped bit in `format` would have the rest passed over.
Result<void> checkMembers(const json& document, std::uint64_t format, std::string_view what) {
  const bool isSound = (format >= kPagedIndexFormat || !document.contains("pages")) &&
                       (format >= kSweptIndexFormat || !document.contains("sweep"));
  if (isSound) return {};
  return fail(ErrorCode::CorruptData,
              fmt::format("{}: says more than a list of format {} does", what, format));
}

/// Pages of a head that add up to a list within its limits; nothing for others.
std::optional<std::vector<RefPage>> pagesOf(const json& list) {
  std::vector<RefPage> pages;
  std::set<Digest> seen;
  std::uint64_t left = kMaxIndexBytes;
  if (list.empty() || list.size() > kMaxPages) return std::nullopt;
  for (const json& word : list) {
    const bool isPage = word.is_array() && word.size() == 3 && word[0].is_number_unsigned() &&
                        word[1].is_string() && word[2].is_number_unsigned();
    if (!isPage) return std::nullopt;
    const auto digest = digestFromHex(word[1].get<std::string>());
    const auto byteCount = word[2].get<std::uint64_t>();
    const bool fits = byteCount > 0 && byteCount <= left;
    if (!digest || !seen.insert(*digest).second || !fits) return std::nullopt;
    left -= byteCount;
    pages.push_back({word[0].get<std::uint64_t>(), *digest, byteCount});
  }
  return pages;
}

bool isIdentity(std::string_view text) {
  const auto isDigit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 32 && std::all_of(text.begin(), text.end(), isDigit);
}

/// Which lists it follows.
Result<void> takeBefore(const json& document, std::string_view what, RefIndex& index) {
  index.check = textMember(document, "check").value_or("").substr(0, kStampDigits);
  if (!document.contains("before")) return {};
  index.follows = stampsOf(anyMember(document, "before"), index.number);
  if (index.follows) return {};
  return fail(ErrorCode::CorruptData, fmt::format("{}: does not say which lists it follows", what));
}

/// What became of the list, whatever its format.
Result<void> takeHistory(const json& document, std::string_view what, RefIndex& index) {
  index.mendedAbove = countMember(document, "mended").value_or(0);
  index.number = countMember(document, "number").value_or(0);
  index.identity = textMember(document, "id").value_or("");
  if (document.contains("id") && !isIdentity(index.identity)) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: its identity is none", what));
  }
  const json& unseen = anyMember(document, "unseen");
  bool isSound = !document.contains("unseen") || unseen.is_array();
  for (const json& number : listMember(document, "unseen")) {
    isSound =
        isSound && number.is_number_unsigned() && number != 0 && index.unseen.size() < kMaxUnseen;
    if (isSound) index.unseen.insert(number.get<std::uint64_t>());
  }
  if (isSound) return {};
  return fail(ErrorCode::CorruptData, fmt::format("{}: does not say which lists were lost", what));
}

/// Of an index whose format promises one.
Result<void> takeSweep(const json& document, std::string_view what, RefIndex& index) {
  const json& sweep = anyMember(document, "sweep");
  const auto count = countMember(sweep, "count");
  if (!count || *count == 0 || *count > kMostSweeps || !anyMember(sweep, "doomed").is_array()) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: does not say which objects are being deleted", what));
  }
  index.sweepCount = *count;
  for (const json& word : listMember(sweep, "doomed")) {
    const auto digest =
        word.is_string() ? digestFromHex(word.get<std::string>()) : std::optional<Digest>();
    if (!digest) {
      return fail(ErrorCode::CorruptData, fmt::format("{}: a doomed object has no hash", what));
    }
    index.doomed.insert(*digest);
  }
  return {};
}

}  // namespace

bool RefIndex::says(std::span<const RefUpdate> updates) const {
  return std::all_of(updates.begin(), updates.end(), [&](const RefUpdate& update) {
    const auto current = refs.find(update.name);
    return update.text == kRemovedRef ? current == refs.end()
                                      : current != refs.end() && current->second == update.text;
  });
}

bool RefIndex::apply(std::span<const RefUpdate> updates,
                     const std::optional<std::map<std::string, RefText>>& before) {
  if (says(updates)) return true;
  if (before && refs != *before) return false;
  for (const RefUpdate& update : updates) {
    const auto current = refs.find(update.name);
    const bool isExpected = current != refs.end()
                                ? update.expected && current->second == *update.expected
                                : !update.expected;
    if (!isExpected && !says(std::span(&update, 1))) return false;
  }
  for (const RefUpdate& update : updates) {
    if (update.text == kRemovedRef) {
      refs.erase(update.name);
    } else {
      refs[update.name] = update.text;
    }
  }
  return true;
}

namespace {

/// All but the end.
Result<std::string> textOf(const RefIndex& index) {
  if (index.refs.size() > kMaxRefs) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} versions and tags are too many for one remote, at most {} are "
                            "allowed",
                            index.refs.size(), kMaxRefs));
  }
  const int format = index.sweepCount > 0 ? kSweptIndexFormat : kIndexFormat;
  std::string text = fmt::format("{{\"format\":{},\"refs\":{{", format);
  std::string_view separator = "\n";
  for (const auto& [name, ref] : index.refs) {
    text += fmt::format("{}{}:{}", separator, json(name).dump(), ref);
    separator = ",\n";
  }
  text += "\n}";
  text += historyText(index);
  return text;
}

Result<std::string> withinLimits(std::string text, const RefIndex& index) {
  if (text.size() <= kMaxIndexBytes) return text;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the list of {} versions and tags has {} bytes, at most {} are allowed "
                          "on one remote",
                          index.refs.size(), text.size(), kMaxIndexBytes));
}

}  // namespace

Result<std::string> serializeRefIndex(const RefIndex& index) {
  STRATA_TRY(const std::string text, textOf(index));
  return withinLimits(text + "}\n", index);
}

Result<std::string> serializeNumbered(const RefIndex& index, std::uint64_t number) {
  STRATA_TRY(std::string text, textOf(index));
  return withinLimits(ended(std::move(text), number), index);
}

std::string stampOf(std::string_view written) {
  return checkOf(written.substr(0, written.rfind(kCheckBegin))).substr(0, kStampDigits);
}

std::string makeIdentity() { return randomName() + randomName(); }

namespace {

/// `newest`: the latest format that the reader knows.
Result<RefIndex> parseList(std::string_view text, std::string_view what, int newest) {
  if (!IndexScan(text).isBounded()) {
    return fail(
        ErrorCode::CorruptData,
        fmt::format("{}: has a ref of more than {} bytes, or is no index", what, kMaxMemberBytes));
  }
  RefIndex index;
  std::size_t count = 0;
  bool areObjects = true;
  std::set<std::string> names;
  bool areOnce = true;
  const auto take = [&](const std::string& name, const json& ref) {
    areObjects = ref.is_object();
    areOnce = names.insert(name).second;
    const bool isCounted = areObjects && ++count <= kMaxRefs;
    // An earlier program took the mark of a removal for a text.
    if (std::string said = isCounted ? ref.dump() : kRemovedRef; said != kRemovedRef) {
      index.refs.insert_or_assign(name, std::move(said));
    } else {
      index.refs.erase(name);
    }
    return areObjects && areOnce && count <= kMaxRefs;
  };
  STRATA_TRY(const json document, parseJsonMembers(text, what, "refs", take));
  if (!areOnce) {
    // One flipped digit makes two refs one: the list lost a version.
    return fail(ErrorCode::CorruptData, fmt::format("{}: lists a ref twice", what));
  }
  STRATA_TRY(checkBytes(document, text, what));
  const auto format = countMember(document, "format");
  if (!format || !anyMember(document, "refs").is_object()) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: is no index of a Strata remote", what));
  }
  if (*format == kPagedIndexFormat && newest < kPagedIndexFormat) {
    return fail(ErrorCode::FormatTooNew,
                fmt::format("{}: has format {}, a list in pages, which this program reads in "
                            "folders and buckets only",
                            what, *format));
  }
  if (*format > static_cast<std::uint64_t>(newest)) {
    return fail(ErrorCode::FormatTooNew,
                fmt::format("{}: has format {}, this program reads {}", what, *format, newest));
  }
  STRATA_TRY(checkMembers(document, *format, what));
  if (!areObjects) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: a ref is no JSON object", what));
  }
  if (count > kMaxRefs) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: lists more than {} refs, which are allowed", what, kMaxRefs));
  }
  STRATA_TRY(takeHistory(document, what, index));
  STRATA_TRY(takeBefore(document, what, index));
  if (*format == kPagedIndexFormat) {
    auto pages = pagesOf(listMember(document, "pages"));
    if (!pages || count > 0) {
      return fail(ErrorCode::CorruptData, fmt::format("{}: names no pages of a list", what));
    }
    index.pages = *std::move(pages);
    if (!document.contains("sweep")) return index;
  }
  if (*format < kSweptIndexFormat) return index;
  STRATA_TRY(takeSweep(document, what, index));
  return index;
}

}  // namespace

Result<RefIndex> parseRefIndex(std::string_view text, std::string_view what) {
  return parseList(text, what, kSweptIndexFormat);
}

Result<RefIndex> parseRefHead(std::string_view text, std::string_view what) {
  STRATA_TRY(RefIndex index, parseList(text, what, kPagedIndexFormat));
  if (index.check.empty()) index.check = checkOf(text).substr(0, kStampDigits);
  return index;
}

namespace {

/// The name and the ref of `"NAME":REF`; nothing if it is none.
std::optional<std::pair<std::string, std::string_view>> refOfLine(std::string_view line) {
  if (!line.starts_with('"')) return std::nullopt;
  std::size_t end = 1;
  while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
  if (end + 1 >= line.size() || line[end + 1] != ':') return std::nullopt;
  const json name = json::parse(line.substr(0, end + 1), nullptr, false);
  const std::string_view ref = line.substr(end + 2);
  const bool isRef = name.is_string() && ref.starts_with('{') && ref.size() <= kMaxMemberBytes &&
                     json::accept(ref);
  if (!isRef) return std::nullopt;
  return std::pair(name.get<std::string>(), ref);
}

}  // namespace

Result<std::map<std::string, RefText>> parseRefLines(std::string_view text, std::string_view what) {
  constexpr std::string_view kBegin = "{\"format\":1,\"refs\":{";
  constexpr std::string_view kEnd = "\n}}\n";
  std::map<std::string, RefText> refs;
  bool isSound = text.size() <= kMaxIndexBytes && text.size() >= kBegin.size() + kEnd.size() &&
                 text.starts_with(kBegin) && text.ends_with(kEnd);
  if (isSound) {
    text.remove_prefix(kBegin.size());
    text.remove_suffix(kEnd.size());
  }
  while (isSound && !text.empty()) {
    isSound = text.front() == '\n';
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    const bool isLast = text.empty();
    isSound = isSound && (isLast || line.ends_with(','));
    if (!isLast) line.remove_suffix(std::min<std::size_t>(line.size(), 1));
    auto ref = refOfLine(line);
    isSound = isSound && ref && refs.size() < kMaxRefs &&
              (refs.empty() || refs.rbegin()->first < ref->first);
    if (isSound) refs.emplace_hint(refs.end(), std::move(ref->first), ref->second);
  }
  if (isSound) return refs;
  return fail(ErrorCode::CorruptData, fmt::format("{}: is no list of refs, a line for each", what));
}

std::string serializeRefHead(const RefIndex& index) {
  std::string text = fmt::format("{{\"format\":{},\"refs\":{{}},\"pages\":[", kPagedIndexFormat);
  std::string_view separator = "\n";
  for (const RefPage& page : index.pages) {
    text +=
        fmt::format("{}[{},\"{}\",{}]", separator, page.number, toHex(page.digest), page.byteCount);
    separator = ",\n";
  }
  return ended(text + "\n]" + historyText(index), index.number);
}

Result<std::map<std::string, RefText>> parseRefPage(std::string_view text, const RefPage& page,
                                                    std::string_view what) {
  const auto damaged = [&](std::string_view why) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: {}", what, why));
  };
  if (text.size() != page.byteCount || sha256(std::as_bytes(std::span(text))) != page.digest) {
    return damaged("its bytes do not match its hash");
  }
  if (!IndexScan(text).isBounded()) return damaged("has a ref that is too long, or is no page");
  std::map<std::string, RefText> refs;
  bool isSound = true;
  const auto take = [&](const std::string& name, const json& ref) {
    isSound =
        ref.is_object() && refs.size() < kMaxRefs && (refs.empty() || refs.rbegin()->first < name);
    if (isSound) refs.emplace_hint(refs.end(), name, ref.dump());
    return isSound;
  };
  STRATA_TRY(const json document, parseJsonMembers(text, what, "refs", take));
  if (!isSound || refs.empty()) return damaged("is no page of refs in the order of their names");
  return refs;
}

}  // namespace strata
