#include "core/ops/exchange/detail/push/remote_mending.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ops/exchange/detail/remote_bytes.h"
#include "core/store/objects/object_check.h"
#include "core/transfer/part_file.h"

namespace strata {
namespace {

/// Of the first object of a version that failed; nullptr if none did.
const Error* failureOf(const RemoteVersion& version, const std::map<Digest, Error>& failures) {
  for (const RemoteObject& object : version.objects()) {
    const auto found = failures.find(object.digest);
    if (found != failures.end()) return &found->second;
  }
  return nullptr;
}

/// What is wrong with an object in this store, by its bytes, as in "does not match its hash".
Result<std::string> problemHere(const Store& store, const RemoteObject& object,
                                const std::stop_token& stop) {
  const bool isManifest = object.kind == RemoteObject::Kind::ManifestObject;
  return objectProblem(
      store.objects(),
      {.digest = object.digest, .byteCount = object.byteCount, .isManifest = isManifest},
      ObjectCheck::Hash, stop, [](std::uint64_t) {});
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
    const bool isUnknown = !sound_.contains(object.digest);
    if (isUnknown && there.visible.contains(object.digest)) read.push_back(object);
  }
  STRATA_TRY(ObjectProblems problems, readBack(remote_, read, options_.parallel, stop, progress));
  for (const RemoteObject& object : read) {
    damaged_.erase(object.digest);
    if (!problems.contains(object.digest)) sound_.insert(object.digest);
  }
  for (const auto& [digest, problem] : problems) {
    there.visible.erase(digest);
    there.kept.erase(digest);
  }
  damaged_.merge(problems);
  return {};
}

Result<void> RemoteMending::plan(PushPlan& plan, const std::set<Digest>& there,
                                 const std::stop_token& stop) {
  std::map<Digest, Error> lost;
  for (const VersionThere& one : plan.there) {
    for (const RemoteObject& object : one.version.objects()) {
      if (there.contains(object.digest) || wanted_.contains(object.digest)) continue;
      STRATA_TRY(const std::string problem, problemHere(store_, object, stop));
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

Result<void> RemoteMending::send(const RemoteObject& object, const std::stop_token& stop,
                                 const TransferMeter& meter) {
  auto file = store_.objects().open(object.digest);
  Result<void> sent;
  if (file) {
    const MappedSource source(*std::move(file));
    sent = source.byteCount() == object.byteCount
               ? sendFrom(object, source, stop, meter)
               : fail(ErrorCode::CorruptData, "has another size in this store");
  } else {
    sent = fail(std::move(file).error());
  }
  const bool mayBeOurs = !sent && (sent.error().code == ErrorCode::CorruptData ||
                                   sent.error().code == ErrorCode::NotFound);
  if (!mayBeOurs) return sent;
  // Then it does not help to send it anew.
  STRATA_TRY(const std::string problem, problemHere(store_, object, stop));
  if (problem.empty()) return sent;
  return fail(ErrorCode::CorruptData,
              fmt::format("object {} {} in this store, so it cannot be sent; strata verify tells "
                          "what brings it back",
                          toHex(object.digest), problem));
}

Result<void> RemoteMending::sendFrom(const RemoteObject& object, const ObjectSource& source,
                                     const std::stop_token& stop, const TransferMeter& meter) {
  if (!damaged_.contains(object.digest)) return remote_.put(object, source, stop, meter);
  Result<void> sent = remote_.replace(object, source, stop, meter);
  // One object that a server keeps as it is does not hinder the others.
  if (!sent && sent.error().code == ErrorCode::Unsupported) {
    return fail(ErrorCode::CorruptData, std::move(sent.error().message));
  }
  return sent;
}

void RemoteMending::noteSent(const Digest& digest) {
  sent_.insert(digest);
  sound_.erase(digest);
}

void RemoteMending::leaveOut(PushPlan& plan, const std::map<Digest, Error>& failures) {
  if (failures.empty()) return;
  for (const auto& [digest, error] : failures) wanted_.erase(digest);
  std::set<std::string> named;
  for (const FailedTransfer& failure : plan.failed) named.insert(failure.label);
  std::set<std::string> lost;      // labels there
  std::set<std::string> unlisted;  // their refs
  for (const VersionThere& one : plan.there) {
    const Error* const cause = failureOf(one.version, failures);
    if (cause == nullptr) continue;
    if (named.insert(one.label).second) plan.failed.push_back({one.label, *cause});
    lost.insert(one.version.ref.label());
    plan.lostThere.insert(one.version.ref.label());
    unlisted.insert(refNameOf(one.version.ref));
  }
  plan.leaveUnchanged(unlisted);
  std::erase_if(plan.alreadyThere,
                [&](const VersionMet& met) { return lost.contains(met.labelThere); });
}

Result<std::map<Digest, Error>> RemoteMending::unconfirmed(const std::vector<RemoteObject>& sent,
                                                           const std::stop_token& stop,
                                                           const ProgressSink& progress) {
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
  return failures;
}

void RemoteMending::confirm(PushPlan& plan, const std::stop_token& stop,
                            const ProgressSink& progress) {
  std::vector<RemoteObject> sent = objectsOf(plan);
  std::erase_if(sent, [&](const RemoteObject& one) { return !wanted_.contains(one.digest); });
  if (sent.empty()) return;
  auto failures = unconfirmed(sent, stop, progress);
  if (!failures) {
    const Error doubt{failures.error().code, "was sent again, and could not be looked at there: " +
                                                 failures.error().message +
                                                 "; strata remote verify tells whether it is "
                                                 "sound"};
    failures = std::map<Digest, Error>{};
    for (const RemoteObject& object : sent) failures->emplace(object.digest, doubt);
  }
  leaveOut(plan, *failures);
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
  for (const auto& [name, before] : plan.changed) {
    const bool isMended = plan.listing.refs.contains(name) && !plan.told.contains(name);
    if (isMended) labels.push_back(labelOfRef(name));
  }
  labels.insert(labels.end(), plan.resigned.begin(), plan.resigned.end());
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

}  // namespace strata
