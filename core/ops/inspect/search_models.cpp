#include "core/ops/inspect/search_models.h"

#include <algorithm>

#include "core/ops/detail/missing_bytes.h"
#include "core/transfer/transfer_queue.h"

namespace strata {
namespace {

using Kind = FoundModel::Kind;

bool mayBeRemote(const FoundModel& model) noexcept {
  return model.kind == Kind::Strata || model.kind == Kind::Candidate;
}

/// What a pull of the newest version of each name would fetch.
Result<void> measure(SearchHit& hit, const Store* store) {
  STRATA_TRY(const std::vector<const RemoteVersion*> newest, hit.library.select({}, 1));
  for (const RemoteVersion* const version : newest) hit.names.push_back(version->ref.name);
  STRATA_TRY(const MissingBytes missing, missingBytes(hit.library, newest, store));
  hit.fetchBytes = missing.byteCount;
  hit.parentsAreHere = missing.basesAreHere;
  return {};
}

/// Fails only for what ends the whole search.
Result<void> lookInto(SearchHit& hit, const Store* store, const ModelSearchOptions& options,
                      const std::stop_token& stop) {
  STRATA_TRY(const std::unique_ptr<Transport> remote, options.open(hit.model.url));
  STRATA_TRY(const RefListing listing, remote->readRefs(stop));
  hit.library = RemoteLibrary::from(listing);
  if (hit.model.kind == Kind::Candidate && !hit.library.versions.empty()) {
    hit.model.kind = Kind::Strata;
  }
  return measure(hit, store);
}

bool isMadeFrom(const SearchHit& hit, const Digest& base) {
  return std::any_of(hit.library.versions.begin(), hit.library.versions.end(),
                     [&](const RemoteVersion& version) {
                       return version.ref.contentDigest == base || version.parentDigest == base;
                     });
}

bool namesVersion(const SearchHit& hit, const std::string& words) {
  const auto& versions = hit.library.versions;
  return std::any_of(versions.begin(), versions.end(), [&](const RemoteVersion& version) {
    return holdsWords(version.ref.name, words);
  });
}

bool isWanted(const SearchHit& hit, const ModelSearchOptions& options) {
  if (hit.model.kind == Kind::Candidate) return false;
  if (!hit.model.isNamed && !namesVersion(hit, options.query.words)) return false;
  if (hit.model.kind == Kind::Strata && options.base && !isMadeFrom(hit, *options.base)) {
    return false;
  }
  // Places that cannot be asked for one list them all.
  const std::string& license = options.query.license;
  if (!license.empty() && hit.model.license != license) return false;
  return !options.maxBytes || (hit.fetchBytes && *hit.fetchBytes <= *options.maxBytes);
}

}  // namespace

Result<ModelSearchReport> searchModels(ModelIndex& index, const Store* store,
                                       const ModelSearchOptions& options, std::stop_token stop) {
  STRATA_TRY(std::vector<FoundModel> found, index.find(options.query, stop));
  std::vector<SearchHit> hits;
  std::vector<std::size_t> remotes;
  for (FoundModel& model : found) {
    if (mayBeRemote(model)) remotes.push_back(hits.size());
    const auto bytes = model.byteCount;
    hits.push_back({.model = std::move(model), .fetchBytes = bytes});
  }
  const auto looked = runTransfers(remotes.size(), options.parallel, stop, [&](std::size_t i) {
    const Result<void> one = lookInto(hits[remotes[i]], store, options, stop);
    // What is private, gone or broken there says nothing of the others.
    const bool ends = !one && one.error().code == ErrorCode::Cancelled;
    return one || ends ? one : fail(ErrorCode::NotFound, one.error().message);
  });
  ModelSearchReport report;
  for (const Result<void>& one : looked) {
    if (one) continue;
    if (one.error().code == ErrorCode::Cancelled) return fail(one.error());
    report.problems.push_back(one.error().message);
  }
  std::erase_if(hits, [&](const SearchHit& hit) { return !isWanted(hit, options); });
  if (options.smallestFirst) {
    const auto bytesOf = [](const SearchHit& hit) { return hit.fetchBytes.value_or(UINT64_MAX); };
    std::stable_sort(hits.begin(), hits.end(), [&](const SearchHit& a, const SearchHit& b) {
      return bytesOf(a) < bytesOf(b);
    });
  }
  if (hits.size() > options.query.limit) hits.resize(options.query.limit);
  report.hits = std::move(hits);
  return report;
}

}  // namespace strata
