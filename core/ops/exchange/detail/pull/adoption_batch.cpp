#include "core/ops/exchange/detail/pull/adoption_batch.h"

#include <algorithm>
#include <utility>

#include "core/store/refs/ref_change.h"

namespace strata {

std::size_t AdoptionBatch::bytesOf(const VersionRef& ref) noexcept {
  constexpr std::size_t kRest = 1024;  // about; digests, dates and names
  return kRest + ref.signature.size() + ref.note.size();
}

bool AdoptionBatch::holds(const Digest& content) const noexcept {
  return contents_.contains(content);
}

void AdoptionBatch::add(Item item) {
  contents_.insert(item.version.ref.contentDigest);
  byteCount_ += bytesOf(item.version.ref);
  items_.push_back(std::move(item));
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
  contents_.clear();
  byteCount_ = 0;
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
