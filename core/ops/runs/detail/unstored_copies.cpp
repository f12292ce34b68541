#include "core/ops/runs/detail/unstored_copies.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/store/objects/lineage_check.h"
#include "core/text/command_words.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

bool isThere(const fs::path& path) {
  std::error_code status;
  return !path.empty() && fs::exists(path, status);
}

/// Whether the trainer still has what was copied: something of its name may be another checkpoint.
bool isSame(const Result<CopiedFiles>& copied, const fs::path& own, const std::stop_token& stop) {
  if (!copied || !isThere(own)) return false;
  const auto ofTrainer = CopiedFiles::of(own, stop);
  return ofTrainer && *ofTrainer == *copied;
}

std::string adviceFor(const fs::path& copy) {
  const std::string path = shellPath(copy.string());
  return fmt::format("nothing else has it; \"cp -r {} .\" keeps it, \"rm -r {}\" deletes it", path,
                     path);
}

}  // namespace

UnstoredCopies::Fate UnstoredCopies::ofDamaged(const MemoryTier::Copy& copy, const fs::path& own,
                                               const std::string& why,
                                               const std::stop_token& stop) const {
  // Where the list is damaged, the files themselves say what they are.
  auto files = MemoryTier::listed(copy);
  if (!files) files = CopiedFiles::of(copy.place.path, stop);
  const auto ofTrainer = isThere(own) ? CopiedFiles::of(own, stop) : files;
  if (stop.stop_requested()) return {};  // not all was read
  // A list of another name is that of another copy.
  const bool isItsList = files && files->name() == copy.place.path.filename();
  const bool isInStore = isItsList && isStored(*files, stop);
  if (stop.stop_requested()) return {};
  if (isInStore) {
    tier_.drop(copy);
    return {};
  }
  const bool isTrainers = isThere(own) && files && ofTrainer && *ofTrainer == *files;
  if (isTrainers || !isThere(copy.place.path)) {
    tier_.drop(copy);
    const std::string text = isThere(own) ? why + "; it is taken from here" : why;
    return {.isTrainers = isThere(own), .path = own, .text = text};
  }
  return setAside(copy, why);
}

UnstoredCopies::Fate UnstoredCopies::ofRefused(const MemoryTier::Copy& copy, const fs::path& own,
                                               const std::string& why,
                                               const std::stop_token& stop) const {
  // The trainer's own may yet serve: what it lacks may be what the next one lacks, too.
  const bool isTrainers = isSame(MemoryTier::listed(copy), own, stop);
  if (stop.stop_requested()) return {};  // not all was read
  if (!isTrainers) return setAside(copy, why);
  tier_.drop(copy);
  return {.isTrainers = true, .path = own};
}

std::vector<UnstoredCopies::Fate> UnstoredCopies::ofEarlier(const fs::path& folder,
                                                            const std::stop_token& stop) const {
  std::vector<Fate> fates;
  for (const MemoryTier::Copy& copy : tier_.aside()) {
    if (!isThere(copy.place.path)) continue;
    const auto files = MemoryTier::listed(copy);
    const bool isItsList = files && files->name() == copy.place.path.filename();
    const bool isInStore = isItsList && isStored(*files, stop);
    if (stop.stop_requested()) return fates;
    if (isInStore) {  // "strata snapshot" took it, or the trainer wrote it again
      tier_.drop(copy);
      continue;
    }
    fates.push_back({.path = copy.place.path,
                     .text = "is a damaged or refused copy of a checkpoint, and " +
                             adviceFor(copy.place.path)});
  }
  for (const MemoryTier::Copy& copy : tier_.unfinished()) {
    // What was half copied was never said to be here. An earlier program's may be another one than
    // what the trainer has of its name.
    const fs::path own = folder / copy.place.path.filename();
    const bool isHalf = copy.folder != copy.place.path;
    const bool isElsewhere =
        isHalf ? isThere(own) : isSame(CopiedFiles::of(copy.place.path, stop), own, stop);
    if (stop.stop_requested()) return fates;
    if (isElsewhere || !isThere(copy.place.path)) {
      tier_.drop(copy);
    } else {
      fates.push_back(setAside(copy, "it was not copied to its end, or has no list of its files"));
    }
  }
  return fates;
}

/// Exactly, and so that it can be read.
bool UnstoredCopies::isStored(const CopiedFiles& files, const std::stop_token& stop) const {
  const auto versions = store_.catalog().versionsOf(run_);
  if (!versions) return false;
  LineageCheck check(store_);
  return std::ranges::any_of(*versions, [&](const VersionEntry& one) {
    return one.contentDigest == files.content() && check.isSound(one, stop, {}).value_or(false);
  });
}

UnstoredCopies::Fate UnstoredCopies::setAside(const MemoryTier::Copy& copy,
                                              const std::string& why) const {
  auto aside = tier_.setAside(copy);
  const fs::path path = aside ? aside->place.path : copy.place.path;
  const std::string text = fmt::format("is not stored: {}; {}", why, adviceFor(path));
  return {
      .path = path, .text = text, .aside = aside ? std::optional(std::move(*aside)) : std::nullopt};
}

}  // namespace strata
