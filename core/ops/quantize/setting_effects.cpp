#include "core/ops/quantize/setting_effects.h"

#include <fmt/format.h>

#include "core/quantize/setting_uses.h"
#include "core/text/glob.h"

namespace strata {
bool isMeasured(const QualityPlan& plan, bool hasEvaluator) {
  const SearchTarget& target = plan.target;
  return target.bytes || target.error || (target.qualityLoss && hasEvaluator);
}

bool isSearched(const QualityPlan& plan, bool hasEvaluator) {
  return isMeasured(plan, hasEvaluator) && plan.method != SearchMethod::Fixed;
}

Result<void> checkEffects(const QualityPlan& plan, std::span<const AskedSetting> asked,
                          bool isSearched) {
  const bool areLevelsSearched = isSearched && (plan.method == SearchMethod::Guided ||
                                                plan.method == SearchMethod::Neighbourhood);
  for (const AskedSetting& one : asked) {
    const auto reason = idleReason(one.setting, plan.quantize, areLevelsSearched);
    if (reason) {
      return fail(ErrorCode::InvalidArgument, fmt::format("{} {}", one.shownAs, *reason));
    }
  }
  // What a search chooses is not missing.
  std::string missing = isSearched ? std::string() : missingSetting(plan.quantize);
  if (missing.empty()) return {};
  return fail(ErrorCode::InvalidArgument, std::move(missing));
}

Result<void> checkProtected(const ModelDescription& model, std::span<const std::string> globs,
                            std::string_view shownAs) {
  std::vector<std::string_view> names;
  for (const TensorInfo& tensor : model.tensors) names.push_back(tensor.name);
  const std::string* const glob = unmatchedGlob(globs, names);
  if (glob == nullptr) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: none of the {} tensors matches {}", shownAs, names.size(), *glob));
}

}  // namespace strata
