#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/objects/object_folder.h"
#include "core/store/parity/parity_folder.h"

namespace strata {

/// Computes the parity of groups from their objects and makes it durable. Each object is compared
/// with its digest while it is read, so parity never says of a damaged object that it is sound.
/// For one thread, under the write lock.
class ParityWriter {
 public:
  /// `mayGoOn` is asked every few megabytes, and ends the group that is being written by failing.
  ParityWriter(const std::filesystem::path& storeFolder, const ObjectFolder& objects,
               const ParityFolder& folder, const std::function<Result<void>()>& mayGoOn)
      : temporary_(storeFolder / "tmp"), objects_(objects), folder_(folder), mayGoOn_(mayGoOn) {}

  /// Writes all shards of `to`. Its members have the columns that they have in `from`, if they are
  /// there. The parity of `from`, where it is sound, is changed by what comes and goes; else all
  /// members are read. Answers with members that are missing or damaged; nothing is written then.
  /// `from` may be null. Fails with NoSpace, CorruptData (a link), Io and as `mayGoOn`.
  Result<std::vector<Digest>> write(const StoredParity* from, const StoredParity& to) const;

  /// Bytes of parity written so far, those of a group that is not done yet among them.
  std::uint64_t writtenBytes() const noexcept { return writtenBytes_ + groupBytes_; }

 private:
  struct Source;
  struct Shard;
  Result<std::vector<Digest>> encode(const StoredParity* from,
                                     const std::vector<ParityMember>& changed,
                                     const StoredParity& to) const;
  Result<void> place(std::vector<Shard>& shards, const StoredParity& to) const;
  bool openShards(const StoredParity& from, std::vector<MappedFile>& files) const;

  std::filesystem::path temporary_;
  const ObjectFolder& objects_;
  const ParityFolder& folder_;
  const std::function<Result<void>()>& mayGoOn_;
  mutable std::uint64_t writtenBytes_ = 0;
  mutable std::uint64_t groupBytes_ = 0;
};

}  // namespace strata
