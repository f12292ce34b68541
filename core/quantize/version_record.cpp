#include "core/quantize/version_record.h"

namespace strata {

Result<std::uint64_t> bytesWithRecord(std::uint64_t packBytes, Manifest manifest,
                                      const VersionRecord& record) {
  manifest.set_profile(record.profile);
  manifest.set_settings(record.settings);
  manifest.set_original_digest(toBytes(record.original));
  for (const archive::Quality& quality : record.quality) *manifest.add_quality() = quality;
  STRATA_TRY(const std::string object, serializeManifest(manifest));
  return packBytes + object.size() + record.spareBytes;
}

}  // namespace strata
