#include "core/quantize/version_record.h"

namespace strata {

Result<std::uint64_t> bytesWithRecord(std::uint64_t packBytes, Manifest manifest,
                                      const VersionRecord& record) {
  manifest.profile = record.profile;
  manifest.settings = record.settings;
  manifest.originalDigest = record.original;
  manifest.quality.insert(manifest.quality.end(), record.quality.begin(), record.quality.end());
  STRATA_TRY(const std::string object, serializeManifest(manifest));
  return packBytes + object.size() + record.spareBytes;
}

}  // namespace strata
