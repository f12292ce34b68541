#include "core/archive/write/step_plan.h"

#include <algorithm>
#include <set>

#include "core/archive/read/version_reader.h"
#include "core/archive/write/counterparts.h"
#include "core/archive/write/part_plan.h"

namespace strata {
namespace {

/// Blocks to decode for one of a tensor at most: readers take four times as many.
constexpr std::uint32_t kMostPlannedSteps = 1024;

/// Where a tensor's words are: in the model, and a step before in the parent.
struct StepTensor {
  const TensorInfo* info = nullptr;
  std::span<PartPlan> parts;
  PartView now;
  PartView before;
  std::uint32_t steps = 0;        ///< blocks to decode for one of it, as the parts are planned
  std::uint32_t stepsBefore = 0;  ///< the same in the parent
};

class StepPlanner {
 public:
  StepPlanner(const ModelDescription& model, const VersionReader& parent,
              const Counterparts& counterparts, ModelPlan& plan)
      : model_(model), parent_(parent), counterparts_(counterparts), plan_(plan) {}

  void add(const StepGroup& group) {
    if (!isUsable(group)) return;
    const auto weights = group.weights ? lookedUp(*group.weights) : std::nullopt;
    const auto first = lookedUp(group.firstMoment);
    if (!first || hasOwnView(*first)) return;
    const bool hasSecond = group.secondMoment.has_value();
    auto second = hasSecond ? lookedUp(*group.secondMoment) : std::nullopt;
    if (hasSecond && (!second || hasOwnView(*second))) return;
    forgetSiblings(*first);
    give(*first, group, {first->before});
    if (second) {
      forgetSiblings(*second);
      const std::uint32_t steps = 1 + second->stepsBefore + first->stepsBefore + first->steps;
      if (steps > kMostPlannedSteps) return;
      give(*second, group, {second->before, first->before, first->now});
      second->steps = std::max(second->steps, steps);
    }
    if (!weights) return;
    const bool usesEarlier = second && std::ranges::any_of(group.steps, usesEarlierMoment);
    const std::uint32_t steps = 1 + weights->stepsBefore + first->steps +
                                (second ? second->steps : 0) +
                                (usesEarlier ? first->stepsBefore : 0);
    if (steps > kMostPlannedSteps) return;
    if (!second) return give(*weights, group, {weights->before, first->now});
    if (!usesEarlier) return give(*weights, group, {weights->before, first->now, second->now});
    give(*weights, group, {weights->before, first->now, second->now, first->before});
  }

 private:
  bool isUsable(const StepGroup& group) {
    std::vector<std::uint32_t> members{group.firstMoment};
    if (group.weights) members.push_back(*group.weights);
    if (group.secondMoment) members.push_back(*group.secondMoment);
    const std::size_t count = model_.tensors.size();
    if (group.steps.empty() || group.firstMoment >= count) return false;
    const TensorInfo& first = model_.tensors[group.firstMoment];
    return std::ranges::all_of(members, [&](std::uint32_t member) {
      if (member >= count || !taken_.insert(member).second) return false;
      const TensorInfo& tensor = model_.tensors[member];
      return tensor.type == ElementType::F32 && tensor.shape == first.shape;
    });
  }

  std::optional<StepTensor> lookedUp(std::uint32_t index) {
    const TensorInfo& info = model_.tensors[index];
    const auto before = counterparts_.of(info);
    if (!before) return std::nullopt;
    const auto parts = std::ranges::equal_range(plan_.parts, index, {}, &PartPlan::tensor);
    StepTensor tensor;
    tensor.info = &info;
    tensor.parts = {parts.begin(), parts.end()};
    tensor.before = *before;
    tensor.now = {.offset = info.offset, .file = info.file, .own = true, .type = info.type};
    tensor.stepsBefore = parent_.stepsOf(before->file, before->offset, info.byteCount);
    tensor.steps = 1 + tensor.stepsBefore;
    return tensor;
  }

  static bool hasOwnView(const StepTensor& tensor) {
    return std::ranges::any_of(tensor.parts,
                               [](const PartPlan& part) { return part.view && part.view->own; });
  }

  /// A moment that repeats words of the model might stand on what stands on it.
  static void forgetSiblings(const StepTensor& tensor) {
    for (PartPlan& part : tensor.parts) part.sibling.reset();
  }

  static void give(const StepTensor& tensor, const StepGroup& group,
                   std::initializer_list<PartView> sources) {
    const TensorInfo& info = *tensor.info;
    const WordMatrix matrix = wordMatrix(info.type, info.shape, info.byteCount);
    const PartLayout all{0, matrix.rows, 0, matrix.columns};
    for (PartPlan& part : tensor.parts) {
      if (part.isIdentical) continue;
      part.group = &group;
      for (const PartView& source : sources) {
        part.stepSources.append(viewOfPiece(source, all, part.layout));
      }
    }
  }

  const ModelDescription& model_;
  const VersionReader& parent_;
  const Counterparts& counterparts_;
  ModelPlan& plan_;
  std::set<std::uint32_t> taken_;
};

}  // namespace

void planSteps(const ModelDescription& model, const VersionReader& parent,
               const Counterparts& counterparts, std::span<const StepGroup> groups,
               ModelPlan& plan) {
  StepPlanner planner(model, parent, counterparts, plan);
  for (const StepGroup& group : groups) planner.add(group);
}

}  // namespace strata
