#include "core/ops/exchange/collect_remote_garbage.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "core/archive/manifest.h"
#include "core/ops/detail/freed_before.h"
#include "core/ops/exchange/detail/here_alone.h"
#include "core/ops/exchange/detail/remote_bytes.h"
#include "core/ops/exchange/detail/remote_lineages.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/store_writer.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

tl::unexpected<Error> refuse(std::string_view why) {
  return fail(ErrorCode::CorruptData,
              fmt::format("{}; nothing is deleted, since what is needed there is not known", why));
}

class Collection {
 public:
  Collection(const Store& store, Transport& remote, const RemoteGarbageOptions& options)
      : store_(store), remote_(remote), options_(options) {}

  Result<RemoteGarbageReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    constexpr int kAttempts = 5;
    if (options_.graceSeconds < 0) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the age is {} seconds, expected at least 0", options_.graceSeconds));
    }
    STRATA_TRY(const TransportTraits traits, remote_.probe(stop));
    report_.afterwards = traits.afterSweep;
    if (!options_.dryRun && traits.refs == RefSafety::ReadOnly) {
      return fail(ErrorCode::LoginRequired, remote_.url() + ": can be read only");
    }
    for (int attempt = 1; attempt <= kAttempts; ++attempt) {
      if (!options_.dryRun) STRATA_TRY(remote_.awaitSweep(stop));
      STRATA_TRY(const std::vector<StockedObject> stock, remote_.listObjects(stop));
      if (traits.refs == RefSafety::LastWriterWins) {
        return fail(ErrorCode::Unsupported,
                    remote_.url() +
                        ": the server has no conditional writes, so a push at the same time might "
                        "count on what goes");
      }
      STRATA_TRY(ListRead read, readList(store_, remote_, options_.keptAs, stop));
      RefListing listing = std::move(read.listing);
      STRATA_TRY(const std::set<Digest> needed, neededBy(listing, stop, progress));
      std::vector<StockedObject> unneeded = choose(stock, needed);
      STRATA_TRY(keepHereAlone(listing, unneeded));
      withhold(listing, unneeded);
      if (options_.dryRun) {
        add(unneeded);
        STRATA_TRY(report_.scratchFiles,
                   remote_.clearScratch(oldestScratch(), ScratchWish::Count, stop));
        return std::move(report_);
      }
      STRATA_TRY(const RefOutcome outcome, erase(unneeded, listing, stop));
      if (outcome == RefOutcome::Overtaken) continue;
      STRATA_TRY(report_.scratchFiles,
                 remote_.clearScratch(oldestScratch(), ScratchWish::Delete, stop));
      return std::move(report_);
    }
    return fail(
        ErrorCode::Network,
        fmt::format(
            "{}: others pushed at the same time, or it is too slow, {} times in a row; run it "
            "again",
            remote_.url(), kAttempts));
  }

  std::size_t freedCount() const { return options_.dryRun ? 0 : report_.freed.size(); }

 private:
  /// What was changed later stays.
  std::int64_t oldestKept() const { return currentTime() - options_.graceSeconds; }

  /// A running push may write to a younger one, whatever age objects are to have.
  std::int64_t oldestScratch() const {
    return currentTime() - std::max(options_.graceSeconds, RemoteGarbageOptions{}.graceSeconds);
  }

  /// By the list of versions and by what their manifests say.
  Result<std::set<Digest>> neededBy(const RefListing& listing, const std::stop_token& stop,
                                    const ProgressSink& progress) {
    const RemoteLibrary library = RemoteLibrary::from(listing);
    if (!library.problems.empty()) {
      return refuse(library.problems.front() + "; push --repair mends it");
    }
    if (library.versions.empty()) {
      return fail(ErrorCode::InvalidArgument,
                  remote_.url() +
                      ": lists no version, so all it has would go; if that is meant, "
                      "delete the place itself");
    }
    if (const auto stranded = strandedThere(library); !stranded.empty()) {
      return refuse(fmt::format(
          "{}: is listed there as a difference that leads back to itself; remove it there with "
          "what stands on it, then push from a store that restores it",
          stranded.front()->ref.label()));
    }
    std::set<Digest> needed;
    std::set<Digest> elsewhere;  // parents that need no object of this remote
    std::vector<RemoteObject> manifests;
    for (const RemoteVersion* const version : library.all()) {
      const auto& parent = version->parentDigest;
      if (library.elsewhere(*version) != nullptr) {
        elsewhere.insert(*parent);
      } else if (parent && library.withContent(*parent) == nullptr) {
        return refuse(fmt::format("{}: its parent {} is not listed there; push it, too",
                                  version->ref.label(), shortHex(*parent)));
      }
      for (const RemoteObject& object : version->allObjects()) {
        const bool isManifest = object.kind == RemoteObject::Kind::ManifestObject;
        if (needed.insert(object.digest).second && isManifest) manifests.push_back(object);
      }
    }
    std::mutex mutex;  // guards needed, parents and readCount
    std::set<Digest> parents;
    std::size_t readCount = 0;
    const auto take = [&](const RemoteObject&, std::span<const std::byte> bytes) {
      const auto manifest = parseManifest(bytes);
      if (!manifest) return;
      const std::scoped_lock lock(mutex);
      for (const Digest& pack : manifest->packs) needed.insert(pack);
      if (const auto parent = manifest->parentDigest) parents.insert(*parent);
      ++readCount;
    };
    STRATA_TRY(const ObjectProblems problems,
               readBack(remote_, manifests, options_.parallel, stop, progress, take));
    for (const auto& [digest, problem] : problems) {
      return refuse(
          fmt::format("manifest {} {}; push --repair mends it", shortHex(digest), problem));
    }
    if (readCount != manifests.size()) {
      return refuse(fmt::format("{} of {} manifests cannot be understood",
                                manifests.size() - readCount, manifests.size()));
    }
    for (const Digest& parent : parents) {
      if (library.withContent(parent) != nullptr || elsewhere.contains(parent)) continue;
      return refuse(fmt::format("parent {} of a manifest there is not listed; push it, too",
                                shortHex(parent)));
    }
    return needed;
  }

  /// What no version needs and is old enough; counts the rest.
  std::vector<StockedObject> choose(const std::vector<StockedObject>& stock,
                                    const std::set<Digest>& needed) {
    report_.keptObjects = report_.keptBytes = report_.youngObjects = report_.youngBytes = 0;
    const std::int64_t oldest = oldestKept();
    std::vector<StockedObject> unneeded;
    for (const StockedObject& object : stock) {
      if (needed.contains(object.digest)) {
        ++report_.keptObjects;
        report_.keptBytes += object.byteCount;
      } else if (object.changedAt && *object.changedAt > oldest) {
        ++report_.youngObjects;
        report_.youngBytes += object.byteCount;
      } else {
        unneeded.push_back(object);
      }
    }
    return unneeded;
  }

  /// What versions need that are here, and that nobody is known to have taken off there.
  Result<void> keepHereAlone(const RefListing& listing, std::vector<StockedObject>& unneeded) {
    report_.hereAlone.clear();
    report_.hereAloneObjects = report_.hereAloneBytes = 0;
    const bool isAsked = !options_.keptAs.empty() && !options_.dropUnlisted;
    if (!isAsked || unneeded.empty()) return {};
    STRATA_TRY(const HereAlone here, findHereAlone(store_, listing));
    std::set<std::string> labels;
    std::erase_if(unneeded, [&](const StockedObject& object) {
      const auto found = here.find(object.digest);
      if (found == here.end()) return false;
      labels.insert(found->second);
      ++report_.hereAloneObjects;
      report_.hereAloneBytes += object.byteCount;
      return true;
    });
    report_.hereAlone.assign(labels.begin(), labels.end());
    return {};
  }

  /// What lists named that somebody lost is not known: nothing goes, but where the user said so
  /// before it was mended again.
  void withhold(const RefListing& listing, std::vector<StockedObject>& unneeded) {
    if (options_.acceptLost && !accepted_) accepted_ = listing.unseen;
    report_.lostLists.clear();
    report_.lostVersions.clear();
    report_.withheldObjects = report_.withheldBytes = 0;
    const std::set<Digest> missing = neededByMissing(listing);
    const bool isAnyLost = !listing.unseen.empty() && accepted_ != listing.unseen;
    if (isAnyLost) report_.lostLists = listing.unseen;
    std::erase_if(unneeded, [&](const StockedObject& object) {
      if (!isAnyLost && !missing.contains(object.digest)) return false;
      countWithheld(object);
      return true;
    });
  }

  void countWithheld(const StockedObject& object) {
    ++report_.withheldObjects;
    report_.withheldBytes += object.byteCount;
    if (!object.changedAt) return;
    const std::int64_t time = *object.changedAt;
    report_.withheldSince = std::min(report_.withheldSince.value_or(time), time);
    report_.withheldUntil = std::max(report_.withheldUntil.value_or(time), time);
  }

  /// By versions that may have been lost, and names these.
  std::set<Digest> neededByMissing(const RefListing& listing) {
    std::set<Digest> needed;
    if (options_.acceptLost) return needed;
    for (const auto& [name, text] : listing.missing) {
      const auto version = parseRemoteVersion(name, text);
      if (!version) continue;
      report_.lostVersions.push_back(version->ref.label());
      for (const RemoteObject& object : version->allObjects()) needed.insert(object.digest);
    }
    return needed;
  }

  void add(std::span<const StockedObject> freed) {
    for (const StockedObject& object : freed) {
      report_.freed.push_back(object);
      report_.freedBytes += object.byteCount;
    }
  }

  Result<RefOutcome> erase(const std::vector<StockedObject>& unneeded, RefListing& listing,
                           const std::stop_token& stop) {
    std::vector<Digest> digests;
    for (const StockedObject& object : unneeded) digests.push_back(object.digest);
    if (digests.empty() && !listing.unseen.empty() && accepted_ == listing.unseen) {
      RefPush push{{}, "give up lost lists"};
      push.seenLists = listing.unseen;
      push.before = listing.refs;
      return remote_.advanceRefs(push, stop);
    }
    std::size_t done = 0;
    while (done < digests.size()) {
      STRATA_TRY(const Sweep sweep, remote_.sweep(listing, std::span(digests).subspan(done), stop));
      if (sweep.outcome == RefOutcome::Overtaken) return RefOutcome::Overtaken;
      add(std::span(unneeded).subspan(done, sweep.erasedCount));
      if (sweep.failure) return fail(*sweep.failure);
      if (sweep.erasedCount == 0) return RefOutcome::Overtaken;
      done += sweep.erasedCount;
      if (done == digests.size()) break;
      const auto before = std::move(listing.refs);
      STRATA_TRY(listing, remote_.readRefs(stop));
      if (listing.refs != before || !listing.unseen.empty()) return RefOutcome::Overtaken;
    }
    return RefOutcome::Advanced;
  }

  const Store& store_;
  Transport& remote_;
  const RemoteGarbageOptions& options_;
  std::optional<std::set<std::uint64_t>> accepted_;  ///< lists whose loss the user accepted
  RemoteGarbageReport report_;
};

}  // namespace

Result<RemoteGarbageReport> collectRemoteGarbage(const Store& store, Transport& remote,
                                                 const RemoteGarbageOptions& options,
                                                 std::stop_token stop,
                                                 const ProgressSink& progress) {
  Collection collection(store, remote, options);
  auto report = collection.run(stop, progress);
  if (!report) return fail(afterFreeing(std::move(report).error(), collection.freedCount()));
  return report;
}

}  // namespace strata
