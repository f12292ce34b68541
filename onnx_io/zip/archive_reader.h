#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/model/model_source.h"
#include "onnx_io/file_contents.h"
#include "onnx_io/model_files.h"
#include "onnx_io/torch/dcp_names.h"

namespace strata {

/// What a zip archive is as a model.
struct ArchiveContents {
  FileKind kind = FileKind::Other;  ///< PyTorch or Npz; Other where it is neither
  FileContents contents;
};

/// Finds the tensors of zip archives: files of torch.save (`.pt`, `.pth`, `.bin`, `.ckpt`), those
/// of torch.distributed.checkpoint (`.distcp`), which are many of the former one behind the other,
/// and `.npz`. No pickle is run and nothing is unpacked.
///
/// Used for the files of one model, so that a `.metadata` is read once for all files beside it.
class ArchiveReader {
 public:
  /// Names, types and shapes are those of the pickle (torchContents), or of the arrays' own
  /// headers. Tensors of a `.distcp` are named by the `.metadata` beside it, where that is one of
  /// `files`. Never fails: what is not understood stays bytes, and `contents.asBytes` says why.
  ArchiveContents read(const ModelFiles& files, std::uint32_t file);

 private:
  ArchiveContents readDcp(const ModelFiles& files, std::uint32_t file);
  const DcpNames& namesFor(const ModelFiles& files, const std::string& folder);

  std::map<std::string, DcpNames> names_;  ///< by folder
};

/// Whether a file is taken for one of PyTorch or NumPy by its name and its first bytes, which are
/// those of a zip archive or a pickle.
bool isNamedArchive(const ModelFile& file) noexcept;

/// Why a file of isNamedArchive() that is no zip archive is stored as bytes.
std::string whyBytes(const ModelFile& file);

}  // namespace strata
