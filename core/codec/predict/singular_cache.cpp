#include "core/codec/predict/singular_cache.h"

namespace strata {

std::shared_ptr<const TruncatedSvd> SingularCache::find(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : found->second;
}

void SingularCache::keep(const Key& key, std::shared_ptr<const TruncatedSvd> svd) {
  const auto bytes = static_cast<std::size_t>(svd->left.size() + svd->right.size()) * sizeof(float);
  const std::lock_guard lock(mutex_);
  if (bytes > mostBytes_ - bytes_) return;
  if (known_.emplace(key, std::move(svd)).second) bytes_ += bytes;
}

}  // namespace strata
