#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/result.h"

namespace strata {

/// Takes bytes in order.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Fails with NoSpace, Io, Network, or Cancelled where the other side has gone.
  virtual Result<void> append(std::span<const std::byte> bytes) = 0;
};

/// Writes to an open file descriptor, such as standard output; does not close it.
class DescriptorSink final : public ByteSink {
 public:
  /// `label` is how errors call it.
  DescriptorSink(int descriptor, std::string label);
  Result<void> append(std::span<const std::byte> bytes) override;

 private:
  int descriptor_;
  std::string label_;
};

/// Takes the files of a restored model, one after the other. Nothing of it can be seen under its
/// name before commit(); a sink that dies before leaves no trace.
class ModelSink {
 public:
  virtual ~ModelSink() = default;
  /// Starts a file; `path` is relative and was checked to stay inside the model. `mode` is what to
  /// make it with, less the umask (modeToRestore).
  virtual Result<void> beginFile(const std::string& path, std::uint32_t mode) = 0;
  virtual Result<void> append(std::span<const std::byte> bytes) = 0;
  /// Ends the file: its bytes are complete, correct and on the disk.
  virtual Result<void> endFile() = 0;
  /// Gives all files their names. If one cannot get its own, those that had theirs lose it again
  /// and what they replaced is back.
  virtual Result<void> commit() = 0;
};

}  // namespace strata
