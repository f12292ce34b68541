#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/archive/write/part_plan.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// Whether a part is the whole of a tensor that is a copy of an earlier one of the model, such as a
/// tied weight.
bool isCopy(const PartPlan& part) noexcept;

/// The tensor that `copy` is a copy of. It has the same bytes, but may have another shape.
std::uint32_t originalOf(const ModelDescription& model, const PartPlan& copy) noexcept;

/// What `copy` restores to: its original's parts put together, each as `wordsOf` gives it, row by
/// row. Fails as that does.
Result<std::vector<std::byte>> wordsOfCopy(
    const ModelDescription& model, const ModelPlan& plan, const PartPlan& copy,
    const std::function<Result<std::vector<std::byte>>(const PartPlan&)>& wordsOf);

/// What quantized tensors restore to that others are copies of: they need not be quantized again
/// for each copy. Keeps what fits into its room.
class KeptOriginals {
 public:
  KeptOriginals() = default;
  KeptOriginals(const ModelDescription& model, const ModelPlan& plan, std::uint64_t roomBytes);

  /// Keeps what `part` restores to if something is a copy of its tensor.
  void keep(const PartPlan& part, std::span<const std::byte> words);
  /// Null where it was not kept.
  const std::vector<std::byte>* find(const PartPlan& part) const;

 private:
  using Key = std::pair<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>>;
  static Key keyOf(const PartPlan& part) noexcept;

  std::set<std::uint32_t> originals_;
  std::map<Key, std::vector<std::byte>> kept_;
  std::uint64_t room_ = 0;
};

}  // namespace strata
