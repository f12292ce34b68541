#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/models/model_sink.h"
#include "core/io/owned/owned_file.h"
#include "core/io/owned/owned_folder.h"
#include "core/io/temp_file.h"

namespace strata {

/// Where the files of a model go on the disk, decided and checked before anything is written.
struct DiskTarget {
  /// One final path for each file of the model, in the order of the model's files.
  std::vector<std::filesystem::path> files;
  std::filesystem::path folder;  ///< of a model with several files; empty for one
  bool replace = false;          ///< files that exist may be replaced
  bool backup = false;           ///< after they were renamed to NAME.bak, NAME.bak2, …
  /// The only file is a fifo, a device or an open file: its bytes are written into it (StreamSink).
  bool isStream = false;

  /// What a target becomes. A model with several files is a folder in any case.
  enum class Shape { FileIfOne, Folder };

  /// `target` is the file of a one-file model or the folder to put it into, or the folder of a
  /// model with several files. `paths` keep isModelPath().
  /// Fails with InvalidArgument if something exists that may not be replaced or if a path would
  /// leave the folder, and NotFound if the folder above `target` does not exist.
  static Result<DiskTarget> plan(const std::filesystem::path& target,
                                 const std::vector<std::string>& paths, bool replace, bool backup,
                                 Shape shape = Shape::FileIfOne);
};

/// Writes a model's files to the disk. They get their names in commit(), each by one rename; a
/// folder appears as a whole, and takes the place of another as a whole where exchangeFolders()
/// can. A link to a file is replaced, not the file that it leads to. What killed ones left in the
/// same place is deleted.
class DiskModelSink final : public ModelSink {
 public:
  static Result<std::unique_ptr<DiskModelSink>> create(DiskTarget target);

  /// Where the new files of `folder` are written: beside it, from where it takes its name in one
  /// step; in it where it is a mount point or nothing may be written beside it.
  static std::filesystem::path workPlace(const std::filesystem::path& folder);

  /// Does what commit() does for a folder that was written, and looked at, elsewhere: `names` of
  /// `fresh`, which lies in workPlace(folder), become files of `folder`. All else in `folder`
  /// stays. With `replace`, files that exist go. What is left of `fresh` is deleted by the caller.
  static Result<void> placeWritten(const std::filesystem::path& fresh,
                                   const std::vector<std::string>& names,
                                   const std::filesystem::path& folder, bool replace);
  ~DiskModelSink() override;

  Result<void> beginFile(const std::string& path, std::uint32_t mode) override;
  Result<void> append(std::span<const std::byte> bytes) override;
  Result<void> endFile() override;
  Result<void> commit() override;

  /// After commit: where replaced files are now.
  const std::vector<std::filesystem::path>& backups() const noexcept { return backups_; }

 private:
  explicit DiskModelSink(DiskTarget target);
  const std::filesystem::path& temporary() const noexcept { return work_; }
  Result<void> placeFiles();
  Result<bool> exchange();
  Result<void> place(const std::filesystem::path& from, const std::filesystem::path& to);
  Result<void> placeFolder();

  /// A file that got its name, and what had it before; empty if nothing had.
  struct Placed {
    std::filesystem::path file;
    std::filesystem::path old;
  };
  static void takeBack(const Placed& one) noexcept;

  DiskTarget target_;
  OwnedFolder temporaryFolder_;                 ///< for several files
  std::filesystem::path work_;                  ///< it, or the folder of placeWritten()
  std::vector<std::filesystem::path> written_;  ///< in it, parallel to target_.files
  std::optional<TempFile> current_;             ///< in the folder
  std::optional<OwnedFile> single_;             ///< of a model with one file
  std::vector<Placed> placed_;
  std::vector<std::filesystem::path> backups_;
};

}  // namespace strata
