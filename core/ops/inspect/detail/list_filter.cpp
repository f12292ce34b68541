#include "core/ops/inspect/detail/list_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/config/byte_count.h"
#include "core/store/store_writer.h"
#include "core/text/glob.h"
#include "core/text/wording.h"

namespace strata {
namespace {

using Condition = std::function<bool(const ListRow&)>;

struct NumberField {
  std::string_view name;
  double (*value)(const ListRow&);
  bool isBytes = false;
};

double uncheckedDays(const ListRow& row) {
  return static_cast<double>(currentTime() - row.version.soundAt()) /
         static_cast<double>(kSecondsOfDay);
}

constexpr std::array<NumberField, 9> kNumberFields{{
    {"ratio", [](const ListRow& row) { return row.version.ratio(); }},
    {"change", [](const ListRow& row) { return row.version.relativeChange; }},
    {"depth", [](const ListRow& row) { return static_cast<double>(row.version.depth); }},
    {"tensors", [](const ListRow& row) { return static_cast<double>(row.version.tensorCount); }},
    {"versions", [](const ListRow& row) { return static_cast<double>(row.versionCount); }},
    {"unchecked", &uncheckedDays},
    {"stored", [](const ListRow& row) { return static_cast<double>(row.version.storedBytes); },
     true},
    {"awaited", [](const ListRow& row) { return static_cast<double>(row.awaited.byteCount); },
     true},
    {"original", [](const ListRow& row) { return static_cast<double>(row.version.originalBytes); },
     true},
}};

/// A text field holds one or several texts; a condition is met if one of them matches.
struct TextField {
  std::string_view name;
  std::vector<std::string> (*values)(const ListRow&);
};

constexpr const char* kLossy = "lossy";
constexpr const char* kExact = "exact";

/// "distilbert:v1" answers to "distilbert", too.
std::vector<std::string> spellings(const std::string& label) {
  return {label, label.substr(0, label.find(':'))};
}

const std::array<TextField, 8> kTextFields{{
    {"name", [](const ListRow& row) { return std::vector{row.version.name}; }},
    {"tag", [](const ListRow& row) { return row.version.tags; }},
    {"base", [](const ListRow& row) { return spellings(row.baseLabel); }},
    {"parent", [](const ListRow& row) { return spellings(row.parentLabel); }},
    {"format", [](const ListRow& row) { return std::vector{row.version.format}; }},
    {"fidelity",
     [](const ListRow& row) {
       return std::vector<std::string>{row.version.lossy ? kLossy : kExact};
     }},
    {"profile", [](const ListRow& row) { return std::vector{row.version.profile}; }},
    {"note", [](const ListRow& row) { return std::vector{row.version.note}; }},
}};

enum class Operator { Less, LessEqual, Equal, NotEqual, GreaterEqual, Greater };

struct Split {
  std::string_view field;
  Operator op = Operator::Equal;
  std::string_view value;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<Split> split(std::string_view condition) {
  static constexpr std::array<std::pair<std::string_view, Operator>, 6> kOperators{{
      {"<=", Operator::LessEqual},
      {">=", Operator::GreaterEqual},
      {"!=", Operator::NotEqual},
      {"<", Operator::Less},
      {">", Operator::Greater},
      {"=", Operator::Equal},
  }};
  const std::size_t at = condition.find_first_of("<>=!");
  if (at == condition.npos) return std::nullopt;
  for (const auto& [sign, op] : kOperators) {
    if (!condition.substr(at).starts_with(sign)) continue;
    return Split{trimmed(condition.substr(0, at)), op, trimmed(condition.substr(at + sign.size()))};
  }
  return std::nullopt;
}

template <typename T>
bool holds(const T& left, Operator op, const T& right) {
  switch (op) {
    case Operator::Less:
      return left < right;
    case Operator::LessEqual:
      return left <= right;
    case Operator::Equal:
      return left == right;
    case Operator::NotEqual:
      return left != right;
    case Operator::GreaterEqual:
      return left >= right;
    case Operator::Greater:
      return left > right;
  }
  return false;
}

tl::unexpected<Error> malformed(std::string_view condition, std::string_view why) {
  return fail(ErrorCode::InvalidArgument, fmt::format("filter \"{}\": {}", condition, why));
}

Result<double> parseNumber(std::string_view condition, std::string_view text, bool isBytes) {
  if (isBytes) {
    const auto bytes = parseByteCount(text);
    if (!bytes) return malformed(condition, bytes.error().message);
    return static_cast<double>(*bytes);
  }
  if (text.ends_with('x')) text.remove_suffix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) {
    return malformed(condition, "expected a number");
  }
  return value;
}

/// "2026-03-09 14:02", or the beginning of such a date; nothing means never.
bool isDate(std::string_view text) {
  constexpr std::string_view kLeast = "0000-01-01 00:00";
  constexpr std::string_view kMost = "9999-12-31 23:59";
  if (text.size() > kMost.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool isDigit = kLeast[i] >= '0' && kLeast[i] <= '9';
    const bool isRight = isDigit ? text[i] >= '0' && text[i] <= '9' : text[i] == kLeast[i];
    if (!isRight) return false;
  }
  for (const std::size_t at : {5, 8, 11, 14}) {
    if (text.size() < at + 2) break;
    const std::string_view part = text.substr(at, 2);
    if (part < kLeast.substr(at, 2) || part > kMost.substr(at, 2)) return false;
  }
  return true;
}

/// Dates compare as text, "2026-03-09 14:02", cut to the length of the value; never is before all.
Condition dateCondition(const Split& parts) {
  const auto moment = parts.field == "checked" ? &VersionEntry::checkedAt : &VersionEntry::addedAt;
  return [value = std::string(parts.value), op = parts.op, moment](const ListRow& row) {
    const std::int64_t at = row.version.*moment;
    return holds(at == 0 ? std::string() : wordDate(at).substr(0, value.size()), op, value);
  };
}

Result<Condition> parseCondition(std::string_view condition, const Split& parts) {
  for (const NumberField& field : kNumberFields) {
    if (field.name != parts.field) continue;
    STRATA_TRY(const double value, parseNumber(condition, parts.value, field.isBytes));
    return Condition([value, op = parts.op, read = field.value](const ListRow& row) {
      return holds(read(row), op, value);
    });
  }
  if (parts.field == "date" || parts.field == "checked") {
    if (!isDate(parts.value)) {
      return malformed(condition, "expected a date like 2026-03-09 or 2026-03-09 14:02");
    }
    return dateCondition(parts);
  }
  for (const TextField& field : kTextFields) {
    if (field.name != parts.field) continue;
    if (parts.op != Operator::Equal && parts.op != Operator::NotEqual) {
      return malformed(condition, "texts are compared with = and != only");
    }
    return Condition([value = std::string(parts.value), isWanted = parts.op == Operator::Equal,
                      read = field.values](const ListRow& row) {
      const std::vector<std::string> texts = read(row);
      return isWanted == std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
               return matchesGlob(text, value);
             });
    });
  }
  return malformed(condition, fmt::format("the fields are {}", listFilterFields()));
}

}  // namespace

std::string_view listFilterFields() noexcept {
  return "ratio, change, depth, tensors, versions, stored, original, awaited, date, checked, "
         "unchecked, name, tag, base, parent, format, fidelity, profile and note";
}

Result<ListFilter> ListFilter::parse(std::string_view text) {
  ListFilter filter;
  while (!trimmed(text).empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view words = trimmed(text.substr(0, comma));
    const bool isFidelity = words == kLossy || words == kExact;
    const auto parts =
        isFidelity ? std::optional(Split{"fidelity", Operator::Equal, words}) : split(words);
    if (!parts) {
      return malformed(words,
                       "expected a field, one of < <= = != >= > and a value, or lossy or exact");
    }
    STRATA_TRY(Condition condition, parseCondition(words, *parts));
    filter.conditions_.push_back(std::move(condition));
    if (parts->field == "tag" && parts->op == Operator::Equal) filter.asksForTag_ = true;
    text.remove_prefix(comma == text.npos ? text.size() : comma + 1);
  }
  return filter;
}

bool ListFilter::accepts(const ListRow& row) const {
  return std::all_of(conditions_.begin(), conditions_.end(),
                     [&](const Condition& condition) { return condition(row); });
}

}  // namespace strata
