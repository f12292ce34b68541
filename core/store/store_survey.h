#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/objects/object_folder.h"

namespace strata {

/// What lies among the refs, the removed versions and the objects of a store and is not as it
/// should be.
struct StoreSurvey {
  /// In the place of a file or folder of the store lies something else, such as a link.
  struct Misplaced {
    std::filesystem::path path;
    std::string reason;  ///< "is a link, expected a folder of the store itself"
  };
  std::vector<Misplaced> misplaced;
  /// Of names that the store does not use: an editor's copies, what file managers leave. Nothing
  /// reads or deletes them.
  std::vector<std::filesystem::path> foreign;
  /// Refs that a repair set aside (core/store/refs/ref_aside.h). Nothing reads or deletes them
  /// either.
  std::vector<std::filesystem::path> setAside;
};

/// Looks at all names in `refs`, `trash` and `objects`, and into no file. What goes meanwhile is
/// left out. Fails with Io.
Result<StoreSurvey> surveyStore(const std::filesystem::path& storeFolder,
                                const ObjectFolder& objects);

}  // namespace strata
