#include "core/ops/exchange/detail/pull/pulled_tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/store/run_tags.h"

namespace strata {
namespace {

/// Whether the tag that stays here is that of a snapshot, which two machines give alike.
Result<bool> isOfAnotherSnapshot(const Catalog& catalog, const TagRef* here) {
  if (here == nullptr || !isSnapshotTag(here->tag)) return false;
  STRATA_TRY(const auto version, catalog.version(here->name, here->number));
  return version && !isWeightsOnly(*version);
}

}  // namespace

PulledTags::PulledTags(const PullOptions& options, const RemoteLibrary& library, Agreed agreed)
    : options_(options), library_(library), agreed_(std::move(agreed)) {
  for (const TagRef& tag : library.tags) {
    there_.emplace(fmt::format("{}:v{}", tag.name, tag.number), &tag);
  }
}

Result<TagMatching> PulledTags::match(const Catalog& catalog,
                                      const VersionMatching& matching) const {
  return TagMatching::load(catalog, matching, agreed_);
}

bool PulledTags::isWanted(TagChange change, bool stays, bool isNewVersion) const {
  switch (change) {
    case TagChange::None:
      return false;
    case TagChange::New:
    case TagChange::There:
      return true;
    case TagChange::Here:  // moved, or removed; perhaps with its version, which comes back now
    case TagChange::Both:
      return options_.forceTags || (!stays && isNewVersion);
  }
  return false;
}

std::vector<WantedTag> PulledTags::wanted(const TagMatching& tags, const RemoteVersion& version,
                                          bool isNewVersion) const {
  std::vector<WantedTag> wanted;
  const auto [begin, end] = there_.equal_range(version.ref.label());
  for (auto one = begin; one != end; ++one) {
    const TagRef& tag = *one->second;
    const TagRef* const here = tags.here(tag);
    const bool stays = here != nullptr || tags.wasRemoved(tag);
    if (!isWanted(tags.changeOf(tag), stays, isNewVersion)) continue;
    WantedTag& taken = wanted.emplace_back(WantedTag{tag, {}});
    if (here == nullptr) continue;
    taken.from = fmt::format("{}:v{}", here->name, here->number);
    // The later time counts where a change is finished that was broken off.
    taken.tag.taggedAt = std::max(tag.taggedAt, here->taggedAt);
  }
  return wanted;
}

void PulledTags::noteBrought(const std::vector<WantedTag>& tags, const std::string& label) {
  for (const WantedTag& one : tags) {
    if (!one.from.empty()) brought_.push_back({labelOf(one.tag), one.from, label});
  }
}

Result<std::vector<TagRef>> PulledTags::toPut(const Catalog& catalog, const PullPlan& plan,
                                              PullReport& report) const {
  STRATA_TRY(const VersionMatching matching, VersionMatching::load(catalog, library_));
  STRATA_TRY(const TagMatching tags, match(catalog, matching));
  std::vector<const RemoteVersion*> all;
  for (const PlannedPull& item : plan.items) all.push_back(item.there);
  for (const VersionEntry& version : report.alreadyHere) all.push_back(matching.there(version));
  std::vector<TagRef> toPut;
  report.tagsElsewhere.clear();
  report.tagsOfOtherSnapshots.clear();
  report.tags = brought_;
  for (const RemoteVersion* const version : all) {
    const VersionEntry* const here = version == nullptr ? nullptr : matching.here(*version);
    if (version == nullptr || (here == nullptr && !options_.dryRun)) continue;  // it failed
    for (WantedTag& one : wanted(tags, *version, here == nullptr)) {
      if (here == nullptr && one.from.empty()) continue;  // it comes with its version
      const std::string to = here == nullptr ? version->ref.label() : here->label();
      report.tags.push_back({labelOf(one.tag), one.from, to});
      if (here != nullptr) one.tag.number = here->number;
      toPut.push_back(std::move(one.tag));
    }
    const auto [begin, end] = there_.equal_range(version->ref.label());
    for (auto one = begin; one != end && !options_.forceTags; ++one) {
      if (tags.changeOf(*one->second) != TagChange::Both) continue;
      const bool stays = tags.here(*one->second) != nullptr || tags.wasRemoved(*one->second);
      if (here == nullptr && !stays) continue;  // it comes, too
      STRATA_TRY(const bool isOfOther, isOfAnotherSnapshot(catalog, tags.here(*one->second)));
      (isOfOther ? report.tagsOfOtherSnapshots : report.tagsElsewhere)
          .push_back(labelOf(*one->second));
    }
  }
  return toPut;
}

}  // namespace strata
