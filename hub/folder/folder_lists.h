#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/transfer/ref_index.h"
#include "hub/generation.h"
#include "hub/index_sweep.h"

namespace strata::hub {

/// The lists of refs of a remote in a folder: `refs/NUMBER`, of which the highest number counts.
///
/// Writers never replace a list: each makes the next number, which only one can
/// (hub/folder/ref_files.h). Old numbers are removed (hub/generation.h).
class FolderLists {
 public:
  /// The remote's folder.
  explicit FolderLists(std::filesystem::path folder) : folder_(std::move(folder)) {}

  struct Found {
    std::uint64_t number = 0;   ///< 0: there is no list, or none that can be read
    std::uint64_t highest = 0;  ///< of the lists there, whether they can be read or not
    RefIndex index = {};
  };
  /// Fails with CorruptData or FormatTooNew (a list that cannot be read) or Io.
  Result<Found> newest(Unreadable unreadable) const;

  /// Numbers of all lists, sorted; none where there is no folder of them. Fails with Io.
  Result<std::vector<std::uint64_t>> numbers() const;

  /// Makes the edited index the newest one, with a number above `above` if given: see
  /// RefPush::above. Refuse becomes Lost. Fails as newest() and claimRefFile do.
  Result<RefOutcome> change(const std::function<Edit(RefIndex&)>& edit,
                            std::optional<std::uint64_t> above, const std::stop_token& stop) const;

 private:
  std::filesystem::path pathOf(std::uint64_t number) const;
  Result<RefIndex> read(std::uint64_t number) const;
  void prune(std::uint64_t newest) const;

  std::filesystem::path folder_;
};

}  // namespace strata::hub
