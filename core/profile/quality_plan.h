#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/digest.h"
#include "core/quantize/quantize_settings.h"
#include "core/result.h"
#include "core/search/search.h"

namespace strata {

/// A score that was measured with a profile's settings, of one model.
struct ProfileScore {
  Digest content;    ///< of what that model restored to: the score holds for nothing else
  std::string data;  ///< "choice": the settings were chosen on it; "test": they were not
  std::string metric;
  double reference = 0;  ///< of the unquantized model
  double score = 0;
  std::uint64_t samples = 0;  ///< 0: not known
  std::optional<double> divergence = {};
  std::optional<double> pValue = {};
};

/// What a lossy profile says beyond its name: how to quantize, and what to look for where a score
/// can be measured.
struct QualityPlan {
  QuantizeSettings quantize = {};  ///< as they are, or where a search begins
  SearchTarget target = {};        ///< may be empty: the settings as they are
  SearchMethod method = SearchMethod::Auto;
  std::optional<unsigned> trials = {};
  std::optional<std::chrono::seconds> timeLimit = {};
  std::vector<ProfileScore> scores = {};  ///< of the model that the settings were found for

  bool hasTarget() const noexcept { return target.qualityLoss || target.bytes || target.error; }
};

/// Reads "quality_loss=0.5", "size=20MB" or "error=0.02" into `target`, instead of what it held.
/// Fails with InvalidArgument, naming what is expected.
Result<void> parseTarget(std::string_view text, SearchTarget& target);

/// Fails with InvalidArgument for a target that needs no search: a relative error of 0.
Result<void> checkTarget(const SearchTarget& target);

/// "quality loss of at most 0.5 points", "size of at most 20 MB", "relative error of at most 0.02".
std::string targetText(const SearchTarget& target);

/// The tables [target], [quantize], [[rule]], [search] and [[score]] of a profile in TOML. Checks
/// each key and range; fails with InvalidArgument, naming `source`, the key and the nearest one
/// that exists.
Result<QualityPlan> parseQualityPlan(const std::string& toml, const std::string& source);

/// The TOML of a whole lossy profile, which parseQualityPlan() reads back as it was.
std::string qualityProfileText(const std::string& description, const QualityPlan& plan);

}  // namespace strata
