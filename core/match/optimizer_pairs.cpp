#include "core/match/optimizer_pairs.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/match/detail/moment_name.h"

namespace strata {
namespace {

/// Parts in front of a weight's name that may differ from file to file: "model.", "params.".
constexpr std::size_t kMostDropped = 3;

/// The tensors that an optimizer keeps under one name.
struct Kept {
  std::string owner;
  std::optional<std::uint64_t> number;
  std::optional<std::uint32_t> first = {};
  std::optional<std::uint32_t> second = {};
  std::optional<std::uint32_t> master = {};
};

/// What is left of a name without its first parts; views it.
std::string_view withoutFirstPart(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

/// Weights by their names and by what is left of those without some parts in front.
class WeightNames {
 public:
  void add(std::string_view name, std::uint32_t tensor) {
    const auto parts = nameParts(name);
    std::string whole;
    for (const std::string_view part : parts) {
      if (!whole.empty()) whole += '.';
      whole += part;
    }
    std::string_view rest = whole;
    for (std::size_t dropped = 0; dropped <= kMostDropped && !rest.empty(); ++dropped) {
      auto& level = levels_[dropped];
      const auto [place, isNew] = level.try_emplace(std::string(rest), tensor);
      if (!isNew) place->second = std::nullopt;  // several are called so
      rest = withoutFirstPart(rest);
    }
  }

  /// The only weight that may be called so, with as few parts dropped as possible.
  std::optional<std::uint32_t> find(std::string_view owner) const {
    for (std::size_t sum = 0; sum <= 2 * kMostDropped; ++sum) {
      std::string_view rest = owner;
      for (std::size_t own = 0; own <= std::min(sum, kMostDropped) && !rest.empty(); ++own) {
        const std::size_t dropped = sum - own;
        if (dropped <= kMostDropped) {
          const auto found = levels_[dropped].find(std::string(rest));
          if (found != levels_[dropped].end() && found->second) return found->second;
        }
        rest = withoutFirstPart(rest);
      }
    }
    return std::nullopt;
  }

 private:
  std::unordered_map<std::string, std::optional<std::uint32_t>> levels_[kMostDropped + 1];
};

class OptimizerPairing {
 public:
  OptimizerPairing(const ModelDescription& model, std::span<const std::string> params,
                   std::span<const MasterCopy> masters)
      : model_(model) {
    for (std::size_t i = 0; i < params.size(); ++i) places_.emplace(params[i], i);
    for (const MasterCopy& copy : masters) {
      masterOf_.emplace(copy.weights, copy.master);
      isMaster_.insert(copy.master);
    }
  }

  std::vector<OptimizerPair> run() {
    sortTensors();
    for (const Kept& kept : kept_) {
      if (!kept.number) pairByName(kept);
    }
    pairByNumber();
    std::sort(pairs_.begin(), pairs_.end(),
              [](const OptimizerPair& a, const OptimizerPair& b) { return a.weights < b.weights; });
    return std::move(pairs_);
  }

 private:
  const Shape& shapeOf(std::uint32_t tensor) const { return model_.tensors[tensor].shape; }

  void sortTensors() {
    std::unordered_map<std::string, std::size_t> known;
    for (std::uint32_t i = 0; i < model_.tensors.size(); ++i) {
      const std::string& name = model_.tensors[i].name;
      const auto moment = momentName(name);
      if (!moment) {
        if (wordFormat(model_.tensors[i].type).isFloat && !isMaster_.contains(i)) {
          weights_.push_back(i);
          names_.add(name, i);
        }
        continue;
      }
      const auto [place, isNew] = known.try_emplace(moment->owner, kept_.size());
      if (isNew) kept_.push_back({.owner = moment->owner, .number = moment->number});
      Kept& kept = kept_[place->second];
      auto& tensor = moment->role == MomentRole::First    ? kept.first
                     : moment->role == MomentRole::Second ? kept.second
                                                          : kept.master;
      tensor = i;
    }
  }

  void pair(std::uint32_t weights, const Kept& kept) {
    OptimizerPair pair{.weights = weights, .firstMoment = *kept.first};
    const auto& shape = shapeOf(weights);
    if (kept.second && shapeOf(*kept.second) == shape) pair.secondMoment = kept.second;
    if (kept.master && shapeOf(*kept.master) == shape) pair.master = kept.master;
    const auto copy = masterOf_.find(weights);
    if (!pair.master && copy != masterOf_.end() && shapeOf(copy->second) == shape) {
      pair.master = copy->second;
    }
    pairs_.push_back(pair);
  }

  void pairByName(const Kept& kept) {
    if (!kept.first) return;
    const auto weights = names_.find(kept.owner);
    if (weights && shapeOf(*weights) == shapeOf(*kept.first)) pair(*weights, kept);
  }

  /// The place of a weight in the optimizer's order.
  std::uint64_t placeOf(const Kept& kept) const {
    const auto found = places_.find(kept.owner);
    return found == places_.end() ? *kept.number : found->second;
  }

  using ByShape = std::map<Shape, std::vector<std::uint32_t>>;

  /// Shape by shape: as many moments as weights, each in its order.
  void pairByNumber() {
    std::vector<const Kept*> numbered;
    for (const Kept& kept : kept_) {
      if (kept.number && kept.first) numbered.push_back(&kept);
    }
    std::sort(numbered.begin(), numbered.end(),
              [&](const Kept* a, const Kept* b) { return placeOf(*a) < placeOf(*b); });
    std::map<Shape, std::vector<const Kept*>> byShape;
    for (const Kept* kept : numbered) byShape[shapeOf(*kept->first)].push_back(kept);
    ByShape weights;
    for (const std::uint32_t tensor : weights_) {
      if (byShape.count(shapeOf(tensor)) != 0) weights[shapeOf(tensor)].push_back(tensor);
    }
    intoModelOrder(weights);
    for (const auto& [shape, moments] : byShape) {
      const auto& alike = weights[shape];
      if (alike.size() != moments.size()) continue;
      for (std::size_t i = 0; i < moments.size(); ++i) pair(alike[i], *moments[i]);
    }
  }

  /// A file sorted by the letters tells nothing of the model's order; another one is in it.
  void intoModelOrder(ByShape& weights) const {
    const auto nameOf = [&](std::uint32_t tensor) -> const std::string& {
      return model_.tensors[tensor].name;
    };
    const auto byLetters = [&](std::uint32_t a, std::uint32_t b) { return nameOf(a) < nameOf(b); };
    for (const auto& [shape, alike] : weights) {
      if (!std::is_sorted(alike.begin(), alike.end(), byLetters)) return;
    }
    for (auto& [shape, alike] : weights) {
      std::stable_sort(alike.begin(), alike.end(), [&](std::uint32_t a, std::uint32_t b) {
        return standsBefore(nameOf(a), nameOf(b));
      });
    }
  }

  const ModelDescription& model_;
  std::unordered_map<std::uint32_t, std::uint32_t> masterOf_;  ///< by the weights
  std::unordered_set<std::uint32_t> isMaster_;
  std::unordered_map<std::string, std::uint64_t> places_;
  std::vector<std::uint32_t> weights_;
  WeightNames names_;
  std::vector<Kept> kept_;
  std::vector<OptimizerPair> pairs_;
};

}  // namespace

std::vector<OptimizerPair> pairOptimizer(const ModelDescription& model,
                                         std::span<const std::string> params,
                                         std::span<const MasterCopy> masters) {
  return OptimizerPairing(model, params, masters).run();
}

}  // namespace strata
