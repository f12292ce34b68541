#include "core/profile/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/toml_file.h"
#include "core/config/user_folders.h"
#include "core/io/text_file.h"
#include "core/profile/shipped_profiles.h"
#include "core/store/refs/reference.h"
#include "core/store/run_tags.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message));
}

/// The text under `key`; empty where it is missing. Fails if it is something else.
Result<std::string> textOf(const toml::table& table, std::string_view key,
                           const std::string& source) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::string{};
  if (const auto* text = node->as_string()) return text->get();
  return refuse(fmt::format("{}: {} is not a text in quotes", source, key));
}

/// In an exact profile an unknown key is a typing error; quality_plan.cpp checks lossy ones.
Result<void> checkKeys(const toml::table& table, const std::string& source) {
  constexpr std::string_view kKnown[] = {"description", "mode", "effort", "codec"};
  for (const auto& [key, node] : table) {
    if (std::find(std::begin(kKnown), std::end(kKnown), key.str()) == std::end(kKnown)) {
      return refuse(fmt::format("{}: an exact profile has no \"{}\"; it has {}", source, key.str(),
                                fmt::join(kKnown, ", ")));
    }
  }
  return {};
}

fs::path fileOf(const fs::path& folder, std::string_view name) {
  return folder / (std::string(name) + ".toml");
}

Result<Profile> loadFile(const fs::path& file) {
  STRATA_TRY(std::string text, readTomlText(file));
  STRATA_TRY(Profile profile, parseProfile(file.stem().string(), std::move(text), file.string()));
  profile.file = file;
  return profile;
}

Result<std::vector<fs::path>> profileFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code status;
  if (!fs::is_directory(folder, status)) return files;
  for (fs::directory_iterator entry(folder, status), end; !status && entry != end;
       entry.increment(status)) {
    if (entry->path().extension() == ".toml") files.push_back(entry->path());
  }
  if (status) return fail(ErrorCode::Io, folder.string() + ": " + status.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

fs::path profileFolder() { return userFolders().config / "profiles"; }

Result<Profile> parseProfile(std::string name, std::string text, const std::string& source) {
  if (name == kWeightsOnly) {
    return refuse(
        fmt::format("{}: {} is no name for a profile: snapshots that lost their optimizer "
                    "have it",
                    source, name));
  }
  STRATA_TRY(const toml::table table, parseToml(text, source));
  Profile profile{.name = std::move(name), .text = std::move(text)};
  STRATA_TRY(profile.mode, textOf(table, "mode", source));
  STRATA_TRY(profile.description, textOf(table, "description", source));
  STRATA_TRY(const std::string effort, textOf(table, "effort", source));
  STRATA_TRY(const std::string codec, textOf(table, "codec", source));
  if (profile.mode != "exact" && profile.mode != "quality" && profile.mode != "size") {
    return refuse(
        fmt::format("{}: mode is \"{}\", expected exact, quality or size", source, profile.mode));
  }
  profile.effort = effortFromName(effort);
  if (!effort.empty() && !profile.effort) {
    return refuse(
        fmt::format("{}: effort is \"{}\", expected fast, default or best", source, effort));
  }
  if (!codec.empty()) profile.codec = codec;
  if (profile.isExact()) {
    STRATA_TRY(checkKeys(table, source));
  } else {
    STRATA_TRY(profile.plan, parseQualityPlan(profile.text, source));
  }
  return profile;
}

Result<std::vector<Profile>> listProfiles(const fs::path& folder,
                                          std::vector<std::string>* problems) {
  std::vector<Profile> profiles;
  for (const ShippedProfile& shipped : shippedProfiles()) {
    STRATA_TRY(profiles.emplace_back(),
               parseProfile(std::string(shipped.name), std::string(shipped.text), "shipped"));
  }
  STRATA_TRY(const std::vector<fs::path> files, profileFiles(folder));
  for (const fs::path& file : files) {
    if (isShippedProfile(file.stem().string())) continue;
    auto profile = loadFile(file);
    if (profile) {
      profiles.push_back(std::move(*profile));
    } else if (problems != nullptr) {
      problems->push_back(profile.error().message);
    }
  }
  return profiles;
}

Result<Profile> loadProfile(const fs::path& folder, std::string_view name) {
  for (const ShippedProfile& shipped : shippedProfiles()) {
    if (shipped.name == name) {
      return parseProfile(std::string(name), std::string(shipped.text), "shipped");
    }
  }
  STRATA_TRY(checkPlainName(name));
  std::error_code status;
  if (fs::exists(fileOf(folder, name), status)) return loadFile(fileOf(folder, name));
  STRATA_TRY(const std::vector<Profile> known, listProfiles(folder, nullptr));
  std::vector<std::string_view> names;
  for (const Profile& profile : known) names.push_back(profile.name);
  return fail(ErrorCode::NotFound, fmt::format("there is no profile \"{}\"; there are {}", name,
                                               fmt::join(names, ", ")));
}

Result<Profile> loadProfileOrFile(const fs::path& folder, const std::string& word) {
  if (!word.ends_with(".toml")) return loadProfile(folder, word);
  std::error_code status;
  if (!fs::exists(word, status)) return fail(ErrorCode::NotFound, word + ": no such file");
  return loadFile(word);
}

bool isShippedProfile(std::string_view name) noexcept {
  const auto shipped = shippedProfiles();
  return name == kWeightsOnly ||
         std::any_of(shipped.begin(), shipped.end(),
                     [&](const ShippedProfile& profile) { return profile.name == name; });
}

Result<Profile> saveProfile(const fs::path& folder, Profile profile, Replace replace) {
  STRATA_TRY(checkPlainName(profile.name));
  if (isShippedProfile(profile.name)) {
    return refuse(
        fmt::format("profile {} comes with the program and cannot be replaced", profile.name));
  }
  profile.file = fileOf(folder, profile.name);
  std::error_code status;
  if (replace == Replace::No && fs::exists(profile.file, status)) {
    return refuse(
        fmt::format("profile {} exists already: {}", profile.name, profile.file.string()));
  }
  STRATA_TRY(writeTextFile(profile.file, profile.text));
  return profile;
}

Result<Profile> removeProfile(const fs::path& folder, std::string_view name) {
  STRATA_TRY(Profile profile, loadProfile(folder, name));
  if (profile.isShipped()) {
    return refuse(fmt::format("profile {} comes with the program and cannot be removed", name));
  }
  std::error_code status;
  fs::remove(profile.file, status);
  if (status) return fail(ErrorCode::Io, profile.file.string() + ": " + status.message());
  return profile;
}

std::string exactProfileText(std::string_view description, std::optional<Effort> effort,
                             std::string_view codec) {
  toml::table table{{"mode", "exact"}};
  if (!description.empty()) table.insert("description", std::string(description));
  if (effort) table.insert("effort", std::string(name(*effort)));
  if (codec != "auto") table.insert("codec", std::string(codec));
  std::ostringstream text;
  text << table << '\n';
  return text.str();
}

}  // namespace strata
