#include "core/ops/runs/detail/watch_notes.h"

#include <fmt/format.h>

#include <utility>

#include "core/io/free_space.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"

namespace strata {

namespace fs = std::filesystem;

bool WatchNotes::sayOnce(const std::string& key, const WatchEvent& event) {
  {
    const std::scoped_lock lock(mutex_);
    const auto [said, isNew] = said_.try_emplace(key, event.text);
    if (!isNew && said->second == event.text) return false;
    said->second = event.text;
  }
  say(event);
  return true;
}

bool WatchNotes::forget(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  return said_.erase(key) > 0;
}

void WatchNotes::sayTried(const CheckpointPlace& checkpoint, const std::optional<Error>& problem) {
  if (problem) {
    sayOnce("memory", {.text = "not copied to memory first: " + problem->message});
    return;
  }
  forget("memory");
  say({.kind = WatchEvent::Kind::Copied, .path = checkpoint.path});
}

void WatchNotes::forgetPlacesBut(const std::set<std::string>& paths) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(said_, [&](const auto& one) {
    return one.first.starts_with(kOfPlace) && !paths.contains(one.first.substr(kOfPlace.size()));
  });
}

bool WatchNotes::hintAtFolder(const CheckpointTools& tools, const fs::path& folder, bool isAll) {
  if (isHinted_) return false;
  isHinted_ = true;
  const auto state = tools.check(folder);
  const bool isOne = state && state->kind != CheckpointKind::Plain;
  if (!isOne && !isAll) return false;
  say({.path = folder,
       .text = isOne ? "is a checkpoint itself: watch the folder that it lies in, or store it with "
                       "\"strata snapshot\""
                     : "nothing in it is named as a checkpoint"});
  return isOne;
}

void WatchNotes::warnOfSkipped(const std::string& run, const fs::path& checkpoint) const {
  std::error_code status;
  say({.path = checkpoint,
       .text = fs::exists(checkpoint, status)
                   ? fmt::format("is the last one and was not stored, for --trigger; \"strata "
                                 "snapshot {} {}\" stores it",
                                 shellWord(run), shellPath(checkpoint.string()))
                   : "was the last one and was not stored, for --trigger; it is gone"});
}

void WatchNotes::warnOfDeleted(const std::string& run, const fs::path& checkpoint) {
  if (std::exchange(isDeletedSaid_, true)) return;
  std::string text = fmt::format("was deleted from {} for good, and is not taken again", run);
  std::error_code status;
  if (fs::exists(checkpoint, status)) {
    text += fmt::format("; \"strata snapshot {} {}\" takes it", shellWord(run),
                        shellPath(checkpoint.string()));
  }
  say({.path = checkpoint, .text = text});
}

void WatchNotes::warnOfMemory(std::size_t count) const {
  if (count == 0) return;
  const bool isOne = count == 1;
  say({.text = fmt::format("{} in memory alone; the next watcher stores {}",
                           isOne ? "1 checkpoint lies" : fmt::format("{} checkpoints lie", count),
                           isOne ? "it" : "them")});
}

void WatchNotes::warnOfSpace(const fs::path& ofTrainer, const fs::path& ofStore,
                             std::uint64_t originalBytes, std::uint64_t storedBytes) {
  constexpr std::uint64_t kAhead = 2;
  constexpr std::uint64_t kLeastFree = 32'000'000;
  if (originalBytes == 0) return;
  const std::string last = fmt::format("the last checkpoint has {}, {} stored",
                                       wordBytes(originalBytes), wordBytes(storedBytes));
  warnOfSpaceAt("space of the trainer", ofTrainer, kAhead * originalBytes, last);
  warnOfSpaceAt("space of the store", ofStore, kAhead * storedBytes + kLeastFree, last);
}

void WatchNotes::warnOfSpaceAt(const std::string& key, const fs::path& folder, std::uint64_t wanted,
                               const std::string& last) {
  const auto free = freeBytes(folder);
  if (!free) return;
  if (*free >= wanted) {
    forget(key);
    return;
  }
  const auto isSaid = [&] {
    const std::scoped_lock lock(mutex_);
    return said_.contains(key);
  };
  if (isSaid()) return;
  sayOnce(key, {.path = folder,
                .text = fmt::format("the disk is nearly full: {} free, and {}", wordBytes(*free),
                                    last)});
}

}  // namespace strata
