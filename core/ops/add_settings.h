#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/archive/effort.h"
#include "core/config/config.h"
#include "core/ops/add_version.h"
#include "core/ops/import_base.h"
#include "core/profile/profile.h"

namespace strata {

/// How a program was asked to code a model: the options of a command, the fields of a form. What is
/// not said follows from the profile, and what the profile does not say from the settings in force.
/// chooseCoding() is the one place where that is decided.
struct CodingWish {
  /// The name of a profile, or its FILE.toml; nothing: the setting `profile`.
  std::optional<std::string> profile = {};
  bool exact = false;                     ///< whatever is configured; excludes lossy wishes
  std::optional<std::string> codec = {};  ///< as AddOptions::codec; a lossy one asks for loss
  std::optional<Effort> effort = {};      ///< beats that of the profile
  std::optional<std::string> base = {};   ///< a reference, "none" or "auto"
  std::optional<ChainPolicy> chain = {};  ///< nothing: as the options have it
  bool asksForLoss = false;               ///< something else asks for it: a target, a step
  /// What is asked for on top of the profile's plan; called where the version will be lossy.
  std::function<Result<QualityPlan>(QualityPlan)> quality = {};
};

/// Fills in what `wish`, the profile and the settings say together: profile, codec, effort, memory,
/// base and chain of `options`, whose other fields stay. Answers the plan of a lossy version;
/// nothing for an exact one. Fails with InvalidArgument where wishes exclude each other, with what
/// loading the profile fails with (NotFound, InvalidArgument, Io), and with what `quality` does.
Result<std::optional<QualityPlan>> chooseCoding(const CodingWish& wish, const Config& config,
                                                AddOptions& options);

/// The same for a profile that is loaded: profile, codec, effort, memory, base and chain of
/// `options`, for a version that is lossy or not.
void applyProfile(const Profile& profile, const CodingWish& wish, const Config& config,
                  AddOptions& options);

/// What the settings in force say of an import: working memory, and the effort unless one is asked
/// for.
void applySettings(const Config& config, std::optional<Effort> asked, ImportOptions& options);

/// Whether names, tags, texts and the codec are ones that a version may have. Fails with
/// InvalidArgument.
Result<void> checkAddOptions(const AddOptions& options);

}  // namespace strata
