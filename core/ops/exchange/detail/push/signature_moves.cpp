#include "core/ops/exchange/detail/push/signature_moves.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {
namespace {

/// Whether a ref's text has a signature in it: most need not be parsed to know.
bool hasSignature(const RefText& text) {
  constexpr std::string_view kMember = R"("signature":")";
  const std::size_t at = text.find(kMember);
  return at != RefText::npos && text.compare(at + kMember.size(), 1, "\"") != 0;
}

void pack(std::vector<RemoteVersion>& versions, PushPlan& plan) {
  std::vector<RemoteVersion*> pointers;
  for (RemoteVersion& version : versions) pointers.push_back(&version);
  plan.signatures.merge(packSignatures(pointers));
}

/// The signature that this store has of a content; empty if it has none.
Result<std::string> signatureHere(const Store& store, const Digest& content) {
  STRATA_TRY(const auto versions, store.catalog().withContent(content));
  for (const VersionEntry& version : versions) {
    STRATA_TRY(std::string signature, store.catalog().signatureOf(version.name, version.number));
    if (!signature.empty()) return signature;
  }
  return std::string();
}

/// Objects with signatures of versions there that are not as they should be.
Result<std::set<Digest>> damagedThere(Transport& remote, RemoteMending& mending,
                                      const PushPlan& plan, const std::stop_token& stop) {
  std::map<Digest, RemoteObject> objects;
  for (const VersionThere& one : plan.there) {
    const auto& place = one.version.signature;
    if (place) objects.emplace(place->object.digest, place->object);
  }
  std::vector<RemoteObject> listed;
  for (const auto& [digest, object] : objects) listed.push_back(object);
  STRATA_TRY(ObjectsThere there, remote.has(listed, stop));
  STRATA_TRY(mending.findDamaged(listed, there, stop, {}));
  std::set<Digest> damaged;
  for (const RemoteObject& object : listed) {
    if (!there.visible.contains(object.digest)) damaged.insert(object.digest);
  }
  return damaged;
}

}  // namespace

void packSignatures(PushPlan& plan) {
  std::vector<RemoteVersion*> versions;
  for (PlannedPush& item : plan.items) versions.push_back(&item.version);
  plan.signatures.merge(packSignatures(versions));
}

void moveSignatures(PushPlan& plan) {
  if (plan.items.empty() && plan.tagsToSend().empty()) return;
  std::set<std::string> sent;
  for (const PlannedPush& item : plan.items) sent.insert(refNameOf(item.version.ref));
  std::vector<std::string> names;
  std::vector<RemoteVersion> versions;
  for (const auto& [name, text] : plan.listing.refs) {
    if (!hasSignature(text) || sent.contains(name) || plan.changed.contains(name)) continue;
    auto version = parseRemoteVersion(name, text);
    if (!version || version->ref.signature.empty()) continue;
    names.push_back(name);
    versions.push_back(*std::move(version));
  }
  pack(versions, plan);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!versions[i].signature) continue;
    plan.moves.push_back({names[i],
                          plan.listing.refs.at(names[i]),
                          toRefText(versions[i]),
                          {versions[i].signature->object}});
  }
}

Result<void> mendSignatures(const Store& store, Transport& remote, RemoteMending& mending,
                            PushPlan& plan, const std::stop_token& stop) {
  STRATA_TRY(plan.damagedSignatures, damagedThere(remote, mending, plan, stop));
  std::set<std::string> failed;
  for (const FailedTransfer& failure : plan.failed) failed.insert(failure.label);
  std::vector<RemoteVersion> mended;
  for (const VersionThere& one : plan.there) {
    const auto& place = one.version.signature;
    if (!place || !plan.damagedSignatures.contains(place->object.digest)) continue;
    if (failed.contains(one.label)) continue;
    STRATA_TRY(std::string here, signatureHere(store, one.version.ref.contentDigest));
    if (here.empty()) {
      plan.failed.push_back(
          {one.label,
           {ErrorCode::CorruptData,
            fmt::format("object {} with its signature is missing or damaged at {}, and this store "
                        "has no signature of it; push --repair from a store that has one",
                        shortHex(place->object.digest), remote.url())}});
      continue;
    }
    mended.push_back(one.version);
    mended.back().ref.signature = std::move(here);
    mended.back().signature.reset();
  }
  pack(mended, plan);
  for (const RemoteVersion& version : mended) {
    const std::string name = refNameOf(version.ref);
    const auto listed = plan.listing.refs.find(name);
    if (listed == plan.listing.refs.end()) continue;
    plan.resigned.push_back(version.ref.label());
    RefText text = toRefText(version);
    if (text == listed->second) continue;
    plan.changed.try_emplace(name, listed->second);
    listed->second = std::move(text);
  }
  return {};
}

}  // namespace strata
