#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "core/codec/predict/truncated_svd.h"

namespace strata {

/// The decompositions of the matrices of one model, kept from candidate to candidate of a search:
/// they do not depend on what the factors are rounded to. Safe to use from several threads.
class SingularCache {
 public:
  /// Where a matrix starts in the model, its rows (samples take fewer), what its errors are weighed
  /// by, and how many components are asked for.
  using Key = std::array<std::uint64_t, 6>;

  /// Keeps what fits into `mostBytes`, first come, first served.
  explicit SingularCache(std::size_t mostBytes) : mostBytes_(mostBytes) {}

  /// Null where it is not known.
  std::shared_ptr<const TruncatedSvd> find(const Key& key) const;
  void keep(const Key& key, std::shared_ptr<const TruncatedSvd> svd);

 private:
  const std::size_t mostBytes_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::map<Key, std::shared_ptr<const TruncatedSvd>> known_;
};

}  // namespace strata
