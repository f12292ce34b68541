#include "core/ops/exchange/verify_remote.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "core/archive/manifest.h"
#include "core/ops/exchange/detail/remote_bytes.h"
#include "core/ops/exchange/detail/remote_lineages.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/progress_meter.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

/// Why a manifest is not the one that a ref promises; empty if it is.
std::string disagreement(const Manifest& manifest, const RemoteVersion& version) {
  if (contentDigest(manifest) != version.ref.contentDigest) return "holds another model";
  if (manifest.parentDigest != version.parentDigest) {
    return "names another parent than the list of versions";
  }
  std::vector<Digest> packs = manifest.packs;
  std::vector<Digest> listed;
  for (const RemoteObject& pack : version.packs) listed.push_back(pack.digest);
  std::sort(packs.begin(), packs.end());
  std::sort(listed.begin(), listed.end());
  return packs == listed ? "" : "names other packs than the list of versions";
}

RemoteDamage::Kind kindOf(const RemoteObject& object) {
  switch (object.kind) {
    case RemoteObject::Kind::ManifestObject:
      return RemoteDamage::Kind::ManifestObject;
    case RemoteObject::Kind::Signatures:
      return RemoteDamage::Kind::Signatures;
    case RemoteObject::Kind::Pack:
      break;
  }
  return RemoteDamage::Kind::Pack;
}

class Check {
 public:
  Check(const Store& store, Transport& remote, const RemoteVerifyOptions& options)
      : store_(store), remote_(remote), options_(options) {}

  Result<RemoteVerifyReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    const Stopwatch clock;
    STRATA_TRY(auto former, readFormer(store_, options_.keptAs));
    STRATA_TRY(RefListing listing, readNewest(stop));
    STRATA_TRY(recognize(store_, options_.keptAs, listing, former));
    STRATA_TRY(noteReplaced(remote_, former, listing, stop));
    STRATA_TRY(checkIsMade(remote_.url(), listing));
    if (listing.unreadable == 0) compareWithFormer(former, listing);
    library_ = RemoteLibrary::from(listing);
    report_.versionCount = library_.versions.size();
    for (const auto& [name, text] : listing.refs) checkRef(name, text);
    checkParents();
    collectObjects();
    STRATA_TRY(checkObjects(stop, progress));
    nameVersions();
    report_.seconds = clock.seconds();
    return std::move(report_);
  }

 private:
  using Kind = RemoteDamage::Kind;

  /// The newest list that can be read.
  Result<RefListing> readNewest(const std::stop_token& stop) {
    auto listing = remote_.readRefs(stop);
    if (listing || listing.error().code != ErrorCode::CorruptData) return listing;
    auto salvaged = remote_.salvageRefs(stop);
    if (!salvaged || salvaged->unreadable == 0) return listing;
    report_.damages.push_back({Kind::List,
                               std::to_string(salvaged->unreadable),
                               0,
                               "cannot be read: " + listing.error().message,
                               {}});
    return salvaged;
  }

  void compareWithFormer(const std::optional<RefListing>& former, const RefListing& listing) {
    const std::string why = former ? wayBack(*former, listing) : mixedText(listing);
    if (why.empty()) return;
    report_.damages.push_back({Kind::List, std::to_string(listing.generation), 0, why, {}});
  }

  void checkRef(const std::string& name, const RefText& text) {
    const auto parts = parseRefName(name);
    std::optional<Error> problem;
    if (parts && parts->isTag()) {
      if (const auto tag = parseRemoteTag(name, text); !tag) problem = tag.error();
    } else if (const auto version = parseRemoteVersion(name, text); !version) {
      problem = version.error();
    }
    if (!problem) return;
    if (problem->code == ErrorCode::FormatTooNew) {
      report_.unread.push_back(problem->message);
    } else {
      report_.damages.push_back({Kind::Ref, name, 0, "cannot be read: " + problem->message, {}});
    }
  }

  /// What lies elsewhere is nothing that this remote promises to give.
  void checkParents() {
    report_.elsewhere = library_.basesElsewhere();
    for (const RemoteVersion* const version : library_.all()) {
      const auto& parent = version->parentDigest;
      if (!parent || library_.withContent(*parent) != nullptr) continue;
      if (library_.elsewhere(*version) != nullptr) continue;
      report_.damages.push_back(
          {Kind::Parent, toHex(*parent), 0, "is not there", {version->ref.label()}});
    }
    for (const RemoteVersion* const version : strandedThere(library_)) {
      report_.damages.push_back({Kind::Parent,
                                 toHex(*version->parentDigest),
                                 0,
                                 "is rebuilt through itself alone",
                                 {version->ref.label()}});
    }
  }

  /// Versions may list one object with different sizes: each of these is checked.
  void collectObjects() {
    std::set<Digest> digests;
    for (const RemoteVersion* const version : library_.all()) {
      for (const RemoteObject& object : version->allObjects()) {
        std::vector<std::string>& users = users_[{object.digest, object.byteCount}];
        if (users.empty()) objects_.push_back(object);
        users.push_back(version->ref.label());
        digests.insert(object.digest);
      }
    }
    report_.objectCount = digests.size();
  }

  void add(const RemoteObject& object, std::string reason) {
    report_.damages.push_back({kindOf(object), toHex(object.digest), object.byteCount,
                               std::move(reason), users_[{object.digest, object.byteCount}]});
  }

  Result<void> checkObjects(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(const ObjectSizes sizes, remote_.sizesOf(objects_, stop));
    std::vector<RemoteObject> whole;
    for (const RemoteObject& object : objects_) {
      const auto size = sizes.find(object.digest);
      if (size == sizes.end()) {
        add(object, "is missing");
      } else if (size->second != object.byteCount) {
        add(object, fmt::format("has {} bytes, expected {}", size->second, object.byteCount));
      } else {
        whole.push_back(object);
      }
    }
    if (options_.quick) return {};
    const auto take = [&](const RemoteObject& object, std::span<const std::byte> bytes) {
      const bool isManifest = object.kind == RemoteObject::Kind::ManifestObject;
      if (isManifest) checkManifest(object.digest, bytes);
    };
    STRATA_TRY(const ObjectProblems problems,
               readBack(remote_, whole, options_.parallel, stop, progress, take));
    for (const RemoteObject& object : whole) {
      report_.checkedBytes += object.byteCount;
      if (const auto found = problems.find(object.digest); found != problems.end()) {
        add(object, found->second);
      } else if (const auto lie = manifests_.find(object.digest); lie != manifests_.end()) {
        add(object, lie->second);
      }
    }
    return {};
  }

  /// Called from several threads.
  void checkManifest(const Digest& digest, std::span<const std::byte> bytes) {
    const auto manifest = parseManifest(bytes);
    std::string problem = manifest ? "" : "is no manifest: " + manifest.error().message;
    for (const RemoteVersion* const version : library_.all()) {
      if (!problem.empty()) break;
      if (version->ref.manifestDigest == digest) problem = disagreement(*manifest, *version);
    }
    if (problem.empty()) return;
    const std::scoped_lock lock(mutex_);
    manifests_.emplace(digest, std::move(problem));
  }

  /// Gives each damage the versions that stand on those it hits.
  void nameVersions() {
    std::map<std::string, std::vector<std::string>> children;
    for (const RemoteVersion* const version : library_.all()) {
      if (const std::string parent = library_.parentOf(*version); !parent.empty()) {
        children[parent].push_back(version->ref.label());
      }
    }
    std::set<std::string> all;
    for (RemoteDamage& damage : report_.damages) {
      std::set<std::string> hit;
      std::vector<std::string> open = std::move(damage.versions);
      while (!open.empty()) {
        const std::string label = std::move(open.back());
        open.pop_back();
        if (!hit.insert(label).second || damage.kind == Kind::Signatures) continue;
        open.insert(open.end(), children[label].begin(), children[label].end());
      }
      damage.versions.assign(hit.begin(), hit.end());
      all.insert(hit.begin(), hit.end());
    }
    report_.damagedVersions.assign(all.begin(), all.end());
  }

  const Store& store_;
  Transport& remote_;
  const RemoteVerifyOptions& options_;
  RemoteLibrary library_;
  std::vector<RemoteObject> objects_;
  std::map<std::pair<Digest, std::uint64_t>, std::vector<std::string>> users_;  ///< labels
  std::mutex mutex_;                         ///< guards manifests_
  std::map<Digest, std::string> manifests_;  ///< that are not what refs promise, and why
  RemoteVerifyReport report_;
};

}  // namespace

Result<RemoteVerifyReport> verifyRemote(const Store& store, Transport& remote,
                                        const RemoteVerifyOptions& options, std::stop_token stop,
                                        const ProgressSink& progress) {
  return Check(store, remote, options).run(stop, progress);
}

std::string_view name(RemoteDamage::Kind kind) noexcept {
  switch (kind) {
    case RemoteDamage::Kind::Pack:
      return "pack";
    case RemoteDamage::Kind::ManifestObject:
      return "manifest";
    case RemoteDamage::Kind::Signatures:
      return "signatures";
    case RemoteDamage::Kind::Ref:
      return "ref";
    case RemoteDamage::Kind::Parent:
      return "parent";
    case RemoteDamage::Kind::List:
      return "list";
  }
  return "object";
}

}  // namespace strata
