#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"
#include "hub/serve/decode_threads.h"
#include "hub/serve/piece_cache.h"
#include "hub/serve/web_exchange.h"

namespace strata::hub {

/// One file of a served version.
struct ServedFile {
  std::string path;
  std::uint64_t byteCount = 0;
  Digest sha256;
};

/// A version that is open for serving.
class ServedVersion {
 public:
  ServedVersion(Digest content, std::shared_ptr<const VersionReader> reader);

  const std::vector<ServedFile>& files() const noexcept { return files_; }
  /// The file's number; -1 if there is none.
  int find(std::string_view path) const noexcept;
  const Digest& content() const noexcept { return content_; }
  const VersionReader& reader() const noexcept { return *reader_; }
  /// Offsets at which the file is cut, from 0 to its size.
  const std::vector<std::uint64_t>& cuts(std::uint32_t file) const;

 private:
  Digest content_;
  std::shared_ptr<const VersionReader> reader_;
  std::vector<ServedFile> files_;
  mutable std::mutex mutex_;  // guards cuts_
  mutable std::map<std::uint32_t, std::vector<std::uint64_t>> cuts_;
};

/// What a server needs of a store: versions by the names that the Hugging Face API has for them,
/// and their restored bytes. A version's commit is the first 40 digits of its content digest.
/// Sees what is added while it serves. Safe to use from any thread; `store` must outlive it.
class ServedModels {
 public:
  /// `memoryBytes`: of restored pieces that are kept.
  ServedModels(const Store& store, std::uint64_t memoryBytes);

  /// The versions of a name, oldest first; empty if there is none.
  Result<std::vector<VersionEntry>> versions(const std::string& name) const;
  /// The newest version of each name.
  Result<std::vector<VersionEntry>> newest() const;

  /// What a revision means: `main` (the newest), `vN`, a tag, or 7 to 64 digits of a commit.
  /// Fails with NotFound, CorruptData.
  Result<VersionEntry> resolve(const std::string& name, const std::string& revision) const;

  /// Opens a version; a few stay open. Fails as openVersion.
  Result<std::shared_ptr<const ServedVersion>> open(const VersionEntry& entry);

  /// The bytes of file number `file`.
  std::unique_ptr<BodySource> bytes(std::shared_ptr<const ServedVersion> version,
                                    std::uint32_t file);

 private:
  const Store& store_;
  std::mutex mutex_;                                      // guards open_
  std::list<std::shared_ptr<const ServedVersion>> open_;  // the newest first
  PieceCache pieces_;
  std::size_t aheadCount_;  // pieces that are read ahead
  DecodeThreads threads_;   // last: they end before the rest
};

/// "7c1f9e02…", 40 digits.
std::string commitOf(const Digest& content);

}  // namespace strata::hub
