#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata {

/// What values a setting takes.
enum class SettingKind { Text, Choice, WholeNumber, ByteCount, YesOrNo };

/// See Setting::confirmed.
inline constexpr std::string_view kConfirmedIfLess = "<";

/// One thing that can be configured.
struct Setting {
  std::string_view key;  ///< "trash.days": a table and a key of the TOML file, or a key
  SettingKind kind;
  std::string_view fallback;     ///< the value where nobody set one
  std::string_view environment;  ///< variable that overrides the files; may be empty
  std::string_view choices;      ///< "auto|always|never" for a Choice
  std::string_view help;         ///< one line, for `config list` and the settings page
  /// Values that a store may only give after its user confirmed them: "*" any, kConfirmedIfLess a
  /// number below the user's own, else just this one.
  std::string_view confirmed = {};
};

/// All settings, sorted by key.
std::span<const Setting> allSettings() noexcept;

/// Fails with NotFound if there is no such setting.
Result<const Setting*> findSetting(std::string_view key);

/// The value as the file keeps it: "yes" becomes "true". Fails with InvalidArgument, naming the
/// key, the value and what is allowed.
Result<std::string> normalizedValue(const Setting& setting, std::string_view value);

}  // namespace strata
