#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace strata {

/// The bytes of a model's file where they lie in memory.
///
/// A file that is mapped is one run of bytes. A file that was never written, because its tensors
/// are arrays of a program, is several runs, one behind the other: nothing is copied together. A
/// tensor always lies within one run. Runs are borrowed: their owner must outlive this.
class FileBytes {
 public:
  FileBytes() = default;
  /// A file that is one run.
  FileBytes(std::span<const std::byte> whole);  // NOLINT: a run is a file, too
  /// The runs in the order of the file; empty ones count for nothing.
  explicit FileBytes(const std::vector<std::span<const std::byte>>& runs);

  std::uint64_t size() const noexcept { return byteCount_; }
  bool empty() const noexcept { return byteCount_ == 0; }

  /// Bytes that lie within one run, as those of a tensor do.
  std::span<const std::byte> of(std::uint64_t offset, std::uint64_t byteCount) const noexcept;
  /// The whole file, which is one run: as every file is that a reader opened.
  std::span<const std::byte> whole() const noexcept { return of(0, byteCount_); }

  /// Copies bytes from `offset` on into all of `out`; they lie in the file.
  void copy(std::uint64_t offset, std::span<std::byte> out) const noexcept;
  /// The bytes from `offset` to `end`, which lie in the file, in as few pieces as there are runs.
  void forEachRun(std::uint64_t offset, std::uint64_t end,
                  const std::function<void(std::span<const std::byte>)>& take) const;

 private:
  struct Run {
    std::uint64_t offset = 0;
    std::span<const std::byte> bytes;
  };
  std::size_t runAt(std::uint64_t offset) const noexcept;

  std::uint64_t byteCount_ = 0;
  Run first_;              ///< the only one of most files: needs no memory of its own
  std::vector<Run> rest_;  ///< ascending
};

}  // namespace strata
