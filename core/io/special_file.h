#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/io/models/model_sink.h"
#include "core/result.h"

namespace strata {

/// What a path leads to if that is no file or folder: "a fifo", "a character device", "a block
/// device" or "a socket"; else empty. Files are written into those, never put in their place.
std::string_view specialKind(const std::filesystem::path& path);

/// Fails with Unsupported if a path leads to such a thing, where a file is to be.
Result<void> refuseSpecial(const std::filesystem::path& path);

/// Whether a path names an open file of a process, such as /dev/stdout or /proc/self/fd/1. What it
/// leads to may be an ordinary file, whose reader holds it open.
bool isOpenFile(const std::filesystem::path& path);

/// Writes into a fifo, a device or an open file.
class StreamSink final : public ByteSink {
 public:
  /// Waits for the reader of a fifo. Fails with Io, or Cancelled.
  static Result<StreamSink> open(const std::filesystem::path& path, const std::stop_token& stop);
  StreamSink(StreamSink&& other) noexcept;
  StreamSink& operator=(StreamSink&&) = delete;
  ~StreamSink() override;

  Result<void> append(std::span<const std::byte> bytes) override;
  /// To the disk, where there is one behind it. Call once.
  Result<void> finish();

 private:
  StreamSink(int descriptor, std::string label);

  int descriptor_;
  DescriptorSink sink_;
  std::string label_;
};

}  // namespace strata
