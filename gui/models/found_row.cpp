#include "gui/models/found_row.h"

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

}  // namespace

FoundRow foundRow(const SearchHit& hit) {
  FoundRow row{.url = exactText(hit.model.url),
               .kind = hit.model.kind,
               .versionCount = static_cast<int>(hit.library.versions.size()),
               .fetchBytes = hit.fetchBytes,
               .downloads = hit.model.downloads,
               .updatedAt = text(hit.model.updatedAt),
               .license = text(hit.model.license),
               .isGated = hit.model.isGated,
               .parentsAreHere = hit.parentsAreHere};
  for (const std::string& name : hit.names) row.names << text(name);
  return row;
}

bool isOfSize(const FoundRow& row, FoundSize size) noexcept {
  if (size == FoundSize::Any) return true;
  if (!row.fetchBytes) return false;
  switch (size) {
    case FoundSize::UpTo50Megabytes:
      return *row.fetchBytes <= 50 * kMegabyte;
    case FoundSize::UpTo500Megabytes:
      return *row.fetchBytes <= 500 * kMegabyte;
    case FoundSize::Over500Megabytes:
      return *row.fetchBytes > 500 * kMegabyte;
    case FoundSize::Any:
      break;
  }
  return true;
}

}  // namespace strata::gui
