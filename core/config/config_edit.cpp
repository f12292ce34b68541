#include <fmt/format.h>

#include "core/config/config.h"
#include "core/config/toml_file.h"
#include "core/io/text_file.h"
#include "core/text/url_text.h"

namespace strata {
namespace {

/// A setting's place in a TOML file: "trash.days" is `days` in the table `trash`.
struct KeyPlace {
  std::string_view table;
  std::string_view leaf;
};

KeyPlace placeOf(std::string_view key) noexcept {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return {"", key};
  return {key.substr(0, dot), key.substr(dot + 1)};
}

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The table that a line opens: "[trash] # note" gives "trash".
std::optional<std::string_view> openedTable(std::string_view line) noexcept {
  line = trimmed(line);
  if (!line.starts_with('[') || line.starts_with("[[")) return std::nullopt;
  return trimmed(line.substr(1, line.find(']') - 1));
}

bool setsKey(std::string_view line, std::string_view key) noexcept {
  const std::size_t equals = line.find('=');
  return equals != std::string_view::npos && trimmed(line.substr(0, equals)) == key;
}

/// Where a key stands in a file, or where it belongs.
struct Spot {
  std::optional<std::size_t> line;    ///< the line that sets it
  std::optional<std::size_t> insert;  ///< a line of its table, behind which it can stand
};

Spot findSpot(const std::vector<std::string>& lines, std::string_view key) {
  const KeyPlace place = placeOf(key);
  Spot spot;
  std::string_view table;
  if (place.table.empty()) spot.insert = 0;
  for (std::size_t number = 0; number < lines.size(); ++number) {
    const std::string_view line = lines[number];
    if (const auto opened = openedTable(line)) table = *opened;
    const bool isHere = table == place.table;
    if ((isHere && setsKey(line, place.leaf)) || (table.empty() && setsKey(line, key))) {
      spot.line = number;
    }
    if (isHere && !trimmed(line).empty()) spot.insert = number + 1;
  }
  return spot;
}

std::string quotedText(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "\"";
}

std::string tomlValue(const Setting& setting, const std::string& value) {
  const bool isBare =
      setting.kind == SettingKind::WholeNumber || setting.kind == SettingKind::YesOrNo;
  return isBare ? value : quotedText(value);
}

/// What a document says of a key; nothing where it does not, or says it as a table or list.
std::optional<std::string> saidBy(const toml::table& document, std::string_view key) {
  const auto node = document.at_path(key);
  if (const auto* const text = node.as_string()) return text->get();
  if (const auto* const whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* const flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

/// Writes an edited text. The edit went by lines, and lines within a text of several look like
/// others, so what it came to is looked at first.
Result<void> writeEdited(const std::filesystem::path& file, const std::vector<std::string>& lines,
                         std::string_view key, const std::optional<std::string>& expected) {
  const std::string edited = joined(lines);
  STRATA_TRY(const toml::table document, parseToml(edited, file));
  if (saidBy(document, key) == expected) return writeTextFile(file, edited);
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: {} is not on a line of its own; change it with an editor",
                          file.string(), key));
}

}  // namespace

Result<void> setInFile(const std::filesystem::path& file, const Setting& setting,
                       std::string_view value) {
  STRATA_TRY(const std::string normal, normalizedValue(setting, value));
  if (const std::string shown = withoutPassword(normal); shown != normal) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: \"{}\" holds a password, which others could read in {}; the "
                            "variable {} may hold one",
                            setting.key, shown, file.string(), setting.environment));
  }
  STRATA_TRY(const std::string text, readTomlText(file));
  STRATA_TRY(parseToml(text, file));
  std::vector<std::string> lines = linesOf(text);
  const Spot spot = findSpot(lines, setting.key);
  const KeyPlace place = placeOf(setting.key);
  const std::string line = fmt::format("{} = {}", place.leaf, tomlValue(setting, normal));
  if (spot.line) {
    const bool isDotted = setsKey(lines[*spot.line], setting.key);
    lines[*spot.line] =
        isDotted ? fmt::format("{} = {}", setting.key, tomlValue(setting, normal)) : line;
  } else if (spot.insert) {
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(*spot.insert), line);
  } else {
    if (!lines.empty()) lines.emplace_back();
    lines.push_back(fmt::format("[{}]", place.table));
    lines.push_back(line);
  }
  return writeEdited(file, lines, setting.key, normal);
}

Result<bool> unsetInFile(const std::filesystem::path& file, const Setting& setting) {
  STRATA_TRY(const std::string text, readTomlText(file));
  STRATA_TRY(parseToml(text, file));
  std::vector<std::string> lines = linesOf(text);
  const Spot spot = findSpot(lines, setting.key);
  if (!spot.line) return false;
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(*spot.line));
  STRATA_TRY(writeEdited(file, lines, setting.key, std::nullopt));
  return true;
}

}  // namespace strata
