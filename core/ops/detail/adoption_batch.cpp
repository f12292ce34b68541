#include "core/ops/detail/adoption_batch.h"

#include <algorithm>
#include <utility>

#include "core/store/ref_change.h"

namespace strata {
namespace {

/// Its refs are some 4 MB with their signatures, which are written whole before the change.
constexpr std::size_t kFull = 250;

}  // namespace

bool AdoptionBatch::isFull() const noexcept { return items_.size() >= kFull; }

bool AdoptionBatch::holds(const Digest& content) const noexcept {
  return std::any_of(items_.begin(), items_.end(),
                     [&](const Item& item) { return item.version.ref.contentDigest == content; });
}

Result<VersionEntry> AdoptionBatch::listAlone(const Item& item, const std::vector<Digest>& failed) {
  const auto& parent = item.planned->there->parentDigest;
  if (parent && std::find(failed.begin(), failed.end(), *parent) != failed.end()) {
    return fail(ErrorCode::NotFound, item.planned->there->ref.label() +
                                         ": its parent could not be listed; pull it again");
  }
  return writer_.adoptVersion(item.version);
}

void AdoptionBatch::flush(const Listed& listed) {
  const std::vector<Item> items = std::exchange(items_, {});
  if (items.size() > 1) {
    std::vector<Adoption> versions;
    for (const Item& item : items) versions.push_back(item.version);
    const auto entries = writer_.adoptVersions(std::move(versions));
    // What could not be taken back is finished or taken back by the next change.
    const bool isTold = entries || !isOver(writer_.store().refs());
    for (std::size_t i = 0; isTold && i < items.size(); ++i) {
      listed(items[i], entries ? Result<VersionEntry>((*entries)[i]) : fail(entries.error()));
    }
    if (isTold) return;
  }
  std::vector<Digest> failed;
  for (const Item& item : items) {
    const Result<VersionEntry> entry = listAlone(item, failed);
    if (!entry) failed.push_back(item.version.ref.contentDigest);
    listed(item, entry);
  }
}

}  // namespace strata
