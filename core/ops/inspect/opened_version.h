#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/model/element_type.h"
#include "core/model/model_source.h"
#include "core/ops/inspect/restore_tensors.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// A file of a version that is open.
struct OpenedFile {
  std::string path;
  FileKind kind = FileKind::Other;
  std::uint64_t byteCount = 0;
};

/// A tensor of a version that is open.
struct OpenedTensor {
  std::string name;
  ElementType type = ElementType::Bytes;
  std::vector<std::uint64_t> shape;
  std::size_t file = 0;      ///< index into OpenedVersion::files()
  std::uint64_t offset = 0;  ///< of the first byte, from the start of that file
  std::uint64_t byteCount = 0;
  bool isFilePiece = false;  ///< bytes of a file that is no model, and no tensor
};

/// A version that is read piece by piece: for programs that hand out tensors or ranges of files as
/// they are asked for. Its manifest and those of its parents are read once, by open(). Nothing is
/// written anywhere. Safe to use from several threads.
class OpenedVersion {
 public:
  /// `store` must outlive what is opened. Fails with NotFound, CorruptData (naming the damage), Io.
  static Result<std::unique_ptr<OpenedVersion>> open(const Store& store,
                                                     const std::string& reference);
  ~OpenedVersion();

  const VersionEntry& version() const noexcept;
  const std::vector<OpenedFile>& files() const noexcept;
  /// In the order of the files, and in each as they lie in it.
  const std::vector<OpenedTensor>& tensors() const noexcept;

  /// Decodes tensors into memory of the caller: checks and fails as restoreTensors(). Null
  /// `device`: the CPU.
  Result<RestoreTensorsReport> restore(const std::vector<TensorTarget>& targets, Device* device,
                                       const std::stop_token& stop,
                                       const ProgressSink& progress) const;

  /// Fills `out` with the bytes of a file from `offset` on, several pieces at a time. Each block is
  /// checked against its checksum first. Fails with InvalidArgument where the range is not in the
  /// file or there is no such file, CorruptData, Cancelled, Io; `out` then holds unspecified bytes.
  Result<void> read(std::size_t file, std::uint64_t offset, std::span<std::byte> out,
                    const std::stop_token& stop) const;

 private:
  struct State;
  explicit OpenedVersion(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace strata
