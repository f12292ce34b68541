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

constexpr const char* kRefs = "refs/";
constexpr const char* kObjects = "objects/";
/// From so many objects on one list costs less than a request each.
constexpr std::size_t kListFrom = 16;
/// Old generations that one push removes at most; the next ones go on.
constexpr std::size_t kMostPruned = 1000;

std::string keyOf(const Digest& digest) {
  const std::string hex = toHex(digest);
  return "objects/" + hex.substr(0, 2) + '/' + hex;
}

std::string refKey(std::uint64_t number) { return kRefs + generationName(number); }

}  // namespace

struct S3Transport::Generation {
  std::uint64_t number = 0;  ///< 0: nobody pushed yet, or no list can be read
  RefIndex index = {};
  std::vector<std::uint64_t> oldest = {};       ///< that there are, as they were listed
  std::map<std::uint64_t, S3Key> highest = {};  ///< that there are, readable or not

  std::uint64_t highestNumber() const { return highest.empty() ? 0 : highest.rbegin()->first; }
};

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
    if (claims == name(mode)) return mode;
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
    STRATA_TRY(const Generation generations, listGenerations(stop));
    if (generations.highest.empty()) return fail(std::move(marker).error());
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
    STRATA_TRY(const Generation generations, listGenerations(stop));
    if (!generations.highest.empty()) {
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

Result<S3Transport::Generation> S3Transport::listGenerations(const std::stop_token& stop) {
  Generation found;
  STRATA_TRY(client_->list(
      kRefs,
      [&](const S3Key& key) {
        const std::uint64_t number =
            generationOf(std::string_view(key.key).substr(std::string_view(kRefs).size()));
        if (number == 0) return;
        if (found.oldest.size() < kMostPruned) found.oldest.push_back(number);
        found.highest.insert_or_assign(number, key);
        if (found.highest.size() > kKeptGenerations) found.highest.erase(found.highest.begin());
      },
      stop));
  return found;
}

std::optional<RefIndex> S3Transport::readBefore(std::uint64_t number, const S3Key& key) {
  {
    // Where writers have a lock alone, one that was too slow may have written over a list.
    const std::lock_guard lock(mutex_);
    if (mode_ != ClaimMode::Conditional) return std::nullopt;
  }
  const std::lock_guard lock(listMutex_);
  const bool isSame = !key.tag.empty() && list_.number == number && list_.tag == key.tag &&
                      list_.byteCount == key.byteCount;
  return isSame ? std::optional(list_.index) : std::nullopt;
}

void S3Transport::keepRead(std::uint64_t number, const S3Key& key, const RefIndex& index) {
  const std::lock_guard lock(listMutex_);
  list_ = {number, key.tag, key.byteCount, index};
}

Result<S3Transport::Generation> S3Transport::newest(Unreadable unreadable,
                                                    const std::stop_token& stop) {
  constexpr int kAttempts = 8;
  for (int attempt = 1;; ++attempt) {
    STRATA_TRY(Generation found, listGenerations(stop));
    bool isPassed = false;
    for (auto number = found.highest.rbegin(); number != found.highest.rend(); ++number) {
      if (auto index = readBefore(number->first, number->second)) {
        found.number = number->first;
        found.index = *std::move(index);
        break;
      }
      const std::string key = refKey(number->first);
      STRATA_TRY(const auto text, client_->read(key, kMaxIndexBytes, stop));
      // Pushed past and removed since it was listed.
      isPassed = !text && attempt < kAttempts;
      if (isPassed) break;
      if (!text) {
        return fail(ErrorCode::CorruptData,
                    fmt::format("{}: {} is listed and not there", url(), key));
      }
      auto index = parseRefIndex(*text, url() + '/' + key);
      if (index) {
        keepRead(number->first, number->second, *index);
        found.number = number->first;
        found.index = *std::move(index);
        break;
      }
      const bool isOver =
          unreadable == Unreadable::Fails || index.error().code != ErrorCode::CorruptData;
      if (isOver) return fail(unreadableList(std::move(index).error()));
    }
    if (isPassed) continue;
    // Who began to delete could not say any more that it ended.
    if (found.number != found.highestNumber()) found.index.doomed.clear();
    return found;
  }
}

Result<RefListing> S3Transport::listingOf(Unreadable unreadable, const std::stop_token& stop) {
  // A lost marker alone makes no remote new or empty: the next push writes it again.
  // So is one that is damaged.
  const auto marker = readMarker(stop);
  const bool isDamaged = !marker && marker.error().code == ErrorCode::CorruptData;
  if (!marker && !isDamaged) return fail(marker.error());
  STRATA_TRY(Generation found, newest(unreadable, stop));
  if (isDamaged && found.highest.empty()) return fail(marker.error());
  RefListing listing;
  listing.revision = std::to_string(found.number);
  listing.endedSweeps = found.index.endedSweeps();
  listing.refs = std::move(found.index.refs);
  listing.isNew = !isDamaged && !*marker && found.highest.empty();
  listing.generation = found.number;
  listing.unreadable = found.number == found.highestNumber() ? 0 : found.highestNumber();
  return listing;
}

Result<RefListing> S3Transport::readRefs(std::stop_token stop) {
  return listingOf(Unreadable::Fails, stop);
}

Result<RefListing> S3Transport::salvageRefs(std::stop_token stop) {
  return listingOf(Unreadable::Passed, stop);
}

Result<bool> S3Transport::claim(std::uint64_t number, const std::string& text, ClaimMode mode,
                                const S3Lock& lock, const std::stop_token& stop) {
  if (mode == ClaimMode::Lock) {
    if (!lock.isGood()) return false;
    STRATA_TRY(client_->write(refKey(number), text, stop));
    return true;
  }
  STRATA_TRY(const S3Client::Created created, client_->create(refKey(number), text, stop));
  if (created == S3Client::Created::Unsupported) {
    return fail(ErrorCode::Unsupported,
                url() + ": the server has no conditional writes any more; its marker says it has");
  }
  return created == S3Client::Created::Yes;
}

void S3Transport::prune(const Generation& before, const std::stop_token& stop) {
  for (const std::uint64_t number : before.oldest) {
    // What stays too long does no harm.
    if (isOutdated(number, before.highestNumber())) {
      static_cast<void>(client_->remove(refKey(number), stop));
    }
  }
}

/// Makes the edited index the next generation.
Result<RefOutcome> S3Transport::change(const std::function<Edit(RefIndex&)>& edit,
                                       std::optional<std::uint64_t> above,
                                       const std::stop_token& stop) {
  STRATA_TRY(const ClaimMode mode, prepare(stop));
  const Unreadable unreadable = above ? Unreadable::Passed : Unreadable::Fails;
  while (!stop.stop_requested()) {
    S3Lock lock(*client_);
    if (mode == ClaimMode::Lock) STRATA_TRY(lock.take(stop));
    STRATA_TRY(Generation generation, newest(unreadable, stop));
    const Edit wish = edit(generation.index);
    if (wish == Edit::Refuse) return RefOutcome::Lost;
    if (wish == Edit::Keep) return RefOutcome::Advanced;
    const std::uint64_t number = std::max(generation.highestNumber(), above.value_or(0)) + 1;
    STRATA_TRY(const std::string text, serializeRefIndex(generation.index));
    STRATA_TRY(const bool isOurs, claim(number, text, mode, lock, stop));
    if (!isOurs) continue;
    // Others see it by now: a wish to stop comes too late.
    STRATA_TRY(const Generation after, listGenerations({}));
    if (!mayBePassed(number, after.highestNumber())) {
      prune(after, stop);
      return RefOutcome::Advanced;
    }
    // So slow that others had passed and removed this number before: it does not count.
    STRATA_TRY(client_->remove(refKey(number), {}));
  }
  return fail(ErrorCode::Cancelled, "cancelled");
}

IndexChange S3Transport::changing(std::optional<std::uint64_t> above) {
  return [this, above](const auto& edit, const std::stop_token& stop) {
    return change(edit, above, stop);
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
  STRATA_TRY(const Generation generation, newest(Unreadable::Fails, stop));
  // Who will write there gives a lost marker back: earlier programs see no version without it.
  if (generation.number > 0) STRATA_TRY(prepare(stop));
  if (generation.index.doomed.empty()) return {};
  const HttpSettings& http = client_->http().settings();
  return awaitIndexSweep({url(), changing(), {}, *http.clock, http.onWait}, stop);
}

}  // namespace strata::hub
