#include "core/ops/runs/detail/watch_notes.h"

#include <fmt/format.h>

#include "core/io/free_space.h"
#include "core/text/wording.h"

namespace strata {

namespace fs = std::filesystem;

bool WatchNotes::sayOnce(const std::string& key, const WatchEvent& event) {
  const auto [said, isNew] = said_.try_emplace(key, event.text);
  if (!isNew && said->second == event.text) return false;
  said->second = event.text;
  say(event);
  return true;
}

void WatchNotes::forgetPlacesBut(const std::set<std::string>& paths) {
  std::erase_if(said_, [&](const auto& one) {
    return one.first.starts_with(kOfPlace) && !paths.contains(one.first.substr(kOfPlace.size()));
  });
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
  if (said_.contains(key)) return;
  sayOnce(key, {.path = folder,
                .text = fmt::format("the disk is nearly full: {} free, and {}", wordBytes(*free),
                                    last)});
}

}  // namespace strata
