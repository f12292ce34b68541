#include "core/store/store_survey.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "core/io/failed_as.h"
#include "core/io/os_error.h"
#include "core/store/refs/ref_aside.h"
#include "core/store/refs/ref_folder.h"
#include "core/store/refs/reference.h"
#include "core/store/store_places.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

class Survey {
 public:
  Survey(const fs::path& storeFolder, const ObjectFolder& objects)
      : store_(storeFolder), objects_(objects) {}

  Result<StoreSurvey> run() {
    STRATA_TRY(each(store_, [&](const fs::path& path) -> Result<void> {
      const bool isAside = nameBeforeAside(path.filename().native()) == kChangeFile;
      if (isAside) found_.setAside.push_back(path);
      return {};
    }));
    STRATA_TRY(each(store_ / "refs", [&](const fs::path& path) { return lookAtName(path, true); }));
    STRATA_TRY(
        each(store_ / "trash", [&](const fs::path& path) { return lookAtName(path, false); }));
    STRATA_TRY(each(store_ / "objects", [&](const fs::path& path) { return lookAtHash(path); }));
    std::sort(found_.foreign.begin(), found_.foreign.end());
    std::sort(found_.setAside.begin(), found_.setAside.end());
    return std::move(found_);
  }

 private:
  using Look = std::function<Result<void>(const fs::path&)>;

  static Result<void> each(const fs::path& folder, const Look& look) {
    std::error_code status;
    fs::directory_iterator entries(folder, status);
    for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
      STRATA_TRY(look(entries->path()));
    }
    const bool isGone = failedAs(status, std::errc::no_such_file_or_directory);
    if (status && !isGone) return fail(osError(folder, "list", status.value()));
    return {};
  }

  /// What is a file where a folder may be is foreign. A link there leads readers astray.
  Result<void> folder(const fs::path& path, const Look& look) {
    std::error_code gone;
    const fs::file_type type = fs::symlink_status(path, gone).type();
    if (type == fs::file_type::directory) return each(path, look);
    if (type == fs::file_type::symlink) return note(path, PlaceKind::Folder);
    if (type != fs::file_type::not_found) found_.foreign.push_back(path);
    return {};
  }

  Result<void> note(const fs::path& path, PlaceKind kind) {
    STRATA_TRY(auto problem, placeProblem(path, kind));
    if (problem) found_.misplaced.push_back({path, *std::move(problem)});
    return {};
  }

  Result<void> lookAtName(const fs::path& path, bool isLive) {
    if (!nameOfKey(path.filename().string())) {
      found_.foreign.push_back(path);
      return {};
    }
    return folder(path, [&](const fs::path& file) -> Result<void> {
      if (isLive && file.filename() == "tags") {
        std::error_code gone;
        const bool isFolder = fs::is_directory(fs::symlink_status(file, gone));
        if (!isFolder) return note(file, PlaceKind::Folder);
        return each(file, [&](const fs::path& tag) { return lookAtTag(tag); });
      }
      const auto before = nameBeforeAside(file.filename().native());
      if (isVersionName(before, isLive)) {
        found_.setAside.push_back(file);
        return {};
      }
      return lookAtFile(file, isVersionName(file.filename().native(), isLive));
    });
  }

  Result<void> lookAtTag(const fs::path& file) {
    if (!isTagFile(nameBeforeAside(file.filename().native()))) {
      return lookAtFile(file, isTagFile(file));
    }
    found_.setAside.push_back(file);
    return {};
  }

  Result<void> lookAtHash(const fs::path& path) {
    if (!ObjectFolder::isFolderName(path.filename().native())) {
      found_.foreign.push_back(path);
      return {};
    }
    return folder(path, [&](const fs::path& file) {
      return lookAtFile(file, objects_.digestOf(file).has_value());
    });
  }

  Result<void> lookAtFile(const fs::path& file, bool isOurs) {
    if (isOurs) return note(file, PlaceKind::File);
    found_.foreign.push_back(file);
    return {};
  }

  static bool isVersionName(std::string_view name, bool isLive) {
    if (isLive && RefFolder::isNote(name)) return true;
    return RefFolder::versionOf(name, isLive ? Place::Live : Place::Trash) != 0;
  }

  static bool isTagFile(const fs::path& file) {
    return file.extension() == ".json" && checkTag(file.stem().string()).has_value();
  }

  const fs::path store_;
  const ObjectFolder& objects_;
  StoreSurvey found_;
};

}  // namespace

Result<StoreSurvey> surveyStore(const fs::path& storeFolder, const ObjectFolder& objects) {
  return Survey(storeFolder, objects).run();
}

}  // namespace strata
