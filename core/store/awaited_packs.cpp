#include "core/store/awaited_packs.h"

#include <fmt/format.h>

namespace strata {
namespace {

Result<VersionRef> readRef(const Store& store, const VersionEntry& version) {
  return version.removedAt == 0 ? store.refs().readVersion(version.name, version.number)
                                : store.refs().readTrashed(version.name, version.number);
}

}  // namespace

Result<std::vector<Digest>> absentPacks(const Store& store, const VersionRef& ref) {
  std::vector<Digest> absent;
  if (!ref.awaited) return absent;
  STRATA_TRY(const auto objects, store.catalog().objectsOf(ref.manifestDigest));
  for (const CatalogObject& object : objects) {
    if (object.isManifest) continue;
    const auto here = store.objects().byteCount(object.digest);
    if (!here && here.error().code == ErrorCode::NotFound) absent.push_back(object.digest);
  }
  return absent;
}

std::string pullCommand(const AwaitedPacks& awaited) {
  return fmt::format("strata pull {}{}{}", awaited.reference, awaited.remote.empty() ? "" : " ",
                     awaited.remote);
}

Error awaitedPacksError(const VersionRef& ref) {
  return {ErrorCode::NotFound,
          fmt::format("{}: was pulled without its packs; \"{}\" brings them", ref.label(),
                      pullCommand(ref.awaited.value_or(AwaitedPacks{})))};
}

Error explainMissing(const Store& store, const Digest& content, Error error) {
  if (error.code != ErrorCode::NotFound) return error;
  const auto versions = store.catalog().withContent(content);
  if (!versions) return error;
  for (const VersionEntry& version : *versions) {
    const auto ref = readRef(store, version);
    if (!ref) continue;
    const auto absent = absentPacks(store, *ref);
    if (absent && !absent->empty()) return awaitedPacksError(*ref);
  }
  return error;
}

}  // namespace strata
