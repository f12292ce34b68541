#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/quantize/quantize_settings.h"
#include "core/result.h"
#include "core/search/search.h"

namespace strata {

/// What a lossy profile says beyond its name: how to quantize, and what to look for where a score
/// can be measured.
struct QualityPlan {
  QuantizeSettings quantize = {};  ///< as they are, or where a search begins
  SearchTarget target = {};        ///< may be empty: the settings as they are
  SearchMethod method = SearchMethod::Auto;
  std::optional<unsigned> trials = {};
  std::optional<std::chrono::seconds> timeLimit = {};

  bool hasTarget() const noexcept { return target.qualityLoss || target.bytes || target.error; }
};

/// Reads "quality_loss=0.5", "size=20MB" or "error=0.02" into `target`, instead of what it held.
/// Fails with InvalidArgument, naming what is expected.
Result<void> parseTarget(std::string_view text, SearchTarget& target);

/// "quality loss of at most 0.5 points", "size of at most 20 MB", "relative error of at most 0.02".
std::string targetText(const SearchTarget& target);

/// The tables [target], [quantize], [[rule]] and [search] of a profile in TOML. Checks each key and
/// range; fails with InvalidArgument, naming `source`, the key and the nearest one that exists.
Result<QualityPlan> parseQualityPlan(const std::string& toml, const std::string& source);

/// The TOML of a whole lossy profile, which parseQualityPlan() reads back as it was.
std::string qualityProfileText(const std::string& description, const QualityPlan& plan);

}  // namespace strata
