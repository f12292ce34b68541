#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/mapped_file.h"
#include "core/model/model_source.h"
#include "core/result.h"
#include "onnx_io/ignore_list.h"
#include "onnx_io/model_reader.h"

namespace strata {

/// The files of a model being read: mapped, named relative to the model's folder, and confined to
/// it, links included. What a model names as its external data is opened through here only.
///
/// The cache of the Hugging Face client keeps a model as `models--ORG--NAME/snapshots/REVISION/…`,
/// links to `models--ORG--NAME/blobs/HASH`. In such a snapshot links to that one folder of blobs
/// are followed, too: it is the client, not the model, that made them.
class ModelFiles {
 public:
  /// A model that begins with one file; the files it names lie in the same folder or below.
  /// Fails with NotFound or Io.
  static Result<ModelFiles> ofFile(const std::filesystem::path& path, Links links);

  /// All regular files in a folder and its subfolders but `.git`, files with secrets, and what the
  /// folder's `.strataignore` or `exclude` leaves out (IgnoreList). Links to files inside the
  /// folder count as the files they lead to. Fails with Unsupported at anything that is neither
  /// file nor folder and for the folder of a cache that holds snapshots, CorruptData at a link that
  /// leaves the folder, NotFound at one that leads nowhere, and Io.
  static Result<ModelFiles> ofFolder(const std::filesystem::path& folder, Links links,
                                     const std::vector<std::string>& exclude);

  /// The file that the text `location` in file number `referrer` means, opened if it is not yet.
  /// Fails with CorruptData if it leaves the model's folder and NotFound if it is not there.
  Result<std::uint32_t> resolve(std::uint32_t referrer, std::string_view location);

  /// Whether all files are what they were when they were opened, and those of a folder the same
  /// ones. Fails with Io, naming what changed.
  Result<void> checkUnchanged() const;

  const std::vector<ModelFile>& files() const noexcept { return files_; }
  void setKind(std::uint32_t file, FileKind kind) { files_[file].kind = kind; }
  /// Paths in the folder that were passed over although nobody said so.
  const std::vector<std::string>& skipped() const noexcept { return skipped_; }
  /// Links in the folder: their files belong to the model, they do not. Not those of a snapshot,
  /// where all are links.
  const std::vector<std::string>& linkNames() const noexcept { return linkNames_; }
  /// Folders without anything in them, which a model cannot hold.
  const std::vector<std::string>& emptyFolders() const noexcept { return emptyFolders_; }

 private:
  Result<void> setRoot(std::filesystem::path root, Links links);
  bool mayLeadTo(const std::filesystem::path& target) const;
  struct Listing;
  Result<Listing> list() const;
  Result<void> listEntry(std::filesystem::recursive_directory_iterator& at, Listing& out) const;
  Result<void> addAll();
  Result<void> checkListing() const;
  Result<void> readIgnoreFile();
  Result<void> checkLink(const std::filesystem::path& place, const std::string& name) const;
  Result<std::uint32_t> add(std::string name);

  std::filesystem::path root_;           ///< as the user named it
  std::filesystem::path canonicalRoot_;  ///< without links, to compare with
  std::filesystem::path blobs_;          ///< of a snapshot, without links; else empty
  Links links_ = Links::Confined;
  IgnoreList ignored_;
  bool isComplete_ = false;         ///< a folder was listed: no further file is part of it
  std::vector<MappedFile> mapped_;  ///< one for each of files_
  std::vector<ModelFile> files_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<std::string> skipped_;
  std::vector<std::string> linkNames_;
  std::vector<std::string> emptyFolders_;
};

}  // namespace strata
