#pragma once

#include <functional>
#include <vector>

#include "core/ops/detail/pull_plan.h"
#include "core/ops/detail/pulled_tags.h"
#include "core/store/store_writer.h"

namespace strata {

/// Versions that a pull lists, many in one change of the store: a change takes some ten syncs,
/// whatever the number of its versions.
class AdoptionBatch {
 public:
  struct Item {
    Adoption version;
    const PlannedPull* planned = nullptr;
    std::vector<WantedTag> tags;
  };
  using Listed = std::function<void(const Item&, const Result<VersionEntry>&)>;

  explicit AdoptionBatch(StoreWriter& writer) : writer_(writer) {}

  bool isFull() const noexcept;
  /// Whether a version of this content waits to be listed.
  bool holds(const Digest& content) const noexcept;
  /// Parents first.
  void add(Item item) { items_.push_back(std::move(item)); }

  /// Lists all that wait. Where that fails each is listed by itself, so that one does not keep out
  /// the others. `listed` is told of each, parents first.
  void flush(const Listed& listed);

 private:
  Result<VersionEntry> listAlone(const Item& item, const std::vector<Digest>& failed);

  StoreWriter& writer_;
  std::vector<Item> items_;
};

}  // namespace strata
