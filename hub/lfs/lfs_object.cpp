#include "hub/lfs/lfs_object.h"

#include <fmt/format.h>

#include "core/io/os_error.h"
#include "core/model/content_hash.h"
#include "core/store/catalog/manifest_summary.h"
#include "hub/append_file.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

class HashSink final : public ObjectSink {
 public:
  Result<void> append(std::span<const std::byte> bytes) override {
    hash_.update(bytes);
    return {};
  }
  Result<void> restart() override {
    hash_ = Sha256();
    return {};
  }
  Digest finish() { return hash_.finish(); }

 private:
  Sha256 hash_;
};

}  // namespace

Digest LfsObject::contentAs(const std::string& fileName) const {
  ContentHash hash;
  hash.add(fileName, byteCount, sha256.bytes);
  return hash.finish();
}

Result<void> checkLfsFile(const LfsObject& object, const std::stop_token& stop) {
  std::error_code status;
  const std::uintmax_t byteCount = fs::file_size(object.path, status);
  if (status) return fail(osError(object.path, "look at", status.value()));
  if (byteCount != object.byteCount) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: has {} bytes, git-lfs expects {}; \"git lfs fsck\" says more",
                            object.path.string(), byteCount, object.byteCount));
  }
  HashSink sink;
  STRATA_TRY(appendFile(object.path, 0, byteCount, sink, stop, {}));
  const Digest found = sink.finish();
  if (found == object.sha256) return {};
  return fail(ErrorCode::CorruptData,
              fmt::format("{}: has the SHA-256 {}, expected {}; \"git lfs fsck\" says more",
                          object.path.string(), toHex(found), object.oid()));
}

Result<bool> holdsLfsObject(const Store& store, const VersionEntry& version,
                            const LfsObject& object) {
  STRATA_TRY(const Manifest manifest,
             readManifest(store, version.manifestDigest, version.contentDigest));
  if (manifest.files.size() != 1) return false;
  const ManifestFile& file = manifest.files[0];
  return file.byteCount == object.byteCount && file.sha256 == object.sha256;
}

}  // namespace strata::hub
