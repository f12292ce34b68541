#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/write/effort.h"
#include "core/profile/quality_plan.h"
#include "core/result.h"

namespace strata {

/// A named set of compression settings: a TOML file, or one that comes with the program.
struct Profile {
  std::string name;
  std::string mode = {};              ///< "exact", "quality" or "size"
  std::string description = {};       ///< one line
  std::optional<Effort> effort = {};  ///< nothing: as the caller wishes
  std::string codec = "auto";         ///< as AddOptions::codec
  std::filesystem::path file = {};    ///< empty for the shipped ones
  std::string text = {};              ///< the TOML
  QualityPlan plan = {};              ///< of a lossy profile

  bool isShipped() const noexcept { return file.empty(); }
  bool isExact() const noexcept { return mode == "exact"; }
};

/// Where this user's profiles lie: `profiles` in the config folder.
std::filesystem::path profileFolder();

/// The shipped profiles, then those in `folder`, each sorted by name; a file that cannot be read is
/// left out and named in `problems`. Fails with Io.
Result<std::vector<Profile>> listProfiles(const std::filesystem::path& folder,
                                          std::vector<std::string>* problems);

/// Fails with NotFound, naming what there is, InvalidArgument or Io.
Result<Profile> loadProfile(const std::filesystem::path& folder, std::string_view name);

/// The same, or the profile in a file, where `word` ends in ".toml". Fails with what loadProfile
/// fails with.
Result<Profile> loadProfileOrFile(const std::filesystem::path& folder, const std::string& word);

/// Reads a profile. Fails with InvalidArgument, naming `source` and the key or line.
Result<Profile> parseProfile(std::string name, std::string text, const std::string& source);

/// Whether a profile of this name comes with the program.
bool isShippedProfile(std::string_view name) noexcept;

/// Whether a profile may replace another one of its name.
enum class Replace { No, Yes };

/// Writes `profile.text` to `folder`. Fails with InvalidArgument if the name is malformed, shipped,
/// or taken and not to be replaced; NoSpace, Io.
Result<Profile> saveProfile(const std::filesystem::path& folder, Profile profile, Replace replace);

/// Deletes the file of a profile. Fails with NotFound, InvalidArgument for a shipped one, Io.
Result<Profile> removeProfile(const std::filesystem::path& folder, std::string_view name);

/// The TOML of an exact profile.
std::string exactProfileText(std::string_view description, std::optional<Effort> effort,
                             std::string_view codec);

}  // namespace strata
