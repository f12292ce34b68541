#include "core/ops/exchange/remove_remote_versions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/ops/exchange/detail/kept/agreed_tags.h"
#include "core/ops/exchange/detail/push/plain_push.h"
#include "core/ops/exchange/detail/remote_lineages.h"
#include "core/ops/exchange/fetch_remote.h"

namespace strata {
namespace {

using Chosen = std::vector<const RemoteVersion*>;

bool isChosen(const Chosen& chosen, const RemoteVersion& version) {
  return std::any_of(chosen.begin(), chosen.end(), [&](const RemoteVersion* one) {
    return one->ref.label() == version.ref.label();
  });
}

/// Those of `stranded` that stand on `content`, or on one of these.
std::vector<std::string> standingOn(const Digest& content,
                                    const std::vector<const RemoteVersion*>& stranded) {
  std::multimap<Digest, const RemoteVersion*> children;
  for (const RemoteVersion* const one : stranded) {
    if (one->parentDigest) children.emplace(*one->parentDigest, one);
  }
  std::set<const RemoteVersion*> reached;
  std::vector<Digest> open{content};
  while (!open.empty()) {
    const Digest next = open.back();
    open.pop_back();
    for (auto [at, last] = children.equal_range(next); at != last; ++at) {
      if (reached.insert(at->second).second) open.push_back(at->second->ref.contentDigest);
    }
  }
  std::vector<std::string> labels;
  for (const RemoteVersion* const one : stranded) {
    if (reached.contains(one)) labels.push_back(one->ref.label());
  }
  return labels;
}

/// A version with content that stays serves as well as one that goes, but where it stands on what
/// is to be restored by it.
Result<void> checkDependants(const RemoteLibrary& library, const Chosen& chosen) {
  std::vector<const RemoteVersion*> stranded =
      strandedThere(library, {chosen.begin(), chosen.end()});
  if (stranded.empty()) return {};
  const std::vector<const RemoteVersion*> before = strandedThere(library);
  std::erase_if(stranded, [&](const RemoteVersion* one) {
    return std::find(before.begin(), before.end(), one) != before.end();
  });
  for (const RemoteVersion* const version : chosen) {
    std::vector<std::string> dependants = standingOn(version->ref.contentDigest, stranded);
    if (dependants.empty()) continue;
    constexpr std::size_t kNamed = 4;
    const std::size_t rest = dependants.size() - std::min(kNamed, dependants.size());
    dependants.resize(dependants.size() - rest);
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: {}{} there cannot be restored without it; remove them, too",
                            version->ref.label(), fmt::join(dependants, ", "),
                            rest == 0 ? "" : fmt::format(" and {} more", rest)));
  }
  return {};
}

std::uint64_t freeableBytes(const RemoteLibrary& library, const Chosen& chosen) {
  std::set<Digest> needed;
  for (const RemoteVersion* const version : library.all()) {
    if (isChosen(chosen, *version)) continue;
    for (const RemoteObject& object : version->allObjects()) needed.insert(object.digest);
  }
  std::uint64_t bytes = 0;
  for (const RemoteVersion* const version : chosen) {
    for (const RemoteObject& object : version->allObjects()) {
      if (needed.insert(object.digest).second) bytes += object.byteCount;
    }
  }
  return bytes;
}

/// What is to be done, by what the remote lists now.
struct Removal {
  RemoteRemoveReport report;
  RefPush push;
  RefListing after;
};

Result<Removal> planRemoval(const RefListing& listing, const RemoteRemoveOptions& options) {
  const RemoteLibrary library = RemoteLibrary::from(listing);
  if (!library.problems.empty()) {
    // Who stands on whom is then not known.
    return fail(ErrorCode::CorruptData, "a version there cannot be read, so nothing is removed: " +
                                            library.problems[0] + "; push --repair mends it");
  }
  std::vector<std::string> words = options.references;
  for (std::string& word : words) {
    const bool isPlainName = word.find_first_of(":~@*?") == std::string::npos;
    if (options.allVersions && isPlainName) word += ":*";
  }
  STRATA_TRY(const Chosen chosen, library.select(words, 0));
  STRATA_TRY(checkDependants(library, chosen));
  Removal removal;
  removal.push.summary = "remove";
  removal.push.before = listing.refs;
  removal.after = listing;
  removal.report.freeableBytes = freeableBytes(library, chosen);
  const auto take = [&](const std::string& name) {
    removal.push.updates.push_back({name, listing.refs.at(name), kRemovedRef});
    removal.after.refs.erase(name);
  };
  for (const RemoteVersion* const version : chosen) {
    removal.report.versions.push_back(*version);
    removal.push.summary += " " + version->ref.label();
    take(refNameOf(version->ref));
    removal.after.takenOff.insert(version->ref.contentDigest);
    for (const TagRef& tag : library.tags) {
      if (tag.name != version->ref.name || tag.number != version->ref.number) continue;
      removal.report.tags.push_back(tag);
      take(refNameOf(tag));
    }
  }
  return removal;
}

}  // namespace

Result<RemoteRemoveReport> removeRemoteVersions(const Store& store, Transport& remote,
                                                const RemoteRemoveOptions& options,
                                                std::stop_token stop) {
  constexpr int kAttempts = 5;
  STRATA_TRY(const TransportTraits traits, remote.probe(stop));
  if (traits.refs == RefSafety::ReadOnly) {
    return fail(ErrorCode::LoginRequired, remote.url() + ": can be read only");
  }
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    STRATA_TRY(const ListRead read, readList(store, remote, options.keptAs, stop));
    STRATA_TRY(Removal removal, planRemoval(read.listing, options));
    removal.report.refsAreAtomic = traits.refs == RefSafety::Atomic;
    removal.report.afterRemoval = traits.afterRemoval;
    if (options.dryRun) return std::move(removal.report);
    removal.push.identity = read.listing.identity;
    if (options.cards) {
      STRATA_TRY(const std::string plain, standingPlain(remote, stop));
      removal.push.cards = options.cards(RemoteLibrary::from(removal.after), plain);
    }
    STRATA_TRY(const RefOutcome outcome, remote.advanceRefs(removal.push, stop));
    if (outcome == RefOutcome::Overtaken) continue;
    STRATA_TRY(keepDoubts(store, options.keptAs, read.listing).map_error(afterRemoval));
    STRATA_TRY(keepFetched(store, options.keptAs, listingMade(remote, std::move(removal.after)),
                           read.formerNumber)
                   .map_error(afterRemoval));
    return std::move(removal.report);
  }
  return fail(ErrorCode::Network,
              fmt::format("{}: others pushed at the same time, {} times in a row; nothing was "
                          "removed, try again",
                          remote.url(), kAttempts));
}

}  // namespace strata
