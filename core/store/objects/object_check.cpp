#include "core/store/objects/object_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {
namespace {

constexpr std::size_t kHashChunkBytes = std::size_t{16} << 20;

}  // namespace

Result<std::string> objectProblem(const ObjectFolder& objects, const CatalogObject& object,
                                  ObjectCheck check, const std::stop_token& stop,
                                  const std::function<void(std::uint64_t)>& hashed) {
  const auto byteCount = objects.byteCount(object.digest);
  if (!byteCount && byteCount.error().code == ErrorCode::NotFound) return "is missing";
  if (!byteCount) return byteCount.error().message;
  // The catalog has 0 where the size could not be read when the version was listed.
  if (*byteCount != object.byteCount && (object.byteCount != 0 || *byteCount == 0)) {
    return fmt::format("has {} bytes, expected {}", *byteCount, object.byteCount);
  }
  if (check == ObjectCheck::Size) return std::string{};
  const auto file = objects.open(object.digest);
  if (!file) return file.error().message;
  Sha256 hash;
  for (auto rest = file->bytes(); !rest.empty();) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    const auto chunk = rest.first(std::min(rest.size(), kHashChunkBytes));
    hash.update(chunk);
    hashed(chunk.size());
    rest = rest.subspan(chunk.size());
  }
  if (hash.finish() == object.digest) return std::string{};
  return file->hasFailed() ? std::string(kUnreadable) : "does not match its hash";
}

Result<ObjectFinding> checkListed(const ObjectFolder& objects, const CatalogObject& object,
                                  ObjectCheck check, const std::stop_token& stop,
                                  const std::function<void(std::uint64_t)>& hashed) {
  ObjectFinding finding;
  const auto here = objects.byteCount(object.digest);
  if (here && *here != 0 && object.byteCount != 0 && *here != object.byteCount) {
    CatalogObject asItIs = object;
    asItIs.byteCount = *here;
    STRATA_TRY(const std::string problem,
               objectProblem(objects, asItIs, ObjectCheck::Hash, stop, hashed));
    if (problem.empty()) finding.otherBytes = *here;
    if (problem.empty()) return finding;
    check = ObjectCheck::Size;
  }
  STRATA_TRY(finding.problem, objectProblem(objects, object, check, stop, hashed));
  return finding;
}

}  // namespace strata
