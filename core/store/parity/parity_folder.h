#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/mapped_file.h"
#include "core/result.h"
#include "core/store/parity/parity_group.h"

namespace strata {

/// A group with the files that are there.
struct StoredParity {
  ParityGroup group;
  Digest id;
  bool isOpen = false;      ///< more objects may join it
  std::uint32_t files = 0;  ///< bit i: there is a file of shard i

  bool hasFile(std::size_t shard) const noexcept { return (files >> shard & 1U) != 0; }
  bool isWhole() const noexcept { return files == (1U << group.ratio.shards) - 1; }
};

struct ParityListing {
  std::vector<StoredParity> groups;  ///< by id
  /// Of groups that none of their files names any more.
  std::vector<std::filesystem::path> unreadable;
};

/// The parity of a store, which other programs leave alone:
///
///     STORE/parity/open/ID.0        a group that more objects may join; few
///     STORE/parity/closed/ab/c….0   all others, by the first two digits of their id
///     STORE/parity/behind           only while objects lack the protection that they should have
///
/// Files are written once and never change. Nothing is reached through a link. For one thread.
class ParityFolder {
 public:
  explicit ParityFolder(const std::filesystem::path& storeFolder);

  /// Whether a store has, or may have, any parity.
  bool exists() const;

  std::filesystem::path pathOf(const StoredParity& stored, std::size_t shard) const;

  enum class Scope { Open, All };
  /// Reads the headers. Fails with CorruptData (a link), FormatTooNew, Io.
  Result<ParityListing> list(Scope scope) const;

  /// Fails with NotFound, CorruptData (a link) or Io.
  Result<MappedFile> open(const StoredParity& stored, std::size_t shard) const;
  /// pathOf, with its folder made. Fails with NoSpace or Io.
  Result<std::filesystem::path> makePlace(const StoredParity& stored, std::size_t shard) const;
  /// Deletes the files of a group. Fails with CorruptData (a link) or Io.
  Result<void> remove(const StoredParity& stored) const;
  /// Deletes one file of `list().unreadable`. Fails likewise.
  Result<void> removeFile(const std::filesystem::path& file) const;

  /// Why objects lack protection: the text of `behind`. Nothing where none do, as far as is known.
  std::optional<std::string> behind() const;
  /// Writes and deletes `behind`. Failures show in that it is there, or not.
  void setBehind(const std::string& reason) const;
  void clearBehind() const;

 private:
  using Found = std::map<std::pair<Digest, bool>, std::uint32_t>;
  Result<void> collect(const std::filesystem::path& folder, std::string_view start, bool isOpen,
                       Found& found) const;
  Result<void> addGroup(const Digest& id, bool isOpen, std::uint32_t files,
                        ParityListing& listing) const;

  Result<void> make(const std::filesystem::path& folder) const;

  std::filesystem::path store_;
  std::filesystem::path parity_;
  mutable std::set<std::filesystem::path> made_;  ///< folders that are there, and synced
};

}  // namespace strata
