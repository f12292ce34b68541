// What a planned push changes in the list of a remote.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/ops/exchange/detail/push/push_plan.h"

namespace strata {
namespace {

bool isPushed(const std::vector<PlannedPush>& items, const Digest& content) {
  return std::any_of(items.begin(), items.end(),
                     [&](const PlannedPush& item) { return item.entry.contentDigest == content; });
}

/// A change of the list itself. Registries want to know all objects of a version.
RefUpdate changeOf(const RefListing& listing, const std::string& name,
                   const std::optional<RefText>& before) {
  const auto text = listing.refs.find(name);
  if (text == listing.refs.end()) return {name, before, kRemovedRef};
  const auto version = parseRemoteVersion(name, text->second);
  return {name, before, text->second,
          version ? version->allObjects() : std::vector<RemoteObject>{}};
}

}  // namespace

std::vector<const PlannedTag*> PushPlan::tagsToSend() const {
  std::set<std::string> will;
  for (const PlannedPush& item : items) will.insert(refNameOf(item.version.ref));
  std::vector<const PlannedTag*> going;
  for (const PlannedTag& tag : tags) {
    if (listing.refs.contains(tag.version) || will.contains(tag.version)) going.push_back(&tag);
  }
  return going;
}

std::vector<RefUpdate> PushPlan::updates(const std::set<Digest>& mended) const {
  std::vector<RefUpdate> all;
  for (const auto& [name, before] : changed) all.push_back(changeOf(listing, name, before));
  for (const PlannedPush& item : items) {
    all.push_back({refNameOf(item.version.ref), item.replaces, toRefText(item.version),
                   item.version.allObjects()});
  }
  std::set<std::string> named;  // with this push; the list may have some without their names
  for (const PlannedPush& item : items) named.insert(refNameOf(item.version.ref));
  std::set<std::string> tagged;  // refs that have to stay for their tags
  for (const PlannedTag* const tag : tagsToSend()) {
    const bool isListed = listing.refs.contains(tag->version) && !named.contains(tag->version);
    if (isListed) tagged.insert(tag->version);
    all.push_back(tag->update);
  }
  for (const VersionThere& one : there) {
    if (named.contains(refNameOf(one.version.ref))) continue;
    std::vector<RemoteObject> objects = one.version.objects();
    std::erase_if(objects, [&](const RemoteObject& each) { return !mended.contains(each.digest); });
    const auto ref = listing.refs.find(refNameOf(one.version.ref));
    if (ref == listing.refs.end() || changed.contains(ref->first)) continue;
    if (objects.empty() && items.empty()) continue;
    all.push_back({ref->first, ref->second, ref->second, std::move(objects)});
    tagged.erase(ref->first);
  }
  for (const std::string& name : tagged) {
    if (changed.contains(name)) continue;
    all.push_back({name, listing.refs.at(name), listing.refs.at(name)});
  }
  // Nobody pushes for these alone.
  if (all.empty()) return all;
  std::set<std::string> moved;
  for (const RefUpdate& move : moves) moved.insert(move.name);
  std::erase_if(all, [&](const RefUpdate& stay) { return moved.contains(stay.name); });
  all.insert(all.end(), moves.begin(), moves.end());
  return all;
}

RefListing PushPlan::listingAfter() const {
  RefListing after = listing;
  for (const RefUpdate& update : updates({})) {
    if (update.text == kRemovedRef) continue;  // `listing` lacks it
    after.refs[update.name] = update.text;
  }
  const bool isWritten =
      above || !seenLists.empty() || !changed.empty() || after.refs != listing.refs;
  if (!isWritten) return after;
  after = nextListing(std::move(after), aboveNumber().value_or(0));
  if (after.generation > 0) after.identity = identity;
  after.unseen.merge(unseenLists());
  std::erase_if(after.unseen, [&](auto one) { return seenLists.contains(one); });
  return after;
}

std::optional<std::uint64_t> PushPlan::aboveNumber() const {
  if (!above || !failed.empty()) return above;
  return std::max(*above, lastSeen);
}

void PushPlan::leaveUnchanged(const std::set<std::string>& names) {
  const auto takeBack = [&](const std::string& name) {
    const auto change = changed.find(name);
    if (change == changed.end()) return false;
    if (change->second) {
      listing.refs[name] = *change->second;
    } else {
      listing.refs.erase(name);
    }
    changed.erase(change);
    return true;
  };
  bool hasChanged = false;
  for (const std::string& name : names) hasChanged |= takeBack(name);
  while (std::exchange(hasChanged, false)) {
    const RemoteLibrary library = RemoteLibrary::from(listing);
    for (const RemoteVersion* const version : library.all()) {
      const auto& parent = version->parentDigest;
      if (!parent || library.withContent(*parent) || isPushed(items, *parent)) continue;
      if (!takeBack(refNameOf(version->ref))) continue;
      hasChanged = true;
      lostThere.insert(version->ref.label());
      failed.push_back(
          {version->ref.label(),
           {ErrorCode::CorruptData, fmt::format("{}: its parent {} cannot be brought back there",
                                                version->ref.label(), shortHex(*parent))}});
    }
    for (const TagRef& tag : library.tags) {
      if (library.find(tag.name, tag.number) == nullptr) hasChanged |= takeBack(refNameOf(tag));
    }
  }
}

}  // namespace strata
