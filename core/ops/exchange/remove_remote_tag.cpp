#include "core/ops/exchange/remove_remote_tag.h"

#include <fmt/format.h>

#include "core/ops/exchange/detail/kept/agreed_tags.h"
#include "core/ops/exchange/detail/push/plain_push.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/version_matching.h"
#include "core/store/refs/reference.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

/// Where the store may not have seen where the tag is now, and a pull helps. `former`: what the
/// remote listed when it was last asked.
bool isMovedThere(const TagRef& tag, const TagMatching& tags, const Agreed& agreed,
                  const std::optional<RefListing>& former) {
  const TagChange change = tags.changeOf(tag);
  if (change != TagChange::Both) return change == TagChange::There;
  if (!agreed.tags.contains(labelOf(tag))) return false;
  const RemoteLibrary before = former ? RemoteLibrary::from(*former) : RemoteLibrary();
  const TagRef* const seen = before.tag(tag.name, tag.tag);
  return seen == nullptr || seen->number != tag.number;
}

/// Fails where it is not what the user wants to take off.
Result<void> checkIsMeant(const Store& store, const TagRef& tag, const RefListing& listing,
                          const RemoteTagOptions& options) {
  if (options.number && *options.number != tag.number) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: was moved there just now, from v{} to v{}; nothing was removed",
                            options.reference, *options.number, tag.number));
  }
  const Agreed agreed = agreedFor(store, options.keptAs, listing);
  const RemoteLibrary library = RemoteLibrary::from(listing);
  STRATA_TRY(const VersionMatching matching, VersionMatching::load(store.catalog(), library));
  STRATA_TRY(const TagMatching tags, TagMatching::load(store.catalog(), matching, agreed));
  STRATA_TRY(const auto former, readFormer(store, options.keptAs));
  if (!isMovedThere(tag, tags, agreed, former)) return {};
  const auto before = agreed.tags.find(labelOf(tag));
  const bool isKnown = before != agreed.tags.end() && before->second;
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{}: {} v{}; pull it first, then take it off", options.reference,
                  isKnown ? fmt::format("was moved there since, from v{} to", *before->second)
                          : "may have been moved there since, and is",
                  tag.number));
}

/// The tag there that may go.
Result<TagRef> tagToRemove(const Store& store, const RefListing& listing,
                           const RemoteTagOptions& options) {
  STRATA_TRY(const Reference reference, parseReference(options.reference));
  if (reference.kind != Reference::Kind::Tag) {
    return fail(ErrorCode::InvalidArgument, options.reference + ": is no NAME:TAG");
  }
  const RemoteLibrary library = RemoteLibrary::from(listing);
  const TagRef* const tag = library.tag(reference.name, reference.tag);
  if (tag == nullptr) {
    return fail(ErrorCode::NotFound, options.reference + ": the remote has no such tag");
  }
  STRATA_TRY(checkIsMeant(store, *tag, listing, options));
  return *tag;
}

}  // namespace

Result<TagRef> removeRemoteTag(const Store& store, Transport& remote,
                               const RemoteTagOptions& options, std::stop_token stop) {
  constexpr int kAttempts = 32;  // each that is lost is another's push that went through
  STRATA_TRY(const TransportTraits traits, remote.probe(stop));
  if (traits.refs == RefSafety::ReadOnly) {
    return fail(ErrorCode::LoginRequired, remote.url() + ": can be read only");
  }
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    STRATA_TRY(ListRead read, readList(store, remote, options.keptAs, stop));
    STRATA_TRY(checkIsMade(remote.url(), read.listing));
    STRATA_TRY(TagRef tag, tagToRemove(store, read.listing, options));
    if (options.dryRun) return tag;
    const std::string name = refNameOf(tag);
    RefPush push{{{name, read.listing.refs.at(name), kRemovedRef}}, "remove tag " + labelOf(tag)};
    push.identity = read.listing.identity;
    RefListing after = read.listing;
    after.refs.erase(name);
    if (options.cards) {
      STRATA_TRY(const std::string plain, standingPlain(remote, stop));
      push.cards = options.cards(RemoteLibrary::from(after), plain);
    }
    STRATA_TRY(const RefOutcome outcome, remote.advanceRefs(push, stop));
    if (outcome == RefOutcome::Overtaken) continue;
    STRATA_TRY(keepDoubts(store, options.keptAs, read.listing).map_error(afterRemoval));
    const RemoteLibrary library = RemoteLibrary::from(after);
    STRATA_TRY(
        keepFetched(store, options.keptAs, listingMade(remote, std::move(after)), read.formerNumber)
            .map_error(afterRemoval));
    // Where it is not here, either, both sides agree: who puts it there again makes a new one.
    STRATA_TRY(keepAgreed(store, options.keptAs, library).map_error(afterRemoval));
    return tag;
  }
  return fail(ErrorCode::Network,
              fmt::format("{}: others pushed at the same time, {} times in a row; nothing was "
                          "removed, try again",
                          remote.url(), kAttempts));
}

}  // namespace strata
