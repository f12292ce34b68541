#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/store/catalog/catalog.h"
#include "core/transfer/remote_library.h"

namespace strata {

/// Which version of a store is which of a remote: the one place that decides it.
///
/// Both have one name and one content. Several versions of a name may have equal contents: each is
/// matched once. First come those of one number. Of the rest, those match of which one was
/// renumbered: the side with the higher number has another version under the lower one. A version
/// keeps the time it was added at wherever it goes: all of that is done for equal times, then for
/// others. Of equal times those match, too, whose own number would stand before that of an older
/// version there. n log n for n versions.
class VersionMatching {
 public:
  /// Of live versions, sorted by name and number. `there` must outlive this.
  VersionMatching(std::vector<VersionEntry> here, const RemoteLibrary& there);
  /// Fails with what the catalog fails with.
  static Result<VersionMatching> load(const Catalog& catalog, const RemoteLibrary& there);

  /// nullptr for a version that is to be pushed.
  const RemoteVersion* there(const VersionEntry& here) const;
  /// nullptr for a version that is to be pulled.
  const VersionEntry* here(const RemoteVersion& there) const;

  std::size_t toPush() const noexcept { return here_.size() - thereOf_.size(); }

 private:
  struct Left;
  /// Those of one kind that are not matched yet.
  std::vector<Left> left(const RemoteLibrary& there, bool byNumber, bool byTime) const;
  void match(const VersionEntry& here, const RemoteVersion& there);
  void matchNumbers(const RemoteLibrary& there, bool byTime);
  void matchRenumbered(const RemoteLibrary& there, bool byTime);
  void matchFollowing(const RemoteLibrary& there);
  /// Whether an older version has a number there from that of `mine` up to `number`.
  bool isBehindOlder(const RemoteLibrary& there, const VersionEntry& mine,
                     std::uint32_t number) const;
  bool has(std::string_view name, std::uint32_t number) const;

  std::vector<VersionEntry> here_;
  std::map<std::string, const RemoteVersion*> thereOf_ = {};  ///< by the label here
  std::map<std::string, std::size_t> hereOf_ = {};            ///< in `here_`, by the label there
};

}  // namespace strata
