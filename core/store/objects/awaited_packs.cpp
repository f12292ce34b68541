#include "core/store/objects/awaited_packs.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/archive/read/lineage_limit.h"
#include "core/text/command_words.h"

namespace strata {

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
  // Whoever wrote the ref chose the words, and somebody pastes them into a shell.
  return fmt::format("strata pull {}{}{}", shellWord(awaited.reference),
                     awaited.remote.empty() ? "" : " ",
                     awaited.remote.empty() ? "" : shellWord(awaited.remote));
}

Error awaitedPacksError(const VersionRef& ref) {
  return {ErrorCode::NotFound,
          fmt::format("the packs of {} are not here yet; \"{}\" brings them", ref.label(),
                      pullCommand(ref.awaited.value_or(AwaitedPacks{})))};
}

std::optional<AwaitedPacks> awaitedBy(const Store& store, const VersionEntry& version) {
  std::optional<Digest> content = version.contentDigest;
  for (std::uint32_t i = 0; content && i <= kMostParents; ++i) {
    auto versions = store.catalog().withContent(*content);
    if (!versions || versions->empty()) break;
    // The version itself before others that share its packs.
    std::stable_partition(versions->begin(), versions->end(), [&](const VersionEntry& one) {
      return one.label() == version.label() && one.place() == version.place();
    });
    for (const VersionEntry& one : *versions) {
      const auto ref = store.refs().readVersion(one.name, one.number, one.place());
      const auto absent = ref ? absentPacks(store, *ref) : fail(ref.error());
      if (absent && !absent->empty()) return ref->awaited;
    }
    content = versions->front().parentDigest;
  }
  return std::nullopt;
}

Error explainMissing(const Store& store, const Digest& content, Error error) {
  if (error.code != ErrorCode::NotFound) return error;
  const auto versions = store.catalog().withContent(content);
  if (!versions) return error;
  for (const VersionEntry& version : *versions) {
    const auto ref = store.refs().readVersion(version.name, version.number, version.place());
    if (!ref) continue;
    const auto absent = absentPacks(store, *ref);
    if (absent && !absent->empty()) return awaitedPacksError(*ref);
  }
  return {ErrorCode::CorruptData, std::move(error.message)};
}

}  // namespace strata
