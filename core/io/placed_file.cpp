#include "core/io/placed_file.h"

#include <utility>

#include "core/io/temp_file.h"

namespace strata {

Result<void> syncPlaced(const std::filesystem::path& file) {
  Result<void> synced = syncFolder(file.has_parent_path() ? file.parent_path() : ".");
  if (synced) return {};
  Error problem = std::move(synced).error();
  problem.message += ", after " + file.filename().string() + " was put in place";
  return fail(std::move(problem));
}

}  // namespace strata
