#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config/settings.h"
#include "core/config/store_trust.h"

namespace strata {

/// Where a value comes from; later ones win.
enum class ConfigOrigin { Default, User, Store, Environment, Flag };

std::string_view name(ConfigOrigin origin) noexcept;  ///< "default", "user", "store", "env", "flag"

/// A setting's value and where it was set.
struct ConfigValue {
  std::string text;
  ConfigOrigin origin = ConfigOrigin::Default;
  std::string source;  ///< the file or variable; empty for defaults and flags
};

/// A value that a store's file gives and that does not count.
struct UnconfirmedSetting {
  std::string_view key;
  std::filesystem::path file;
  StoreStatement statement;
};

/// The settings in force: flag over environment over store over user over default.
/// A value type; one thread at a time.
class Config {
 public:
  /// Reads the files that exist; a missing one is like an empty one, and so is that of a store of
  /// somebody else whom the user did not accept. Fails with InvalidArgument, naming file and line
  /// or key, and with Io.
  static Result<Config> load(const std::filesystem::path& userFile,
                             const std::optional<std::filesystem::path>& storeFile);

  /// What holds where nothing is set.
  static Config defaults();

  /// A flag's value, which beats all others. Fails with InvalidArgument or NotFound.
  Result<void> override(std::string_view key, std::string_view value);

  /// `key` must be one of allSettings().
  const ConfigValue& value(std::string_view key) const noexcept;
  const std::string& text(std::string_view key) const noexcept { return value(key).text; }
  bool isOn(std::string_view key) const noexcept { return text(key) == "true"; }
  std::uint64_t number(std::string_view key) const noexcept;
  std::uint64_t byteCount(std::string_view key) const noexcept;

  /// Keys in the files that this program does not know, as "FILE: KEY".
  const std::vector<std::string>& unknownKeys() const noexcept { return unknownKeys_; }

  /// Values of the store's file that do not count, because the user did not confirm them, and that
  /// neither environment nor a flag overrules.
  const std::vector<UnconfirmedSetting>& unconfirmed() const noexcept { return unconfirmed_; }
  /// Fails with InvalidArgument, saying what confirms it, if the store's own value of `key` is one
  /// of these: for what must not go on without.
  Result<void> checkConfirmed(std::string_view key) const;

 private:
  Result<void> readUserFile(const std::filesystem::path& file);
  Result<void> readStoreFile(const std::filesystem::path& file);
  Result<void> readText(std::string_view text, const std::filesystem::path& file,
                        ConfigOrigin origin, const TrustedStore& trusted);
  Result<void> readEnvironment();
  void overrule(const std::string& key, ConfigValue value);

  std::map<std::string, ConfigValue, std::less<>> values_;
  std::vector<std::string> unknownKeys_;
  std::vector<UnconfirmedSetting> unconfirmed_;
};

/// What a store's value of a setting says; nothing if it counts without its user's word.
std::optional<StoreStatement> statementOf(const Setting& setting, std::string_view value);

/// What the settings file in a store says. Fails as Config::load.
Result<std::vector<StoreStatement>> statementsOfSettings(const std::filesystem::path& storeFolder);

/// Sets one key in a settings file and keeps all other lines, comments included. Makes the file and
/// its folder if needed. Fails with InvalidArgument (value, or a file that is not TOML) and Io.
Result<void> setInFile(const std::filesystem::path& file, const Setting& setting,
                       std::string_view value);

/// Takes one key out. Answers whether it was there.
Result<bool> unsetInFile(const std::filesystem::path& file, const Setting& setting);

}  // namespace strata
