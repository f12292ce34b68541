#include "core/archive/write/steps/former_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/archive/layout.h"
#include "core/codec/exact/delta_codec.h"

namespace strata {
namespace {

/// Writers make one for a group; more than a few are a forger's.
constexpr std::size_t kMostFormerSteps = 8;

/// Collects the steps of the version's parts, by the first moment that they stand on.
class StepList {
 public:
  StepList(const VersionReader& version, const ModelDescription& model)
      : version_(version), model_(model) {}

  std::vector<StepGroup> run() {
    for (const ManifestTensor& tensor : version_.manifest().tensors) {
      const auto own = numberAt(tensor.file, tensor.offset);
      if (own) addTensor(tensor, *own);
    }
    std::vector<StepGroup> groups;
    for (auto& [first, group] : groups_) groups.push_back(std::move(group));
    return groups;
  }

 private:
  void addTensor(const ManifestTensor& tensor, std::uint32_t own) {
    const auto layout = layoutOf(tensor);
    if (!layout) return;
    for (std::size_t p = 0; p < tensor.parts.size(); ++p) {
      const ManifestPart& part = tensor.parts[p];
      if (part.furtherViews.empty() || !part.section) continue;
      const PartShape shape = layout->shapeOf(layout->parts[p]);
      const auto predictor = predictorOf(shape, version_.payload(*part.section));
      if (predictor && predictor->sourceCount() == part.sourceCount()) {
        addPart(own, part, *predictor);
      }
    }
  }

  void addPart(std::uint32_t own, const ManifestPart& part, const Predictor& predictor) {
    const AdamStep* const step = predictor.step();
    if (step == nullptr) return;
    if (predictor.tellsMoments()) {
      StepGroup* const group = groupAt(part.source(2), *step);
      if (group != nullptr) group->secondMoment = own;
    } else {
      StepGroup* const group = groupAt(part.source(1), *step);
      if (group == nullptr) return;
      group->weights = own;
      if (part.sourceCount() < 3 || group->secondMoment) return;
      const PartView& second = part.source(2);
      if (second.own) group->secondMoment = numberAt(second.file, second.offset);
    }
  }

  /// The group of the first moment that an own view shows, with this step among its own.
  StepGroup* groupAt(const PartView& first, const AdamStep& step) {
    const auto number = first.own ? numberAt(first.file, first.offset) : std::nullopt;
    if (!number) return nullptr;
    StepGroup& group = groups_[*number];
    group.firstMoment = *number;
    const bool isNew = std::ranges::find(group.steps, step) == group.steps.end();
    if (isNew && group.steps.size() < kMostFormerSteps) group.steps.push_back(step);
    return &group;
  }

  /// The model's tensor that a byte of a file is of.
  std::optional<std::uint32_t> numberAt(std::uint32_t file, std::uint64_t offset) const {
    const auto behind = std::partition_point(
        model_.tensors.begin(), model_.tensors.end(), [&](const TensorInfo& tensor) {
          return std::pair(tensor.file, tensor.offset) <= std::pair(file, offset);
        });
    if (behind == model_.tensors.begin()) return std::nullopt;
    const TensorInfo& tensor = *std::prev(behind);
    if (tensor.file != file || offset - tensor.offset >= tensor.byteCount) return std::nullopt;
    return static_cast<std::uint32_t>(std::prev(behind) - model_.tensors.begin());
  }

  const VersionReader& version_;
  const ModelDescription& model_;
  std::map<std::uint32_t, StepGroup> groups_;  ///< by the number of the first moment
};

}  // namespace

std::vector<StepGroup> formerSteps(const VersionReader& version, const ModelDescription& model) {
  return StepList(version, model).run();
}

}  // namespace strata
