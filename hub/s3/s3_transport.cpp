#include "hub/s3/s3_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text/json_text.h"
#include "core/transfer/ref_index.h"
#include "hub/generation.h"
#include "hub/http/download.h"
#include "hub/s3/s3_upload.h"

namespace strata::hub {
namespace {

constexpr const char* kObjects = "objects/";
/// From so many objects on one list costs less than a request each.
constexpr std::size_t kListFrom = 16;

std::string keyOf(const Digest& digest) {
  const std::string hex = toHex(digest);
  return "objects/" + hex.substr(0, 2) + '/' + hex;
}

}  // namespace

std::string S3Transport::url() const { return client_->address().url(); }

Result<std::optional<ClaimMode>> S3Transport::readMarker(const std::stop_token& stop) {
  STRATA_TRY(const auto text, client_->read(kS3Marker, 4096, stop));
  if (!text) return std::nullopt;
  const std::string what = url() + '/' + kS3Marker;
  STRATA_TRY(const nlohmann::json marker, parseJson(*text, what));
  const auto format = countMember(marker, "format");
  if (!format || *format == 0) return fail(ErrorCode::CorruptData, what + ": has no format");
  if (*format > static_cast<std::uint64_t>(kIndexFormat)) {
    return fail(ErrorCode::FormatTooNew, fmt::format("{}: has format {}, this program reads {}",
                                                     what, *format, kIndexFormat));
  }
  const auto claims = textMember(marker, "claims");
  for (const ClaimMode mode : {ClaimMode::Conditional, ClaimMode::Lock}) {
    if (claims != name(mode)) continue;
    files_->setMode(mode);
    return mode;
  }
  return fail(ErrorCode::FormatTooNew,
              fmt::format("{}: writers keep apart by \"{}\", which this program does not know",
                          what, claims.value_or("")));
}

Result<ClaimMode> S3Transport::prepare(const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  if (mode_) return *mode_;
  auto marker = readMarker(stop);
  const bool isDamaged = !marker && marker.error().code == ErrorCode::CorruptData;
  if (isDamaged) {
    STRATA_TRY(const std::vector<ListMark> lists, files_->list(0, stop));
    if (lists.empty()) return fail(std::move(marker).error());
  } else {
    STRATA_TRY(mode_, std::move(marker));
    if (mode_) return *mode_;
  }
  STRATA_TRY(const ClaimMode probed, probeClaims(*client_, stop));
  const std::string text =
      fmt::format("{{\"claims\":\"{}\",\"format\":{}}}\n", name(probed), kIndexFormat);
  if (probed == ClaimMode::Conditional && !isDamaged) {
    STRATA_TRY(client_->create(kS3Marker, text, stop));
  } else {
    STRATA_TRY(client_->write(kS3Marker, text, stop));
  }
  STRATA_TRY(mode_, readMarker(stop));
  if (mode_) return *mode_;
  return fail(ErrorCode::CorruptData,
              fmt::format("{}: {} was written and is not there", url(), kS3Marker));
}

Result<TransportTraits> S3Transport::probe(std::stop_token stop) {
  TransportTraits traits{.server = hostOfUrl(client_->address().endpoint)};
  const auto marker = readMarker(stop);
  const bool isDamaged = !marker && marker.error().code == ErrorCode::CorruptData;
  if (!marker && !isDamaged) return fail(marker.error());
  if (isDamaged || !*marker) {
    STRATA_TRY(const std::vector<ListMark> lists, files_->list(0, stop));
    if (!lists.empty()) {
      traits.notes.push_back(
          fmt::format("{} is missing or damaged; the next push writes it again", kS3Marker));
      return traits;
    }
    traits.notes.emplace_back(
        "nothing was pushed here yet; the first push finds out whether the "
        "server has conditional writes");
    if (isDamaged) return fail(marker.error());
  } else if (**marker == ClaimMode::Lock) {
    traits.refs = RefSafety::LastWriterWins;
    traits.notes.emplace_back(
        "the server has no conditional writes: a lock object keeps writers "
        "apart");
  }
  return traits;
}

Result<ObjectSizes> S3Transport::sizesOf(std::span<const RemoteObject> objects,
                                         std::stop_token stop) {
  ObjectSizes found;
  if (objects.size() < kListFrom) {
    for (const RemoteObject& object : objects) {
      STRATA_TRY(const auto size, client_->size(keyOf(object.digest), stop));
      if (size) found[object.digest] = *size;
    }
    return found;
  }
  std::map<std::string, const RemoteObject*> wanted;
  for (const RemoteObject& object : objects) wanted[keyOf(object.digest)] = &object;
  STRATA_TRY(client_->list(
      "objects/",
      [&](const S3Key& key) {
        const auto place = wanted.find(key.key);
        if (place != wanted.end()) found[place->second->digest] = key.byteCount;
      },
      stop));
  return found;
}

Result<void> S3Transport::put(const RemoteObject& object, const ObjectSource& source,
                              std::stop_token stop, const TransferMeter& meter) {
  STRATA_TRY(prepare(stop));
  STRATA_TRY(const auto size, client_->size(keyOf(object.digest), stop));
  if (size == object.byteCount) return {};
  return replace(object, source, stop, meter);
}

Result<void> S3Transport::replace(const RemoteObject& object, const ObjectSource& source,
                                  std::stop_token stop, const TransferMeter& meter) {
  STRATA_TRY(prepare(stop));
  const std::string key = keyOf(object.digest);
  const bool isInParts = object.byteCount > kSingleUploadBytes;
  if (isInParts) hasSentParts_ = true;
  return uploadObject(
      *client_, key, object, source,
      KeptUpload::open(isInParts ? stateFolder_ : std::filesystem::path(), place(), object.digest),
      stop, meter);
}

/// Where a bucket's uploads are told apart from those of others.
std::string S3Transport::place() const { return client_->address().keyUrl(""); }

Result<std::size_t> S3Transport::abandonUploads(std::stop_token stop) {
  constexpr std::int64_t kOldSeconds = 604'800;  // a week
  std::vector<KeptUpload> left = KeptUpload::leftAt(stateFolder_, place());
  for (KeptUpload& upload : left) {
    STRATA_TRY(endKeptUpload(*client_, keyOf(upload.object()), upload, stop));
  }
  // Of programs that died and never came back, on whatever machine.
  if (hasSentParts_ || !left.empty()) {
    const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(
                                 std::chrono::system_clock::now().time_since_epoch())
                                 .count();
    STRATA_TRY(endOldUploads(*client_, "objects/", now - kOldSeconds, stop));
  }
  return left.size();
}

Result<void> S3Transport::get(const RemoteObject& object, std::uint64_t firstByte, ObjectSink& sink,
                              std::stop_token stop, const TransferMeter& meter) {
  const std::string key = keyOf(object.digest);
  STRATA_TRY(HttpRequest request, client_->getRequest(key, stop));
  Download job{.request = std::move(request),
               .byteCount = object.byteCount,
               .firstByte = firstByte,
               .sink = &sink};
  STRATA_TRY(const HttpResponse response, download(client_->http(), job, stop, meter));
  if (response.succeeded()) return {};
  if (response.head.status == 404) {
    return fail(ErrorCode::NotFound,
                fmt::format("object {} is not at {}", toHex(object.digest), url()));
  }
  return fail(client_->failure(response, "fetching " + key));
}

void S3Transport::know(const RefListing& listing) {
  // The mark of a list is kept only where it tells.
  if (!listing.etag.empty()) files_->setMode(ClaimMode::Conditional);
  lists_.know(listing);
}

Result<bool> S3Transport::stillLists(const RefListing& head, std::stop_token stop) {
  return lists_.isNewest(head.generation, head.etag, stop);
}

Result<RefListing> S3Transport::listing(Unreadable unreadable, const std::stop_token& stop) {
  auto found = lists_.newest(unreadable, stop);
  if (found && found->wasKnown) return listingOf(*std::move(found), ListTag::Server);
  // A lost marker alone makes no remote new or empty: the next push writes it again.
  // So is one that is damaged.
  const auto marker = readMarker(stop);
  const bool isDamaged = !marker && marker.error().code == ErrorCode::CorruptData;
  if (!marker && !isDamaged) return fail(marker.error());
  if (!found) return fail(std::move(found).error());
  if (isDamaged && found->highest == 0) return fail(marker.error());
  const bool isNew = !isDamaged && !*marker && found->highest == 0;
  RefListing listing =
      listingOf(*std::move(found), files_->etagsTell() ? ListTag::Server : ListTag::None);
  listing.isNew = isNew;
  return listing;
}

Result<RefListing> S3Transport::readRefs(std::stop_token stop) {
  return listing(Unreadable::Fails, stop);
}

Result<RefListing> S3Transport::salvageRefs(std::stop_token stop) {
  return listing(Unreadable::Passed, stop);
}

Result<void> S3Transport::checkList(std::stop_token stop) { return lists_.checkPages(stop); }

IndexChange S3Transport::changing(std::optional<std::uint64_t> above) {
  return [this, above](const auto& edit, const std::stop_token& stop) -> Result<RefOutcome> {
    STRATA_TRY(prepare(stop));
    return lists_.change(edit, above, stop);
  };
}

Result<RefOutcome> S3Transport::advanceRefs(const RefPush& push, std::stop_token stop) {
  return advanceIndex(changing(push.above), push, stop);
}

Result<std::vector<StockedObject>> S3Transport::listObjects(std::stop_token stop) {
  std::vector<StockedObject> found;
  STRATA_TRY(client_->list(
      kObjects,
      [&](const S3Key& key) {
        const auto digest = digestFromHex(key.key.substr(key.key.rfind('/') + 1));
        // One without a date is never old enough to go.
        if (digest && keyOf(*digest) == key.key) {
          found.push_back(
              {*digest, key.byteCount,
               key.changedAt > 0 ? key.changedAt : std::numeric_limits<std::int64_t>::max()});
        }
      },
      stop));
  return found;
}

/// Half an object is never seen in a bucket.
Result<std::size_t> S3Transport::clearScratch(std::int64_t /*changedBy*/, ScratchWish wish,
                                              std::stop_token stop) {
  return lists_.clearPages(wish, stop);
}

Result<Sweep> S3Transport::sweep(const RefListing& seen, std::span<const Digest> objects,
                                 std::stop_token stop) {
  STRATA_TRY(const ClaimMode mode, prepare(stop));
  // Where the marker was lost, it is known only now.
  if (mode == ClaimMode::Lock) {
    return fail(ErrorCode::Unsupported,
                url() + ": the server has no conditional writes, so pushers cannot be told");
  }
  const auto erase = [&](const Digest& digest, const std::stop_token& late) {
    return client_->remove(keyOf(digest), late);
  };
  return sweepIndex({url(), changing(), erase, *client_->http().settings().clock}, seen, objects,
                    stop);
}

Result<void> S3Transport::awaitSweep(std::stop_token stop) {
  // Without a write and thus without a lock where nobody sweeps, which is nearly always.
  STRATA_TRY(const GenerationLists::Found found, lists_.newest(Unreadable::Fails, stop));
  // Who will write there gives a lost marker back: earlier programs see no version without it.
  if (found.number > 0) STRATA_TRY(prepare(stop));
  if (found.index.doomed.empty()) return {};
  const HttpSettings& http = client_->http().settings();
  return awaitIndexSweep({url(), changing(), {}, *http.clock, http.onWait}, stop);
}

}  // namespace strata::hub
