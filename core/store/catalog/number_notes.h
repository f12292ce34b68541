#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/refs/ref_folder.h"

namespace strata {

/// The catalog repeats what `refs/NAME/last.json` says: which numbers are used up, and by which
/// contents. That is how a lost file is noticed and written anew; without it a pull might give the
/// number of a version that was deleted for good to another content.
///
/// The table was not part of the catalog's first layout: older programs do not look at it. A file
/// is written before the catalog repeats it, so it never says less, unless it was lost, damaged or
/// replaced by an older copy. Of a name that the table lacks the catalog knows the highest number.
/// Functions fail with CorruptData (the catalog), NoSpace or Io.

/// Has the catalog repeat the files of `names`. Those that are missing or damaged leave it as it
/// is.
Result<void> noteNumbers(const std::filesystem::path& catalogFile, const RefFolder& refs,
                         const std::vector<std::string>& names);
/// The same for all names.
Result<void> noteAllNumbers(const std::filesystem::path& catalogFile, const RefFolder& refs);

/// A name whose file says less than the catalog knows.
struct LostNumberNote {
  std::string name;
  LastNumber whole;  ///< what the file and the catalog say together
};

/// Which files are asked for: to read all of them takes a while where there are thousands.
enum class NumberFiles {
  Changed,  ///< of names that the table has, those that have another size or are gone
  All,
};

/// Sorted by name. Nothing where there is no catalog.
Result<std::vector<LostNumberNote>> lostNumberNotes(const std::filesystem::path& catalogFile,
                                                    const RefFolder& refs, NumberFiles files);

/// Writes them anew; returns their names. Leaves out those in whose place is something else. Only
/// under the write lock.
Result<std::vector<std::string>> bringNumbersBack(const std::filesystem::path& catalogFile,
                                                  const RefFolder& refs, NumberFiles files);

}  // namespace strata
