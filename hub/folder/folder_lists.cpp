#include "hub/folder/folder_lists.h"

#include <algorithm>

#include "core/io/os_error.h"
#include "core/io/temp_file.h"
#include "hub/folder/ref_files.h"

namespace strata::hub {

namespace fs = std::filesystem;

fs::path FolderLists::pathOf(std::uint64_t number) const {
  return folder_ / "refs" / generationName(number);
}

Result<std::vector<std::uint64_t>> FolderLists::numbers() const {
  std::vector<std::uint64_t> found;
  std::error_code status;
  fs::directory_iterator entries(folder_ / "refs", status);
  if (status == std::errc::no_such_file_or_directory) return found;
  for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
    if (const std::uint64_t number = generationOf(entries->path().filename().string());
        number > 0) {
      found.push_back(number);
    }
  }
  if (status) return fail(osError(folder_ / "refs", "list", status.value()));
  std::sort(found.begin(), found.end());
  return found;
}

Result<RefIndex> FolderLists::read(std::uint64_t number) const {
  const fs::path file = pathOf(number);
  STRATA_TRY(const std::string text, readRefFile(file));
  return parseRefIndex(text, file.string());
}

Result<FolderLists::Found> FolderLists::newest(Unreadable unreadable) const {
  constexpr int kAttempts = 8;
  for (int attempt = 1;; ++attempt) {
    STRATA_TRY(const std::vector<std::uint64_t> all, numbers());
    Found found{.highest = all.empty() ? 0 : all.back()};
    bool isPassed = false;
    for (auto number = all.rbegin(); number != all.rend() && !isPassed; ++number) {
      auto index = read(*number);
      if (index) {
        found.number = *number;
        found.index = *std::move(index);
        break;
      }
      // Pushed past and removed since the folder was listed.
      isPassed = index.error().code == ErrorCode::NotFound && attempt < kAttempts;
      if (isPassed) continue;
      const bool isOver =
          unreadable == Unreadable::Fails || index.error().code != ErrorCode::CorruptData;
      if (isOver) return fail(unreadableList(std::move(index).error()));
    }
    if (isPassed) continue;
    // Who began to delete could not say any more that it ended.
    if (found.number != found.highest) found.index.doomed.clear();
    return found;
  }
}

void FolderLists::prune(std::uint64_t newest) const {
  const auto all = numbers();
  if (!all) return;
  std::error_code ignored;
  for (const std::uint64_t number : *all) {
    if (isOutdated(number, newest)) {
      fs::remove(pathOf(number), ignored);
    }
  }
}

Result<RefOutcome> FolderLists::change(const std::function<Edit(RefIndex&)>& edit,
                                       std::optional<std::uint64_t> above,
                                       const std::stop_token& stop) const {
  const Unreadable unreadable = above ? Unreadable::Passed : Unreadable::Fails;
  while (!stop.stop_requested()) {
    STRATA_TRY(Found found, newest(unreadable));
    const Edit wish = edit(found.index);
    if (wish == Edit::Refuse) return RefOutcome::Lost;
    if (wish == Edit::Keep) {
      // It counts as there once its name is on the disk, whoever wrote it.
      if (found.number > 0) STRATA_TRY(syncFolder(folder_ / "refs"));
      return RefOutcome::Advanced;
    }
    const std::uint64_t number = std::max(found.highest, above.value_or(0)) + 1;
    STRATA_TRY(const std::string text, serializeRefIndex(found.index));
    const fs::path place = pathOf(number);
    STRATA_TRY(const bool isOurs, claimRefFile(folder_ / "tmp", place, text));
    if (!isOurs) continue;
    STRATA_TRY(const std::vector<std::uint64_t> all, numbers());
    const std::uint64_t newest = all.empty() ? number : all.back();
    if (!mayBePassed(number, newest)) {
      prune(newest);
      return RefOutcome::Advanced;
    }
    // So slow that others had passed and removed this number before: it does not count.
    std::error_code ignored;
    fs::remove(place, ignored);
  }
  return fail(ErrorCode::Cancelled, "cancelled");
}

}  // namespace strata::hub
