#include "core/archive/write/rounded_copies.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/archive/layout.h"
#include "core/match/master_copies.h"
#include "core/parallel.h"

namespace strata {
namespace {

class RoundedCopies {
 public:
  RoundedCopies(const ModelDescription& model, std::span<const ParentTensor> parent,
                const Counterparts& counterparts, std::vector<TensorMatch>& matches)
      : model_(model),
        parent_(parent),
        counterparts_(counterparts),
        matches_(matches),
        viewers_(matches.size()) {
    for (std::uint32_t i = 0; i < matches.size(); ++i) {
      for (const PartMatch& part : matches[i].parts) noteViewer(i, part);
    }
  }

  Result<bool> run() {
    std::vector<MasterCopy> copies = findMasters(model_);
    std::erase_if(copies, [&](const MasterCopy& copy) { return !mayRound(copy); });
    std::vector<std::uint8_t> isRounded(copies.size());
    STRATA_TRY(parallelFor(copies.size(), [&](std::size_t i) -> Result<void> {
      isRounded[i] = isRoundedFrom(model_, copies[i]) ? 1 : 0;
      return {};
    }));
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (isRounded[i] != 0) round(copies[i]);
    }
    return std::ranges::find(isRounded, 1) != isRounded.end();
  }

 private:
  /// A copy of a tensor takes that one's view over; all else is coded against its words.
  void noteViewer(std::uint32_t tensor, const PartMatch& part) {
    if (!part.parent || !part.parent->own) return;
    const std::uint32_t viewed = part.parent->tensor;
    const bool isCopy = part.identical && matches_[tensor].parts.size() == 1 &&
                        model_.tensors[tensor].type == model_.tensors[viewed].type;
    if (!isCopy) ++viewers_[viewed];
  }

  static bool isInParent(const TensorMatch& match) {
    return std::ranges::all_of(match.parts, [](const PartMatch& part) {
      return part.identical && part.parent && !part.parent->own;
    });
  }

  static bool standsOnParent(const TensorMatch& match) {
    return std::ranges::all_of(match.parts, [](const PartMatch& part) {
      return part.parent && !part.parent->own && part.parent->type == ElementType::F32;
    });
  }

  static bool isOwnCopy(const TensorMatch& match) {
    return std::ranges::any_of(match.parts, [](const PartMatch& part) {
      return part.identical && part.parent && part.parent->own;
    });
  }

  bool mayRound(const MasterCopy& copy) const {
    const TensorMatch& weights = matches_[copy.weights];
    const TensorMatch& master = matches_[copy.master];
    if (isInParent(weights) || isOwnCopy(weights) || isOwnCopy(master)) return false;
    if (viewers_[copy.weights] != viewsOf(master, copy.weights)) return false;
    return standsOnParent(master) || counterparts_.of(model_.tensors[copy.master]).has_value();
  }

  /// The matcher may have coded what is left of the master against the weights.
  static std::size_t viewsOf(const TensorMatch& match, std::uint32_t tensor) {
    return static_cast<std::size_t>(std::ranges::count_if(match.parts, [&](const PartMatch& part) {
      return part.parent && part.parent->own && part.parent->tensor == tensor;
    }));
  }

  void round(const MasterCopy& copy) {
    if (!standsOnParent(matches_[copy.master])) standOnCounterpart(copy.master);
    const TensorInfo& master = model_.tensors[copy.master];
    ParentRectangle view;
    view.offset = master.offset;
    view.file = master.file;
    view.own = true;
    view.type = master.type;
    view.tensor = copy.master;
    matches_[copy.weights] = whole(copy.weights, view, true);
  }

  void standOnCounterpart(std::uint32_t tensor) {
    const PartView there = *counterparts_.of(model_.tensors[tensor]);
    const auto found = std::ranges::lower_bound(
        parent_, std::pair(there.file, there.offset), {},
        [](const ParentTensor& one) { return std::pair(one.file, one.offset); });
    ParentRectangle view;
    static_cast<PartView&>(view) = there;
    view.tensor = static_cast<std::uint32_t>(found - parent_.begin());
    matches_[tensor] = whole(tensor, view, false);
  }

  TensorMatch whole(std::uint32_t tensor, const ParentRectangle& view, bool isIdentical) const {
    const TensorInfo& info = model_.tensors[tensor];
    const WordMatrix matrix = wordMatrix(info.type, info.shape, info.byteCount);
    PartMatch part;
    static_cast<PartLayout&>(part) = {0, matrix.rows, 0, matrix.columns};
    part.parent = view;
    part.identical = isIdentical;
    return {{part}};
  }

  const ModelDescription& model_;
  std::span<const ParentTensor> parent_;
  const Counterparts& counterparts_;
  std::vector<TensorMatch>& matches_;
  std::vector<std::size_t> viewers_;  ///< parts coded against each tensor
};

}  // namespace

Result<bool> planRoundedCopies(const ModelDescription& model, std::span<const ParentTensor> parent,
                               const Counterparts& counterparts,
                               std::vector<TensorMatch>& matches) {
  return RoundedCopies(model, parent, counterparts, matches).run();
}

}  // namespace strata
