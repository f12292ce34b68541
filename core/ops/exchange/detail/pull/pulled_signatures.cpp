#include "core/ops/exchange/detail/pull/pulled_signatures.h"

#include <fmt/format.h>

#include <mutex>

#include "core/ops/exchange/detail/remote_bytes.h"

namespace strata {

Result<void> PulledSignatures::fetch(Transport& remote, const PullPlan& plan, unsigned parallel,
                                     const std::stop_token& stop,
                                     std::vector<std::string>& problems) {
  std::map<Digest, RemoteObject> wanted;
  for (const PlannedPull& item : plan.items) {
    const auto& place = item.there->signature;
    if (place && !item.here) wanted.emplace(place->object.digest, place->object);
  }
  std::vector<RemoteObject> objects;
  for (const auto& [digest, object] : wanted) objects.push_back(object);
  std::mutex mutex;  // guards objects_
  const auto take = [&](const RemoteObject& object, std::span<const std::byte> bytes) {
    const std::scoped_lock lock(mutex);
    objects_[object.digest].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  STRATA_TRY(const ObjectProblems found, readBack(remote, objects, parallel, stop, {}, take));
  for (const auto& [digest, problem] : found) {
    problems.push_back(
        fmt::format("object {} with signatures {}; its versions are not found as bases here, and "
                    "push --repair from a store that has them mends it",
                    shortHex(digest), problem));
  }
  return {};
}

VersionRef PulledSignatures::refFor(const RemoteVersion& version) const {
  VersionRef ref = version.ref;
  const auto& place = version.signature;
  const auto object = place ? objects_.find(place->object.digest) : objects_.end();
  // Another version may have named it with another size: this one's place may lie beyond its end.
  if (object == objects_.end() || object->second.size() != place->object.byteCount) return ref;
  ref.signature = object->second.substr(place->firstByte, place->byteCount);
  return ref;
}

}  // namespace strata
