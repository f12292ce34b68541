#include "hub/folder/folder_lists.h"

#include <algorithm>
#include <functional>

#include "core/io/failed_as.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "hub/folder/ref_files.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

/// Names of the files in a folder; none where there is no such folder.
Result<void> eachName(const fs::path& folder, const std::function<void(const std::string&)>& take) {
  std::error_code status;
  fs::directory_iterator entries(folder, status);
  if (failedAs(status, std::errc::no_such_file_or_directory)) return {};
  for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
    take(entries->path().filename().string());
  }
  if (status) return fail(osError(folder, "list", status.value()));
  return {};
}

Result<std::optional<std::string>> textOf(const fs::path& file) {
  auto text = readRefFile(file);
  if (text) return *std::move(text);
  if (text.error().code == ErrorCode::NotFound) return std::nullopt;
  return fail(std::move(text).error());
}

Result<void> removeFile(const fs::path& file) {
  std::error_code status;
  fs::remove(file, status);
  // A folder that somebody put there is not ours to delete.
  if (status && !failedAs(status, std::errc::directory_not_empty)) {
    return fail(osError(file, "remove", status.value()));
  }
  return {};
}

/// `refs/NUMBER`, each made so that only one writer can (hub/folder/ref_files.h), and
/// `pages/NUMBER-SHA256`.
class FolderLists final : public ListPlace {
 public:
  explicit FolderLists(fs::path folder) : folder_(std::move(folder)) {}

  std::string nameOf(std::uint64_t number) const override { return pathOf(number).string(); }

  Result<std::vector<ListMark>> list(std::uint64_t /*from*/,
                                     const std::stop_token& /*stop*/) override {
    STRATA_TRY(const std::vector<std::uint64_t> all, listNumbers(folder_));
    std::vector<ListMark> marks;
    for (const std::uint64_t number : all) marks.push_back({number});
    return marks;
  }

  Result<std::optional<std::string>> read(std::uint64_t number,
                                          const std::stop_token& /*stop*/) override {
    return textOf(pathOf(number));
  }

  /// Its names keep writers apart.
  Result<std::unique_ptr<WriteTurn>> takeTurn(const std::stop_token& /*stop*/) override {
    return nullptr;
  }

  Result<bool> claim(std::uint64_t number, const std::string& text, const WriteTurn* /*turn*/,
                     const std::stop_token& /*stop*/) override {
    return claimRefFile(folder_ / "tmp", pathOf(number), text);
  }

  Result<void> remove(std::uint64_t number, const std::stop_token& /*stop*/) override {
    return removeFile(pathOf(number));
  }

  Result<void> settle() override { return syncFolder(folder_ / "refs"); }

  Result<std::optional<std::string>> readPage(const RefPage& page,
                                              const std::stop_token& /*stop*/) override {
    return textOf(pathOf(page));
  }

  Result<void> writePages(const std::vector<std::pair<RefPage, std::string>>& pages,
                          const std::stop_token& stop) override {
    STRATA_TRY(makeStoreFolder(folder_ / "pages"));
    STRATA_TRY(syncFolder(folder_));
    for (const auto& [page, text] : pages) {
      if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      STRATA_TRY(makeRoom(pathOf(page)));
      STRATA_TRY(writeFileWhole(folder_ / "tmp", pathOf(page), text));
    }
    return {};
  }

  Result<std::vector<RefPage>> listPages(const std::stop_token& /*stop*/) override {
    std::vector<RefPage> pages;
    STRATA_TRY(eachName(folder_ / "pages", [&](const std::string& name) {
      if (auto page = pageOfName(name)) pages.push_back(*std::move(page));
    }));
    return pages;
  }

  Result<std::vector<RefPage>> lostPages(const std::vector<RefPage>& pages,
                                         const std::stop_token& /*stop*/) override {
    std::vector<RefPage> lost;
    for (const RefPage& page : pages) {
      STRATA_TRY(const auto byteCount, fileBytes(pathOf(page)));
      if (byteCount != page.byteCount) lost.push_back(page);
    }
    return lost;
  }

  Result<void> removePage(const RefPage& page, const std::stop_token& /*stop*/) override {
    return removeFile(pathOf(page));
  }

  bool etagsTell() override { return false; }

 private:
  fs::path pathOf(std::uint64_t number) const { return folder_ / "refs" / generationName(number); }

  fs::path pathOf(const RefPage& page) const { return folder_ / "pages" / pageName(page); }

  fs::path folder_;
};

}  // namespace

Result<std::vector<std::uint64_t>> listNumbers(const fs::path& folder) {
  std::vector<std::uint64_t> found;
  STRATA_TRY(eachName(folder / "refs", [&](const std::string& name) {
    if (const std::uint64_t number = generationOf(name); number > 0) found.push_back(number);
  }));
  std::sort(found.begin(), found.end());
  return found;
}

std::unique_ptr<ListPlace> makeFolderLists(fs::path folder) {
  return std::make_unique<FolderLists>(std::move(folder));
}

}  // namespace strata::hub
