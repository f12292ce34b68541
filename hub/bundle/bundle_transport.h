#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/io/mapped_file.h"
#include "core/io/owned/owned_file.h"
#include "core/transfer/ref_index.h"
#include "core/transfer/transport.h"

namespace strata::hub {

/// A remote in one file, for places without a network: an uncompressed tar archive (POSIX ustar) of
/// what a FolderTransport keeps in a folder: `objects/ab/SHA256`, then `refs/00000000000000000001`
/// and `strata.json`. Any tar program unpacks it to such a folder.
///
/// A bundle is written once, by one push, or read. An object that cannot be written, or is not what
/// its digest says, ends it: half an object would stand before all that come after it. Objects
/// that several threads write go in one after another.
class BundleTransport final : public Transport {
 public:
  /// Makes a bundle; the file gets its name with the refs. Fails with InvalidArgument if it exists
  /// and `replace` is not set, NoSpace, Io.
  static Result<std::unique_ptr<BundleTransport>> create(const std::filesystem::path& file,
                                                         bool replace);
  /// Fails with NotFound, CorruptData (no bundle, or one that is cut), FormatTooNew, Io.
  static Result<std::unique_ptr<BundleTransport>> open(const std::filesystem::path& file);

  std::string url() const override { return file_.string(); }
  Result<TransportTraits> probe(std::stop_token stop) override;
  Result<ObjectSizes> sizesOf(std::span<const RemoteObject> objects, std::stop_token stop) override;
  Result<void> checkSpace(std::uint64_t byteCount) override;
  Result<void> put(const RemoteObject& object, const ObjectSource& source, std::stop_token stop,
                   const TransferMeter& meter) override;
  Result<void> get(const RemoteObject& object, std::uint64_t firstByte, ObjectSink& sink,
                   std::stop_token stop, const TransferMeter& meter) override;
  Result<RefListing> readRefs(std::stop_token stop) override;
  Result<RefOutcome> advanceRefs(const RefPush& push, std::stop_token stop) override;

 private:
  explicit BundleTransport(std::filesystem::path file) : file_(std::move(file)) {}
  Result<void> append(const RemoteObject& object, const ObjectSource& source,
                      const std::stop_token& stop, const TransferMeter& meter);
  Result<void> appendHeader(const std::string& name, std::uint64_t byteCount);
  Result<void> appendPadding(std::uint64_t byteCount);
  Result<void> appendText(const std::string& name, const std::string& text);
  Result<void> readEntries();

  struct Entry {
    std::uint64_t offset = 0;
    std::uint64_t byteCount = 0;
  };

  std::filesystem::path file_;
  bool replace_ = false;
  std::mutex writing_ = {};                ///< one object at a time
  std::optional<OwnedFile> new_ = {};      ///< while it is written
  std::optional<Error> problem_ = {};      ///< why it cannot be finished any more
  std::optional<MappedFile> mapped_ = {};  ///< while it is read
  std::map<std::string, Entry> entries_ = {};
  RefIndex index_ = {};
};

}  // namespace strata::hub
