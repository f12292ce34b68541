#include "core/ops/exchange/detail/push/pushed_tags.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "core/store/run_tags.h"

namespace strata {

Result<void> placeTags(const Store& store, const PlacedVersion& version, const TagMatching& tags,
                       const PushOptions& options, PushPlan& plan) {
  const bool isForced = options.forceTags;
  for (const std::string& name : version.entry.tags) {
    STRATA_TRY(TagRef tag, store.refs().readTag(version.entry.name, name));
    RefUpdate update{refNameOf(tag), std::nullopt, {}};
    PushReport::Tag said{labelOf(tag), {}, fmt::format("{}:v{}", tag.name, version.number)};
    const auto there = plan.listing.refs.find(update.name);
    if (there != plan.listing.refs.end()) {
      const auto parsed = parseRemoteTag(update.name, there->second);
      if (parsed && parsed->number == version.number) continue;
      const TagChange change = parsed ? tags.changeOf(*parsed) : TagChange::Both;
      if (change != TagChange::Here && !isForced) {
        const bool isBehind = change == TagChange::There;
        const bool isOfOther = parsed && isSnapshotTag(name) && !isWeightsOnly(version.entry);
        (isBehind    ? plan.tagsMovedThere
         : isOfOther ? plan.tagsOfOtherSnapshots
                     : plan.tagsElsewhere)
            .push_back(said.tag);
        continue;
      }
      if (parsed) said.from = fmt::format("{}:v{}", parsed->name, parsed->number);
      update.expected = there->second;
    } else if (version.isThere && !isForced) {
      const TagChange change = tags.changeWhereGone(tag);
      if (change == TagChange::There) plan.tagsTakenThere.push_back(said.tag);
      if (change == TagChange::Both) plan.tagsInDoubt.push_back(said.tag);
      if (change != TagChange::Here) continue;
    }
    tag.number = version.number;
    update.text = toRefText(tag);
    if (const auto read = parseRemoteTag(update.name, update.text); !read) {
      plan.failed.push_back({said.tag, Error{ErrorCode::LimitExceeded, read.error().message}});
      continue;
    }
    PlannedTag planned{std::move(update), refNameOf(tag.name, version.number)};
    if (version.isThere || !said.from.empty()) planned.said = std::move(said);
    plan.tags.push_back(std::move(planned));
  }
  return {};
}

void noteRemovedTags(const RemoteLibrary& library, const std::vector<const RemoteVersion*>& met,
                     const TagMatching& tags, PushPlan& plan) {
  std::set<std::string> labels;
  for (const RemoteVersion* const version : met) labels.insert(version->ref.label());
  for (const TagRef& tag : library.tags) {
    const bool isMet = labels.contains(fmt::format("{}:v{}", tag.name, tag.number));
    if (!isMet || tags.here(tag) != nullptr) continue;
    const TagChange change = tags.changeOf(tag);
    if (change != TagChange::Here && change != TagChange::Both) continue;
    plan.tagsRemovedHere.push_back(labelOf(tag));
  }
}

}  // namespace strata
