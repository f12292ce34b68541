#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "core/digest.h"
#include "core/io/file_system_sync.h"
#include "core/store/objects/object_folder.h"
#include "core/transfer/transport.h"

namespace strata {

/// An object on its way in: `partial/DIGEST.part`, which outlives the program so that the next one
/// goes on. What is kept of it is hashed again first. Two processes that fetch the same object do
/// not share a file: the second gets one of its own, which is gone with it. Move-only.
class PartFile final : public ObjectSink {
 public:
  /// Opens or makes the part; `folder` is made, too. Fails with NoSpace or Io.
  static Result<PartFile> open(const std::filesystem::path& folder, const RemoteObject& object);

  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&&) = delete;
  ~PartFile() override;

  /// Bytes that are here, hashed.
  std::uint64_t byteCount() const noexcept { return byteCount_; }

  Result<void> append(std::span<const std::byte> bytes) override;
  Result<void> restart() override;

  /// Checks size and digest. A part that is not what its name says is emptied: CorruptData.
  Result<void> check();
  /// After check(): syncs the file and moves it to its place in the store.
  Result<void> place(const ObjectFolder& objects);
  /// The same for many, which were written since `sync` began: two syncs in all. Names those that
  /// failed by their index.
  static std::map<std::size_t, Error> placeAll(std::span<PartFile> parts,
                                               const ObjectFolder& objects,
                                               const FileSystemSync& sync);

 private:
  PartFile(std::filesystem::path path, int descriptor, const RemoteObject& object, bool isShared);
  Result<void> hashPrefix();
  Result<void> placeUnsynced(const ObjectFolder& objects);

  std::filesystem::path path_;
  int descriptor_ = -1;
  RemoteObject object_;
  bool isShared_ = false;  ///< under the name that others know; stays when it is not finished
  Sha256 hash_;
  std::uint64_t byteCount_ = 0;
};

/// A part as it lies in the folder.
struct LeftPart {
  std::filesystem::path path;
  Digest digest;  ///< of the object it is to become
  std::uint64_t byteCount = 0;
  bool goesOn = false;  ///< the next fetch of the object goes on with it
};

/// All parts in a folder, sorted by name; none where there is no folder. Fails with Io.
Result<std::vector<LeftPart>> partsIn(const std::filesystem::path& folder);

/// Whether a process is writing it now.
bool isWritten(const LeftPart& part);
/// Deletes a part unless somebody is writing it; whether it is gone.
bool removePart(const LeftPart& part);

/// Gives the bytes of a file that is mapped.
class MappedSource final : public ObjectSource {
 public:
  explicit MappedSource(MappedFile file) : file_(std::move(file)) {}
  std::uint64_t byteCount() const noexcept override { return file_.bytes().size(); }
  Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override;

 private:
  MappedFile file_;
};

/// Fetches objects into the store, at most `parallel` at a time; one result for each. Goes on with
/// parts that are here, and fetches anew what came damaged, twice. Small ones get their places
/// together. `meterOf` gives the meter of one by its index. Needs no lock of the store.
///
/// Fails with what Transport::get fails with, but with CorruptData where the remote, which lists
/// the object, does not have it. After another failure than damage those that have not begun get
/// the same error.
std::vector<Result<void>> fetchObjects(Transport& transport,
                                       const std::filesystem::path& partsFolder,
                                       const ObjectFolder& objects,
                                       std::span<const RemoteObject> wanted, unsigned parallel,
                                       const std::stop_token& stop,
                                       const std::function<TransferMeter(std::size_t)>& meterOf);

}  // namespace strata
