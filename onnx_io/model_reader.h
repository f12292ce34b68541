#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// Where links in a model's folder may lead.
enum class Links {
  Confined,  ///< to places in the folder, and from a snapshot of a Hugging Face cache to its blobs
  Followed,  ///< to any regular file: the user vouches for the links
};

/// What becomes of a file or folder in which no model is found.
enum class Foreign {
  Refused,  ///< it is no model
  Kept,     ///< its files are plain bytes: the checkpoint of a trainer in a format of its own
};

/// Opens a model and finds its weights; what kind of model it is follows from its content.
///
/// `path` is an ONNX file (its external data files become files of the model), a safetensors file,
/// the index of a sharded safetensors set (its shards become files of the model), or a folder with
/// such files, all of whose files belong to the model but those that `exclude` or the folder's
/// `.strataignore` leaves out (IgnoreList), and files with secrets, which `skipped` in the metadata
/// names. Files are mapped, not read: memory does not
/// grow with the weights. Files that change while they are read cost no more than a wrong reading,
/// which ModelSource::checkUnchanged() tells.
///
/// Fails with NotFound if `path` or a file that the model names does not exist; with Unsupported if
/// it is no model and `foreign` does not keep it as bytes; with CorruptData if it is malformed or
/// reaches out of its folder; with LimitExceeded for over 100,000 files; with Io. Paths that a
/// model itself gives never leave its folder but by a link that `links` allows.
Result<std::unique_ptr<ModelSource>> openModel(const std::filesystem::path& path,
                                               Links links = Links::Confined,
                                               const std::vector<std::string>& exclude = {},
                                               Foreign foreign = Foreign::Refused);

}  // namespace strata
