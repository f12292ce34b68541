#include "core/ops/detail/remote_mending.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ops/detail/remote_bytes.h"
#include "core/store/object_check.h"

namespace strata {
namespace {

bool needs(const VersionThere& one, const Digest& digest) {
  const std::vector<RemoteObject> objects = one.version.objects();
  return std::any_of(objects.begin(), objects.end(),
                     [&](const RemoteObject& object) { return object.digest == digest; });
}

}  // namespace

std::vector<RemoteObject> objectsOf(const PushPlan& plan) {
  std::vector<RemoteObject> all;
  std::set<Digest> seen;
  const auto take = [&](const RemoteVersion& version) {
    for (const RemoteObject& object : version.objects()) {
      if (seen.insert(object.digest).second) all.push_back(object);
    }
  };
  for (const PlannedPush& item : plan.items) take(item.version);
  for (const VersionThere& one : plan.there) take(one.version);
  return all;
}

Result<void> RemoteMending::findDamaged(std::span<const RemoteObject> objects, ObjectsThere& there,
                                        const std::stop_token& stop, const ProgressSink& progress) {
  std::vector<RemoteObject> read;
  for (const RemoteObject& object : objects) {
    if (there.visible.contains(object.digest)) read.push_back(object);
  }
  STRATA_TRY(damaged_, readBack(remote_, read, options_.parallel, stop, progress));
  for (const auto& [digest, problem] : damaged_) {
    there.visible.erase(digest);
    there.kept.erase(digest);
  }
  return {};
}

Result<void> RemoteMending::plan(PushPlan& plan, const std::set<Digest>& there,
                                 const std::stop_token& stop) {
  std::map<Digest, Error> lost;
  for (const VersionThere& one : plan.there) {
    for (const RemoteObject& object : one.version.objects()) {
      if (there.contains(object.digest) || wanted_.contains(object.digest)) continue;
      const bool isManifest = object.kind == RemoteObject::Kind::ManifestObject;
      STRATA_TRY(
          const std::string problem,
          objectProblem(
              store_.objects(),
              {.digest = object.digest, .byteCount = object.byteCount, .isManifest = isManifest},
              ObjectCheck::Hash, stop, [](std::uint64_t) {}));
      if (problem.empty()) {
        wanted_.insert(object.digest);
        continue;
      }
      const auto damage = damaged_.find(object.digest);
      lost.emplace(
          object.digest,
          Error{ErrorCode::CorruptData,
                fmt::format("object {} {} at {}, and {} in this store; push --repair from a store "
                            "that has it",
                            shortHex(object.digest),
                            damage == damaged_.end() ? "is not there as listed" : damage->second,
                            remote_.url(), problem)});
    }
  }
  leaveOut(plan, lost);
  return {};
}

Result<void> RemoteMending::send(const RemoteObject& object, const ObjectSource& source,
                                 const std::stop_token& stop, const TransferMeter& meter) {
  if (!damaged_.contains(object.digest)) return remote_.put(object, source, stop, meter);
  Result<void> sent = remote_.replace(object, source, stop, meter);
  // One object that a server keeps as it is does not hinder the others.
  if (!sent && sent.error().code == ErrorCode::Unsupported) {
    return fail(ErrorCode::CorruptData, std::move(sent.error().message));
  }
  return sent;
}

void RemoteMending::leaveOut(PushPlan& plan, const std::map<Digest, Error>& failures) {
  for (const auto& [digest, error] : failures) {
    wanted_.erase(digest);
    for (const VersionThere& one : plan.there) {
      if (!needs(one, digest)) continue;
      const bool isNamed =
          std::any_of(plan.failed.begin(), plan.failed.end(),
                      [&](const FailedTransfer& failure) { return failure.label == one.label; });
      if (!isNamed) plan.failed.push_back({one.label, error});
      std::erase_if(plan.alreadyThere, [&](const VersionEntry& entry) {
        return entry.name == one.version.ref.name &&
               entry.contentDigest == one.version.ref.contentDigest;
      });
    }
  }
}

Result<void> RemoteMending::confirm(PushPlan& plan, const std::stop_token& stop,
                                    const ProgressSink& progress) {
  std::vector<RemoteObject> sent = objectsOf(plan);
  std::erase_if(sent, [&](const RemoteObject& one) { return !wanted_.contains(one.digest); });
  if (sent.empty()) return {};
  STRATA_TRY(remote_.readRefs(stop));  // some show an object only at the commit that was read last
  STRATA_TRY(ObjectsThere there, remote_.has(sent, stop));
  if (options_.repair) STRATA_TRY(findDamaged(sent, there, stop, progress));
  std::map<Digest, Error> failures;
  for (const RemoteObject& object : sent) {
    if (there.visible.contains(object.digest)) continue;
    failures.emplace(
        object.digest,
        Error{ErrorCode::CorruptData,
              fmt::format("object {} was sent again, and {} keeps what it had under this hash: "
                          "delete it on the server itself, then push --repair again",
                          toHex(object.digest), remote_.url())});
  }
  leaveOut(plan, failures);
  return {};
}

std::vector<std::string> RemoteMending::versionsOf(const PushPlan& plan) const {
  std::vector<std::string> labels;
  for (const VersionThere& one : plan.there) {
    const std::vector<RemoteObject> objects = one.version.objects();
    if (std::any_of(objects.begin(), objects.end(),
                    [&](const RemoteObject& each) { return wanted_.contains(each.digest); })) {
      labels.push_back(one.label);
    }
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

}  // namespace strata
