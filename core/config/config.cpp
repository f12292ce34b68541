#include "core/config/config.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <array>
#include <charconv>
#include <cstdlib>

#include "core/config/byte_count.h"
#include "core/config/store_owner.h"
#include "core/config/toml_file.h"
#include "core/text/url_text.h"

namespace strata {
namespace {

/// A TOML value as text; nothing for tables, arrays and dates.
std::optional<std::string> asText(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  return std::nullopt;
}

std::uint64_t wholeNumberOf(const std::string& digits) noexcept {
  std::uint64_t parsed = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
  return parsed;
}

/// All leaves of a document as "table.key" and text.
void collect(const toml::table& table, const std::string& prefix,
             std::vector<std::pair<std::string, const toml::node*>>& leaves) {
  for (const auto& [key, node] : table) {
    const std::string path = prefix + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      collect(*inner, path + ".", leaves);
    } else {
      leaves.emplace_back(path, &node);
    }
  }
}

}  // namespace

std::optional<StoreStatement> statementOf(const Setting& setting, std::string_view value) {
  const bool needsWord = setting.confirmed == "*" || setting.confirmed == kConfirmedIfLess ||
                         setting.confirmed == value;
  if (setting.confirmed.empty() || !needsWord) return std::nullopt;
  return StoreStatement::make(std::string(setting.key), value, withoutPassword(value));
}

std::string_view name(ConfigOrigin origin) noexcept {
  static constexpr std::array<std::string_view, 5> kNames{"default", "user", "store", "env",
                                                          "flag"};
  return kNames[static_cast<std::size_t>(origin)];
}

Config Config::defaults() {
  Config config;
  for (const Setting& setting : allSettings()) {
    config.values_[std::string(setting.key)].text = setting.fallback;
  }
  return config;
}

Result<Config> Config::load(const std::filesystem::path& userFile,
                            const std::optional<std::filesystem::path>& storeFile) {
  Config config = defaults();
  STRATA_TRY(config.readUserFile(userFile));
  if (storeFile) STRATA_TRY(config.readStoreFile(*storeFile));
  STRATA_TRY(config.readEnvironment());
  return config;
}

Result<void> Config::readUserFile(const std::filesystem::path& file) {
  STRATA_TRY(const std::string text, readTomlText(file));
  return readText(text, file, ConfigOrigin::User, {});
}

Result<void> Config::readStoreFile(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  STRATA_TRY(const TrustedStore trusted, trustOf(folder));
  // Opening the store says why it is not used.
  if (!checkStoreOwner(folder)) return {};
  STRATA_TRY(const std::string text, readStoreText(folder, file.filename().string()));
  return readText(text, file, ConfigOrigin::Store, trusted);
}

Result<void> Config::readText(std::string_view text, const std::filesystem::path& file,
                              ConfigOrigin origin, const TrustedStore& trusted) {
  STRATA_TRY(const toml::table document, parseToml(text, file));
  std::vector<std::pair<std::string, const toml::node*>> leaves;
  collect(document, "", leaves);
  for (const auto& [key, node] : leaves) {
    const auto setting = findSetting(key);
    if (!setting) {
      unknownKeys_.push_back(fmt::format("{}: {}", file.string(), key));
      continue;
    }
    const auto value = asText(*node);
    const auto normal = normalizedValue(**setting, value.value_or("a table or list"));
    if (!normal) return fail(normal.error().within(file.string()));
    auto statement = statementOf(**setting, *normal);
    const bool isLess =
        (*setting)->confirmed != kConfirmedIfLess || wholeNumberOf(*normal) < number(key);
    if (origin == ConfigOrigin::Store && statement && isLess && !trusted.confirms(*statement)) {
      unconfirmed_.push_back({(*setting)->key, file, *std::move(statement)});
      continue;
    }
    values_[key] = {*normal, origin, file.string()};
  }
  return {};
}

void Config::overrule(const std::string& key, ConfigValue value) {
  values_[key] = std::move(value);
  std::erase_if(unconfirmed_, [&](const UnconfirmedSetting& one) { return one.key == key; });
}

Result<void> Config::checkConfirmed(std::string_view key) const {
  for (const UnconfirmedSetting& one : unconfirmed_) {
    if (one.key == key) return fail(notConfirmed(one.file, one.statement));
  }
  return {};
}

Result<std::vector<StoreStatement>> statementsOfSettings(const std::filesystem::path& storeFolder) {
  const std::filesystem::path file = storeFolder / "config.toml";
  STRATA_TRY(const std::string text, readTomlText(file));
  STRATA_TRY(const toml::table document, parseToml(text, file));
  std::vector<std::pair<std::string, const toml::node*>> leaves;
  collect(document, "", leaves);
  std::vector<StoreStatement> statements;
  for (const auto& [key, node] : leaves) {
    const auto setting = findSetting(key);
    if (!setting) continue;
    const auto normal = normalizedValue(**setting, asText(*node).value_or("a table or list"));
    if (!normal) return fail(normal.error().within(file.string()));
    if (auto statement = statementOf(**setting, *normal))
      statements.push_back(*std::move(statement));
  }
  return statements;
}

Result<void> Config::readEnvironment() {
  for (const Setting& setting : allSettings()) {
    if (setting.environment.empty()) continue;
    const std::string variable(setting.environment);
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr || *value == '\0') continue;
    const auto normal = normalizedValue(setting, value);
    if (!normal) return fail(normal.error().within(variable));
    overrule(std::string(setting.key), {*normal, ConfigOrigin::Environment, variable});
  }
  return {};
}

Result<void> Config::override(std::string_view key, std::string_view value) {
  STRATA_TRY(const Setting* setting, findSetting(key));
  STRATA_TRY(std::string normal, normalizedValue(*setting, value));
  overrule(std::string(key), {std::move(normal), ConfigOrigin::Flag, ""});
  return {};
}

const ConfigValue& Config::value(std::string_view key) const noexcept {
  static const ConfigValue kNone;
  const auto found = values_.find(key);
  return found == values_.end() ? kNone : found->second;
}

std::uint64_t Config::number(std::string_view key) const noexcept {
  return wholeNumberOf(text(key));
}

std::uint64_t Config::byteCount(std::string_view key) const noexcept {
  return parseByteCount(text(key)).value_or(0);
}

}  // namespace strata
