#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/digest.h"
#include "core/result.h"

namespace strata {

/// The files of a checkpoint with sizes and SHA-256, as they were copied. It is kept beside a copy
/// and tells later whether the copy still has the same bytes.
class CopiedFiles {
 public:
  struct File {
    std::uint64_t byteCount = 0;
    Digest sha256 = {};

    friend bool operator==(const File&, const File&) = default;
  };

  /// Copies a folder or a file to `to`, which is not there yet. What is listed are the bytes that
  /// were written. Links to files become files; modes of files are kept. Paths in the list begin
  /// with the name of `from`. Fails with Unsupported at what is neither file nor folder; with
  /// NotFound, NoSpace, Io, LimitExceeded, Cancelled.
  static Result<CopiedFiles> copy(const std::filesystem::path& from,
                                  const std::filesystem::path& to, const std::stop_token& stop);
  /// The list of what lies at `place`. Fails as copy().
  static Result<CopiedFiles> of(const std::filesystem::path& place, const std::stop_token& stop);

  /// A line for each file, and a check of these. Whatever else is said to be one: CorruptData.
  std::string text() const;
  static Result<CopiedFiles> parse(std::string_view text);

  /// Why `found` is not what this lists, the first file of it; nothing where both are equal.
  std::optional<std::string> differenceTo(const CopiedFiles& found) const;
  /// The digest of a model with these files (core/model/content_hash.h).
  Digest content() const;
  std::uint64_t byteCount() const;
  /// What the copied folder or file is called; empty where nothing is listed.
  std::string name() const;

  friend bool operator==(const CopiedFiles&, const CopiedFiles&) = default;

 private:
  Result<void> add(const std::filesystem::path& file, std::string path,
                   const std::filesystem::path& to, const std::stop_token& stop);
  Result<void> addAll(const std::filesystem::path& from, const std::filesystem::path& to,
                      const std::stop_token& stop);

  std::map<std::string, File> files_;  ///< by their paths
};

}  // namespace strata
