#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "core/ops/detail/pull_plan.h"
#include "core/ops/exchange/detail/pull/pulled_tags.h"
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

  /// Whether the refs of a change have so many bytes that another one should begin: they are
  /// written whole before it, and again in it.
  static constexpr std::size_t kFullBytes = std::size_t{16} << 20U;
  static std::size_t bytesOf(const VersionRef& ref) noexcept;

  bool isFull() const noexcept { return byteCount_ >= kFullBytes; }
  StoreWriter& writer() const noexcept { return writer_; }
  /// Whether a version of this content waits to be listed.
  bool holds(const Digest& content) const noexcept;
  /// Parents first.
  void add(Item item);

  /// Lists all that wait. Where that fails each is listed by itself, so that one does not keep out
  /// the others. `listed` is told of each, parents first.
  void flush(const Listed& listed);

 private:
  Result<VersionEntry> listAlone(const Item& item, const std::vector<Digest>& failed);

  StoreWriter& writer_;
  std::vector<Item> items_;
  std::set<Digest> contents_;  ///< of `items_`
  std::size_t byteCount_ = 0;  ///< of their refs
};

}  // namespace strata
