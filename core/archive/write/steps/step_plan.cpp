#include "core/archive/write/steps/step_plan.h"

#include <algorithm>
#include <set>

#include "core/archive/read/version_reader.h"
#include "core/archive/write/counterparts.h"
#include "core/archive/write/part_plan.h"
#include "core/archive/write/steps/planned_block_reads.h"

namespace strata {
namespace {

/// Blocks to decode for one of a tensor at most: readers take sixteen times as many.
constexpr std::uint64_t kMostPlannedBlockReads = kMostBlockReads / 16;

/// Where a tensor's words are: in the model, and a step before in the parent.
struct StepTensor {
  const TensorInfo* info = nullptr;
  std::span<PartPlan> parts;
  PartView now;
  PartView before;
};

class StepPlanner {
 public:
  StepPlanner(const ModelDescription& model, const VersionReader& parent,
              const Counterparts& counterparts, ModelPlan& plan)
      : model_(model), counterparts_(counterparts), plan_(plan), counts_(model, parent, plan) {}

  void add(const StepGroup& group) {
    if (!isUsable(group)) return;
    const auto weights = group.weights ? lookedUp(*group.weights) : std::nullopt;
    const auto first = lookedUp(group.firstMoment);
    if (!first || hasOwnView(*first)) return;
    const bool hasSecond = group.secondMoment.has_value();
    auto second = hasSecond ? lookedUp(*group.secondMoment) : std::nullopt;
    if (hasSecond && (!second || hasOwnView(*second))) return;
    forgetSiblings(*first);
    if (!give(*first, group, {first->before})) return;
    if (second) {
      forgetSiblings(*second);
      if (!give(*second, group, {second->before, first->before, first->now})) return;
    }
    if (!weights) return;
    const bool usesEarlier = second && std::ranges::any_of(group.steps, usesEarlierMoment);
    if (!second) {
      give(*weights, group, {weights->before, first->now});
    } else if (!usesEarlier) {
      give(*weights, group, {weights->before, first->now, second->now});
    } else {
      // No predictor takes the last one: rates of rows are fitted by it.
      give(*weights, group,
           {weights->before, first->now, second->now, first->before, second->before});
    }
  }

  /// Readers of versions with steps, or with views behind their tensors, count the blocks of all
  /// parts. Where parts without a step may take too many, as behind several transposed parents, the
  /// version stays without steps. False where that is not enough.
  bool finish(bool hasRounded) {
    if (!hasSteps_ && !hasRounded) return true;
    if (isCountable()) return true;
    for (std::size_t p = 0; p < plan_.parts.size(); ++p) {
      plan_.parts[p].group = nullptr;
      plan_.parts[p].stepSources.clear();
      counts_.forget(p);
    }
    return !hasRounded || isCountable();
  }

 private:
  bool isCountable() {
    for (std::size_t p = 0; p < plan_.parts.size(); ++p) {
      if (counts_.ofPart(p) > kMostBlockReads) return false;
    }
    return true;
  }

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
    const auto first = std::ranges::lower_bound(plan_.parts, index, {}, &PartPlan::tensor);
    const auto last = std::ranges::upper_bound(plan_.parts, index, {}, &PartPlan::tensor);
    StepTensor tensor;
    tensor.info = &info;
    tensor.parts = {first, last};
    tensor.before = *before;
    tensor.now = {.offset = info.offset, .file = info.file, .own = true, .type = info.type};
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

  /// Whether the tensor may have these sources; it has them then.
  bool give(const StepTensor& tensor, const StepGroup& group,
            std::initializer_list<PartView> sources) {
    const TensorInfo& info = *tensor.info;
    const WordMatrix matrix = wordMatrix(info.type, info.shape, info.byteCount);
    const PartLayout all{0, matrix.rows, 0, matrix.columns};
    std::vector<std::vector<PartView>> views;
    for (const PartPlan& part : tensor.parts) {
      auto& own = views.emplace_back();
      for (const PartView& source : sources) own.push_back(viewOfPiece(source, all, part.layout));
      if (!part.isIdentical && counts_.ofSources(part, own) > kMostPlannedBlockReads) return false;
    }
    for (std::size_t p = 0; p < tensor.parts.size(); ++p) {
      PartPlan& part = tensor.parts[p];
      if (part.isIdentical) continue;
      part.group = &group;
      for (const PartView& view : views[p]) part.stepSources.append(view);
      counts_.forget(static_cast<std::size_t>(&part - plan_.parts.data()));
      hasSteps_ = true;
    }
    return true;
  }

  const ModelDescription& model_;
  const Counterparts& counterparts_;
  ModelPlan& plan_;
  PlannedBlockReads counts_;
  bool hasSteps_ = false;
  std::set<std::uint32_t> taken_;
};

}  // namespace

bool planSteps(const ModelDescription& model, const VersionReader& parent,
               const Counterparts& counterparts, std::span<const StepGroup> groups, bool hasRounded,
               ModelPlan& plan) {
  StepPlanner planner(model, parent, counterparts, plan);
  for (const StepGroup& group : groups) planner.add(group);
  return planner.finish(hasRounded);
}

}  // namespace strata
