#include "core/ops/exchange/detail/push/common_list.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/transfer/remote_version.h"

namespace strata {
namespace {

/// A list and those that it follows, the newest first.
std::vector<ListStamp> lineageOf(const RefListing& listing) {
  if (listing.check.empty()) return {};
  return joinStamps({{listing.generation, listing.check}},
                    listing.follows.value_or(std::vector<ListStamp>{}));
}

std::optional<RemoteVersion> versionOf(const std::string& name, const RefText& text) {
  auto version = parseRemoteVersion(name, text);
  return version ? std::optional(*std::move(version)) : std::nullopt;
}

/// Whether both sides have changed it, each to something else.
bool takeField(std::string& there, const std::string& former, const std::string* common) {
  if (there == former || (common != nullptr && former == *common)) return false;
  if (common == nullptr || there != *common) return true;
  there = former;
  return false;
}

}  // namespace

Result<std::optional<RefListing>> commonList(Transport& remote, const RefListing& former,
                                             const RefListing& there, const std::stop_token& stop) {
  const std::vector<ListStamp> before = lineageOf(former);
  const std::vector<ListStamp> now = lineageOf(there);
  const auto common = std::find_first_of(before.begin(), before.end(), now.begin(), now.end());
  if (common == before.end()) return std::nullopt;
  // The other way round what is there may say more: pages of a list that cannot be read whole.
  if (*common == before.front()) return former;
  if (*common == now.front()) return there;
  STRATA_TRY(auto listing, remote.listOf(common->number, stop));
  if (!listing || listing->check != common->check) return std::nullopt;
  return listing;
}

MergedRef mergedVersion(const std::string& name, const RefText& former, const RefText& there,
                        const RefText* common) {
  if (common != nullptr && *common == there) return {former};
  if (common != nullptr && *common == former) return {there};
  auto merged = versionOf(name, there);
  const auto own = versionOf(name, former);
  const auto before = common == nullptr ? std::nullopt : versionOf(name, *common);
  if (!merged || !own) return {there};
  VersionRef& ref = merged->ref;
  const bool isNoteInDoubt =
      takeField(ref.note, own->ref.note, before ? &before->ref.note : nullptr);
  takeField(ref.license, own->ref.license, before ? &before->ref.license : nullptr);
  takeField(ref.sourceUrl, own->ref.sourceUrl, before ? &before->ref.sourceUrl : nullptr);
  RefText text = toRefText(*merged);
  return {std::move(text), isNoteInDoubt};
}

}  // namespace strata
