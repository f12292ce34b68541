#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/write/change.h"
#include "core/ops/inspect/detail/tensor_pairing.h"
#include "core/progress.h"

namespace strata {

/// What is compared, and how errors call the two.
struct ComparedViews {
  const ModelView& a;
  const ModelView& b;
  std::string labelA, labelB;
};

/// What differs between the words of a link.
struct LinkChange {
  Change change;
  double largest = 0;  ///< |B - A| that is finite

  void add(const LinkChange& other) noexcept;
};

/// Compares the words of each link, on several threads; of links that are known to be
/// equal, A's alone are read. Words of two types are compared by their values. The sums are the
/// same for any number of threads. Fails with what reading either side fails with, and Cancelled.
Result<std::vector<LinkChange>> compareLinks(const ComparedViews& views,
                                             std::span<const TensorLink> links,
                                             const std::stop_token& stop,
                                             const ProgressSink& progress);

/// Called with words of one link, as each side has them: of one type, or of two that canCompare().
using LinkVisitor = std::function<void(const TypedWords& a, const TypedWords& b)>;

/// Gives all words of the links to `visit`, a piece after the other; what compareLinks fails with.
Result<void> visitLinks(const ComparedViews& views, std::span<const TensorLink> links,
                        const std::stop_token& stop, const LinkVisitor& visit);

}  // namespace strata
