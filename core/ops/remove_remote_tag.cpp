#include "core/ops/remove_remote_tag.h"

#include <fmt/format.h>

#include "core/ops/detail/agreed_tags.h"
#include "core/ops/fetch_remote.h"
#include "core/store/reference.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

/// The tag there that may go.
Result<TagRef> tagToRemove(const RemoteLibrary& library, const Agreed& agreed,
                           const RemoteTagOptions& options) {
  STRATA_TRY(const Reference reference, parseReference(options.reference));
  if (reference.kind != Reference::Kind::Tag) {
    return fail(ErrorCode::InvalidArgument, options.reference + ": is no NAME:TAG");
  }
  const TagRef* const tag = library.tag(reference.name, reference.tag);
  if (tag == nullptr) {
    return fail(ErrorCode::NotFound, options.reference + ": the remote has no such tag");
  }
  const auto known = agreed.tags.find(labelOf(*tag));
  if (known != agreed.tags.end() && known->second != tag->number) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{0}: was moved there since, from v{1} to v{2}; pull it first, then "
                            "take it off",
                            options.reference, known->second, tag->number));
  }
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
    const Agreed agreed = readAgreed(store.folder(), options.keptAs);
    STRATA_TRY(TagRef tag, tagToRemove(RemoteLibrary::from(read.listing), agreed, options));
    if (options.dryRun) return tag;
    const std::string name = refNameOf(tag);
    RefPush push{{{name, read.listing.refs.at(name), kRemovedRef}}, "remove tag " + labelOf(tag)};
    RefListing after = read.listing;
    after.refs.erase(name);
    if (options.cards) push.cards = options.cards(RemoteLibrary::from(after), {});
    STRATA_TRY(const RefOutcome outcome, remote.advanceRefs(push, stop));
    if (outcome == RefOutcome::Lost) continue;
    STRATA_TRY(keepFetched(store, options.keptAs, nextListing(std::move(after)), read.known)
                   .map_error(afterRemoval));
    return tag;
  }
  return fail(ErrorCode::Network,
              fmt::format("{}: others pushed at the same time, {} times in a row; nothing was "
                          "removed, try again",
                          remote.url(), kAttempts));
}

}  // namespace strata
