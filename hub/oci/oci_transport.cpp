#include "hub/oci/oci_transport.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "core/transfer/transfer_queue.h"
#include "hub/oci/model_pack.h"

namespace strata::hub {
namespace {

constexpr int kTriesForATag = 5;
constexpr std::chrono::milliseconds kWaitForATag{100};

std::int64_t secondsNow() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// As runTransfers, for requests without large bodies: fails with the first failure.
Result<void> runAll(std::size_t count, OciClient& client, const std::stop_token& stop,
                    const std::function<Result<void>(std::size_t)>& one) {
  const auto results = runTransfers(count, client.http().settings().parallel, stop, one);
  for (const Result<void>& result : results) STRATA_TRY(result);
  return {};
}

}  // namespace

std::string OciTransport::url() const {
  return fmt::format("oci://{}/{}", hostOfUrl(client_->address().origin),
                     client_->address().repository);
}

Result<TransportTraits> OciTransport::probe(std::stop_token stop) {
  TransportTraits traits;
  traits.refs = RefSafety::LastWriterWins;
  traits.listsObjects = false;
  traits.afterRemoval =
      "their artifacts and blobs stay in the registry, and other tools still see them, until they "
      "are deleted there";
  STRATA_TRY(traits.server, client_->ping(stop));
  traits.notes.emplace_back(
      "registries have no conditional writes: of two pushes of one ref in the "
      "same second both may seem to succeed");
  return traits;
}

Result<ObjectSizes> OciTransport::sizesOf(std::span<const RemoteObject> objects,
                                          std::stop_token stop) {
  std::vector<std::optional<std::uint64_t>> sizes(objects.size());
  STRATA_TRY(runAll(objects.size(), *client_, stop, [&](std::size_t i) -> Result<void> {
    STRATA_TRY(sizes[i], client_->blobSize(objects[i].digest, stop));
    return {};
  }));
  ObjectSizes found;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (sizes[i]) found[objects[i].digest] = *sizes[i];
  }
  return found;
}

Result<void> OciTransport::put(const RemoteObject& object, const ObjectSource& source,
                               std::stop_token stop, const TransferMeter& meter) {
  STRATA_TRY(const auto there, client_->blobSize(object.digest, stop));
  if (there == object.byteCount) return {};
  if (there) return replace(object, source, stop, meter);
  for (const std::string& sibling : options_.siblings) {
    // A neighbour that we may not read, or that is not there, is no reason not to send.
    const auto mounted = client_->mountBlob(object.digest, sibling, stop);
    if (!mounted || !*mounted) continue;
    if (meter) meter(static_cast<std::int64_t>(object.byteCount));
    return {};
  }
  return client_->putBlob(object, source, options_.chunks, stop, meter);
}

Result<void> OciTransport::replace(const RemoteObject& object, const ObjectSource& source,
                                   std::stop_token stop, const TransferMeter& meter) {
  // Registries keep the blob that they have. One that may not be deleted may still be replaced.
  const Result<void> removed = client_->removeBlob(object.digest, stop);
  if (!removed && removed.error().code == ErrorCode::Cancelled) return removed;
  return client_->putBlob(object, source, options_.chunks, stop, meter);
}

Result<void> OciTransport::get(const RemoteObject& object, std::uint64_t firstByte,
                               ObjectSink& sink, std::stop_token stop, const TransferMeter& meter) {
  return client_->getBlob(object, firstByte, sink, stop, meter);
}

Result<PlainPlan> OciTransport::planPlain(const PlainSet& plain, std::stop_token stop) {
  PlainPlan plan;
  STRATA_TRY(const auto there, client_->readManifest(kPlainTag, stop));
  if (there) {
    STRATA_TRY(const std::optional<std::string> version, plainVersionOf(*there));
    if (!version && !plain.files.empty()) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: the tag {} is another artifact's, which no push of plain files "
                              "wrote; remove it there",
                              url(), kPlainTag));
    }
    plan.standing = version.value_or("");
  }
  std::vector<RemoteObject> files;
  for (const PlainFile& file : plain.files) {
    files.push_back({file.sha256, file.byteCount, RemoteObject::Kind::Pack});
  }
  STRATA_TRY(const ObjectsThere found, has(files, stop));
  for (const PlainFile& file : plain.files) {
    if (!found.kept.contains(file.sha256)) plan.missing.push_back(file);
  }
  return plan;
}

Result<void> OciTransport::putPlain(const PlainFile& file, const ObjectSource& source,
                                    std::stop_token stop, const TransferMeter& meter) {
  return put({file.sha256, file.byteCount, RemoteObject::Kind::Pack}, source, stop, meter);
}

Result<void> OciTransport::putModelPack(const PlainSet& plain, std::int64_t time,
                                        const std::stop_token& stop) {
  const ModelPack pack = modelPackOf(plain, time);
  STRATA_TRY(client_->putBlob(sha256(std::as_bytes(std::span(pack.config))), pack.config, stop));
  return client_->putManifest(kPlainTag, pack.manifest, stop);
}

/// What the index artifact says; nothing where there is none.
Result<RegistryIndex> OciTransport::readIndex(const std::stop_token& stop) {
  STRATA_TRY(const auto manifest, client_->readManifest(kIndexTag, stop));
  if (!manifest) return RegistryIndex{};
  STRATA_TRY(const OciDescriptor config, parseIndexManifest(*manifest));
  STRATA_TRY(const std::string text, client_->readBlob(config.digest, kMaxIndexBytes, stop));
  return parseRegistryIndex(text, fmt::format("{}:{}", url(), kIndexTag));
}

Result<RefRecord> OciTransport::readRecord(const std::string& digits, const std::stop_token& stop) {
  STRATA_TRY(auto manifest, client_->readManifest("m-" + digits, stop));
  // A registry lists a tag a moment before it can be read.
  for (int i = 0; !manifest && i < kTriesForATag && !stop.stop_requested(); ++i) {
    client_->http().settings().clock->sleep(kWaitForATag, stop);
    STRATA_TRY(manifest, client_->readManifest("m-" + digits, stop));
  }
  if (!manifest) {
    return fail(ErrorCode::CorruptData, fmt::format("tag m-{}: is listed and not there", digits));
  }
  STRATA_TRY(ParsedRecord parsed, parseRecordManifest(*manifest, digits));
  parsed.record.text = std::move(parsed.config.data);
  if (parsed.record.text.empty()) {
    STRATA_TRY(parsed.record.text,
               client_->readBlob(parsed.config.descriptor.digest, kMaxRefBytes, stop));
  }
  return std::move(parsed.record);
}

Result<RegistryIndex> OciTransport::readState(const std::stop_token& stop, std::size_t* tagBytes) {
  // Tags first: what the index has merged by then need not be read.
  STRATA_TRY(const std::vector<std::string> tags, client_->tags(stop));
  if (tags.empty()) return RegistryIndex{};
  STRATA_TRY(RegistryIndex index, readIndex(stop));
  std::vector<std::string> unread;
  for (const std::string& tag : tags) {
    if (tagBytes != nullptr) *tagBytes += bytesInList(tag);
    std::string digits = digitsOfTag(tag);
    if (!digits.empty() && !index.merged.contains(digits)) unread.push_back(std::move(digits));
  }
  std::vector<RefRecord> records(unread.size());
  STRATA_TRY(runAll(unread.size(), *client_, stop, [&](std::size_t i) -> Result<void> {
    STRATA_TRY(records[i], readRecord(unread[i], stop));
    return {};
  }));
  mergeRecords(index, std::move(records));
  return index;
}

Result<std::size_t> OciTransport::abandonUploads(std::stop_token stop) {
  return client_->abandonUploads(options_.chunks.stateFolder, stop);
}

Result<std::vector<StockedObject>> OciTransport::listObjects(std::stop_token /*stop*/) {
  return fail(ErrorCode::Unsupported,
              url() +
                  ": registries do not list blobs; delete the artifacts of removed versions with "
                  "the registry's own tools, and its garbage collection frees their blobs");
}

Result<RefListing> OciTransport::readRefs(std::stop_token stop) {
  STRATA_TRY(RegistryIndex state, readState(stop));
  RefListing listing;
  listing.isNew = state.refs.refs.empty() && state.merged.empty();
  listing.refs = std::move(state.refs.refs);
  return listing;
}

Result<void> OciTransport::putRecord(const RefUpdate& update, std::int64_t time,
                                     const RegistryIndex& before, const std::stop_token& stop) {
  STRATA_TRY(client_->putBlob(sha256(std::as_bytes(std::span(update.text))), update.text, stop));
  std::string manifest = recordManifest(update, time);
  // The same change was made before, and taken back, within this second.
  while (before.merged.contains(digitsOfTag(recordTag(manifest)))) {
    manifest = recordManifest(update, ++time);
  }
  // The tag for people first: the record makes the change.
  const std::string tag = update.text == kRemovedRef ? std::string() : readableTag(update.name);
  if (!tag.empty()) STRATA_TRY(client_->putManifest(tag, manifest, stop));
  return client_->putManifest(recordTag(manifest), manifest, stop);
}

/// Sums up all changes, so that readers need not read each of them.
Result<void> OciTransport::putIndex(const RegistryIndex& index, std::int64_t time,
                                    const std::stop_token& stop) {
  STRATA_TRY(const std::string document, serializeRegistryIndex(index));
  STRATA_TRY(client_->putBlob(sha256(std::as_bytes(std::span(document))), document, stop));
  return client_->putManifest(kIndexTag, indexManifest(document, time), stop);
}

Result<RefOutcome> OciTransport::advanceRefs(const RefPush& push, std::stop_token stop) {
  std::size_t tagBytes = 0;
  STRATA_TRY(const RegistryIndex before, readState(stop, &tagBytes));
  RegistryIndex wanted = before;
  if (!wanted.refs.apply(push.updates, push.before)) return RefOutcome::Overtaken;
  // Too long, it is refused before anything is written. Each change will add a hash.
  std::vector<RefUpdate> changes;
  for (const RefUpdate& update : push.updates) {
    if (before.refs.says(std::span(&update, 1))) continue;
    wanted.merged.insert("-" + hashOfRef(update.name));
    changes.push_back(update);
  }
  STRATA_TRY(checkTagsFit(tagBytes, changes));
  STRATA_TRY(serializeRegistryIndex(wanted));
  const std::int64_t now = secondsNow();
  // What can fail comes before the refs: plain files do no harm without them.
  if (push.plain) STRATA_TRY(putModelPack(*push.plain, now, stop));
  const auto sent = runAll(push.updates.size(), *client_, stop, [&](std::size_t i) -> Result<void> {
    const RefUpdate& update = push.updates[i];
    if (before.refs.says(std::span(&update, 1))) return {};
    return putRecord(update, now, before, stop);
  });
  // Whoever wrote at the same time shows now; all agree on whose change counts. Without a token:
  // who is told to stop must not call undone what others see.
  const auto after = readState({});
  if (!sent && !(after && after->refs.says(push.updates))) return fail(sent.error());
  if (!after) {
    return fail(after.error().code, after.error().message + "; others may see it, so run it again");
  }
  // The changes count without the index, too, and the next push adds them to it.
  static_cast<void>(putIndex(*after, now, stop));
  return after->refs.says(push.updates) ? RefOutcome::Advanced : RefOutcome::Overtaken;
}

}  // namespace strata::hub
