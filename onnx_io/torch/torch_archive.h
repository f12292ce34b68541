#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_source.h"
#include "core/result.h"
#include "onnx_io/file_contents.h"
#include "onnx_io/torch/pickle_tree.h"
#include "onnx_io/torch/torch_tensors.h"
#include "onnx_io/zip/zip_list.h"

namespace strata {

/// An archive of torch.save: its pickle, and the storages that the pickle speaks of.
class TorchArchive {
 public:
  /// Whether an archive has the member that holds the pickle.
  static bool isOne(const ZipList& list) noexcept;

  /// Reads the pickle of an archive in `file`, which must outlive this. Fails with Unsupported
  /// where the pickle is compressed, else as readPickle.
  static Result<TorchArchive> open(std::span<const std::byte> file, const ZipList& list);
  TorchArchive(TorchArchive&&) = default;
  TorchArchive& operator=(TorchArchive&&) = default;
  TorchArchive(const TorchArchive&) = delete;  // the tree views the pickle
  TorchArchive& operator=(const TorchArchive&) = delete;
  ~TorchArchive() = default;

  const PickleTree& tree() const noexcept { return tree_; }
  /// Where a storage lies; nothing if the archive has none of that key.
  const ByteRange* storage(std::string_view key) const noexcept;
  /// Whether the archive has one, be it compressed.
  bool hasStorage(std::string_view key) const noexcept;
  /// Whether the archive was written on a big-endian machine.
  bool isSwapped() const noexcept { return isSwapped_; }
  /// The number that a value is, or the only element of a tensor.
  std::optional<double> number(PickleId id) const noexcept;

  /// The members of an archive that hold storages, by their keys.
  struct Storage {
    std::string key;
    ByteRange bytes;
  };
  const std::vector<Storage>& storages() const noexcept { return storages_; }

  /// The storages of an archive whose pickle is not understood, too.
  static std::vector<Storage> storagesOf(const ZipList& list);

 private:
  TorchArchive() = default;

  std::span<const std::byte> file_;
  std::vector<std::byte> pickle_;    ///< a copy: the file may be one that a trainer writes
  PickleTree tree_;                  ///< views it
  std::vector<Storage> storages_;    ///< by key
  std::vector<std::string> packed_;  ///< sorted keys of those that are compressed
  bool isSwapped_ = false;
};

/// Adds the tensors of an archive to `out`. `name` is put in front of their names, or is the name
/// of a tensor that stands alone.
void addTorchTensors(const TorchArchive& archive, const std::string& name, std::uint32_t file,
                     FileContents& out);

}  // namespace strata
