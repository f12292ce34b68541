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
  for (const auto& fate : unstored_.ofEarlier(options_.folder)) say(fate);
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
  copied_.erase(ownOf(copy).string());
  tier_.drop(copy);
}

void WatchedMemory::pass(const MemoryTier::Copy& copy, const Error& why) {
  const fs::path own = ownOf(copy);
  const auto sound = MemoryTier::check(copy, copy.place.path, stop_);
  const bool isRead = sound || sound.error().code == ErrorCode::CorruptData;
  if (!isRead) return looks_.rest(copy.place);
  const auto fate = sound ? unstored_.ofRefused(copy, own, why.message)
                          : unstored_.ofDamaged(copy, own, sound.error().message, stop_);
  if (stop_.stop_requested()) return;
  copied_.erase(own.string());
  if (fate.isTrainers) {
    direct_.insert(own.string());
    looks_.unsettle(own.string());
  }
  if (sound && fate.aside) refused_.insert_or_assign(own.string(), *fate.aside);
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
  std::set<std::string> there;
  for (const MemoryTier::Copy& copy : tier_.waiting()) there.insert(ownOf(copy).string());
  std::erase_if(copied_, [&](const std::string& own) {
    const bool isLost = !there.contains(own);
    if (isLost) looks_.unsettle(own);
    return isLost;
  });
}

void WatchedMemory::takeBackRefused(const fs::path& own) {
  const auto found = refused_.find(own.string());
  if (found == refused_.end()) return;
  const MemoryTier::Copy copy = found->second;
  refused_.erase(found);
  if (!tier_.takeBack(copy)) return;
  if (notes_.forget(WatchNotes::ofPlace(copy.place.path.string()))) --passed_;
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
