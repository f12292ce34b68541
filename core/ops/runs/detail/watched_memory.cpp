#include "core/ops/runs/detail/watched_memory.h"

#include <utility>

namespace strata {

namespace fs = std::filesystem;

WatchedMemory::WatchedMemory(const Store& store, const CheckpointTools& tools,
                             const WatchOptions& options, const std::string& run, WatchLooks& looks,
                             WatchNotes& notes, const std::stop_token& stop)
    : tools_(tools),
      options_(options),
      looks_(looks),
      notes_(notes),
      stop_(stop),
      tier_(options.memoryFolder, store.folder(), run, options.memoryTierBytes),
      unstored_(tier_, store, run) {}

void WatchedMemory::begin() {
  tier_.clean();
  for (const auto& fate : unstored_.ofEarlier(options_.folder, stop_)) say(fate);
  if (!mayCopy()) return;
  for (const MemoryTier::Copy& copy : tier_.waiting()) settleAlike(copy);
}

/// What an earlier watcher copied is not copied once more.
void WatchedMemory::settleAlike(const MemoryTier::Copy& copy) {
  const CheckpointPlace own{.path = ownOf(copy), .stamp = stampOf(ownOf(copy))};
  const auto listed = MemoryTier::listed(copy);
  const auto files = listed ? CopiedFiles::of(own.path, stop_) : listed;
  if (files && *files == *listed && stampOf(own.path) == own.stamp) settleCopied(own);
}

fs::path WatchedMemory::ownOf(const MemoryTier::Copy& copy) const {
  return options_.folder / copy.place.path.filename();
}

bool WatchedMemory::keep(const CheckpointPlace& place) {
  if (!mayCopy() || !isForMemory(place) || direct_.contains(place.path.string())) return false;
  const auto copied = tier_.copy(place, tools_, stop_);
  if (!copied && copied.error().code == ErrorCode::Cancelled) return true;
  const bool isCopied = copied && *copied;
  if (isCopied) settleCopied(place);
  std::optional<Error> problem;
  if (!isCopied) problem = copied ? noRoomFor(place) : copied.error();
  notes_.sayTried(place, problem);
  return isCopied;
}

void WatchedMemory::settleCopied(const CheckpointPlace& place) {
  looks_.settle(place);
  copied_.insert(place.path.string());
}

void WatchedMemory::drop(const MemoryTier::Copy& copy) {
  forgetCopied(ownOf(copy));
  tier_.drop(copy);
}

/// One of several copies of a name.
void WatchedMemory::forgetCopied(const fs::path& own) {
  const auto found = copied_.find(own.string());
  if (found != copied_.end()) copied_.erase(found);
}

void WatchedMemory::pass(const MemoryTier::Copy& copy, const Error& why) {
  const fs::path own = ownOf(copy);
  const auto sound = MemoryTier::check(copy, copy.place.path, stop_);
  const bool isRead = sound || sound.error().code == ErrorCode::CorruptData;
  if (!isRead) return looks_.rest(copy.place);
  const auto fate = sound ? unstored_.ofRefused(copy, own, why.message, stop_)
                          : unstored_.ofDamaged(copy, own, sound.error().message, stop_);
  if (stop_.stop_requested()) return;
  forgetCopied(own);
  if (fate.isTrainers) {
    direct_.insert(own.string());
    looks_.unsettle(own.string());
  }
  if (sound && fate.aside) refused_.emplace(own.string(), *fate.aside);
  say(fate);
}

void WatchedMemory::say(const UnstoredCopies::Fate& fate) {
  if (fate.text.empty()) return;
  const auto kind = fate.isTrainers ? WatchEvent::Kind::Warning : WatchEvent::Kind::Passed;
  const bool isNews = notes_.sayOnce(WatchNotes::ofPlace(fate.path.string()),
                                     {.kind = kind, .path = fate.path, .text = fate.text});
  if (isNews && !fate.isTrainers) ++passed_;
}

void WatchedMemory::takeBackLost() {
  std::multiset<std::string> there;
  for (const MemoryTier::Copy& copy : tier_.waiting()) there.insert(ownOf(copy).string());
  const std::multiset<std::string> copied = copied_;
  for (const std::string& own : std::set<std::string>(copied.begin(), copied.end())) {
    // Which of several was lost is not asked: the trainer's own is looked at again.
    for (std::size_t count = copied.count(own); count > there.count(own); --count) {
      copied_.erase(copied_.find(own));
      looks_.unsettle(own);
    }
  }
}

void WatchedMemory::takeBackRefused(const fs::path& own) {
  const auto [first, last] = refused_.equal_range(own.string());
  for (auto at = first; at != last; ++at) {
    const MemoryTier::Copy& copy = at->second;
    const bool isBack = tier_.takeBack(copy).has_value();
    if (isBack && notes_.forget(WatchNotes::ofPlace(copy.place.path.string()))) --passed_;
  }
  refused_.erase(first, last);
}

void WatchedMemory::keepOnly(std::set<std::string>& paths) {
  std::erase_if(direct_, [&](const std::string& one) { return !paths.contains(one); });
  for (const MemoryTier::Copy& one : tier_.waiting()) paths.insert(one.place.path.string());
  for (const MemoryTier::Copy& one : tier_.aside()) paths.insert(one.place.path.string());
}

WatchedMemory::Copying WatchedMemory::copyMeanwhile(const CheckpointPlace* busy,
                                                    WatchLooks::IsTooEarly isTooEarly) {
  if (!mayCopy() || copier_) return Copying(nullptr);
  WatchLooks looks = looks_;
  if (busy != nullptr) looks.settle(*busy);
  const auto onTried = [this](const CheckpointPlace& place, const std::optional<Error>& problem) {
    notes_.sayTried(place, problem);
  };
  copier_.emplace(MemoryCopier::Plan{.tier = tier_,
                                     .tools = tools_,
                                     .folder = options_.folder,
                                     .interval = options_.interval,
                                     .looks = std::move(looks),
                                     .direct = direct_,
                                     .isTooEarly = std::move(isTooEarly),
                                     .onTried = onTried},
                  stop_);
  return Copying(this);
}

void WatchedMemory::endCopying() {
  for (const CheckpointPlace& place : copier_->finish()) settleCopied(place);
  copier_.reset();
}

}  // namespace strata
