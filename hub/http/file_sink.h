#pragma once

#include <filesystem>

#include "core/transfer/remote_object.h"

namespace strata::hub {

/// A file that is fetched, under a name of its own until it is whole. What is there of it stays and
/// is gone on with. Move-only.
class FileSink final : public ObjectSink {
 public:
  /// A file longer than `mostBytes` is emptied. Fails with NoSpace or Io.
  static Result<FileSink> open(const std::filesystem::path& path, std::uint64_t mostBytes);
  FileSink(FileSink&& other) noexcept;
  FileSink& operator=(FileSink&&) = delete;
  ~FileSink() override;

  std::uint64_t byteCount() const noexcept { return byteCount_; }
  Result<void> append(std::span<const std::byte> bytes) override;
  Result<void> restart() override;
  /// Brings all bytes to the disk.
  Result<void> close();

 private:
  FileSink(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t byteCount_ = 0;
};

}  // namespace strata::hub
