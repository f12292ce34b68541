#include "hub/bundle/bundle_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/io/free_space.h"
#include "core/io/os_error.h"
#include "core/io/special_file.h"
#include "core/store/store_location.h"
#include "hub/append_file.h"
#include "hub/bundle/tar_header.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
constexpr const char* kRefsName = "refs/00000000000000000001";
constexpr const char* kMarkerName = "strata.json";

std::string nameOf(const Digest& digest) {
  const std::string hex = toHex(digest);
  return fmt::format("objects/{}/{}", hex.substr(0, 2), hex);
}

std::uint64_t paddingOf(std::uint64_t byteCount) noexcept {
  return (kTarBlockBytes - byteCount % kTarBlockBytes) % kTarBlockBytes;
}

fs::path folderOf(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

Result<std::unique_ptr<BundleTransport>> BundleTransport::create(const fs::path& file,
                                                                 bool replace) {
  STRATA_TRY(refuseInsideStore(file));
  STRATA_TRY(refuseSpecial(file));
  std::error_code status;
  if (!replace && fs::exists(file, status)) {
    return fail(ErrorCode::InvalidArgument, file.string() + ": already exists");
  }
  std::unique_ptr<BundleTransport> bundle(new BundleTransport(file));
  bundle->replace_ = replace;
  constexpr std::string_view kTemporaryPrefix = ".strata-bundle";
  OwnedFile::removeDead(folderOf(file), kTemporaryPrefix);
  STRATA_TRY(bundle->new_, OwnedFile::make(folderOf(file), kTemporaryPrefix));
  return bundle;
}

Result<std::unique_ptr<BundleTransport>> BundleTransport::open(const fs::path& file) {
  std::unique_ptr<BundleTransport> bundle(new BundleTransport(file));
  STRATA_TRY(bundle->mapped_, MappedFile::open(file));
  STRATA_TRY(bundle->readEntries());
  return bundle;
}

Result<void> BundleTransport::readEntries() {
  const auto bytes = mapped_->bytes();
  const auto damaged = [&](std::uint64_t at, std::string_view why) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: {} at byte {} of {}", file_.string(), why, at, bytes.size()));
  };
  const auto cut = [&](std::uint64_t at) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: is cut at byte {}: what begins at byte {} goes on beyond that",
                            file_.string(), bytes.size(), at));
  };
  std::uint64_t at = 0;
  while (at + kTarBlockBytes <= bytes.size()) {
    const auto block = bytes.subspan(at).first<kTarBlockBytes>();
    if (isTarEnd(block)) break;
    const auto entry = readTarHeader(block);
    if (!entry) return damaged(at, "is no bundle, or damaged");
    at += kTarBlockBytes;
    if (entry->byteCount > bytes.size() - at) return cut(at);
    entries_.emplace(entry->name, Entry{at, entry->byteCount});
    at += entry->byteCount + std::min(paddingOf(entry->byteCount), bytes.size() - at);
  }
  const auto refs = entries_.find(kRefsName);
  if (refs == entries_.end() || !entries_.contains(kMarkerName)) {
    return damaged(at, "lacks the list of versions: is no bundle, or cut");
  }
  const auto text = bytes.subspan(refs->second.offset, refs->second.byteCount);
  STRATA_TRY(index_, parseRefIndex({reinterpret_cast<const char*>(text.data()), text.size()},
                                   file_.string()));
  return {};
}

Result<TransportTraits> BundleTransport::probe(std::stop_token) {
  TransportTraits traits{.server = "bundle"};
  if (!new_) traits.refs = RefSafety::ReadOnly;
  return traits;
}

Result<ObjectSizes> BundleTransport::sizesOf(std::span<const RemoteObject> objects,
                                             std::stop_token) {
  ObjectSizes found;
  for (const RemoteObject& object : objects) {
    const auto entry = entries_.find(nameOf(object.digest));
    if (entry != entries_.end()) found[object.digest] = entry->second.byteCount;
  }
  return found;
}

Result<void> BundleTransport::appendHeader(const std::string& name, std::uint64_t byteCount) {
  STRATA_TRY((*new_)->append(writeTarHeader({name, byteCount})));
  entries_.emplace(name, Entry{(*new_)->byteCount(), byteCount});
  return {};
}

Result<void> BundleTransport::appendPadding(std::uint64_t byteCount) {
  return (*new_)->append(std::vector<std::byte>(byteCount));
}

Result<void> BundleTransport::appendText(const std::string& name, const std::string& text) {
  STRATA_TRY(appendHeader(name, text.size()));
  STRATA_TRY((*new_)->append(std::as_bytes(std::span(text))));
  return appendPadding(paddingOf(text.size()));
}

Result<void> BundleTransport::checkSpace(std::uint64_t byteCount) {
  std::error_code status;
  const auto free = checkFreeSpace(std::filesystem::absolute(folderOf(file_), status), byteCount);
  if (!free) return fail(free.error().within(file_.string()));
  return {};
}

Result<void> BundleTransport::put(const RemoteObject& object, const ObjectSource& source,
                                  std::stop_token stop, const TransferMeter& meter) {
  const std::scoped_lock lock(writing_);
  if (problem_) {
    // An object of the store would be taken for damaged, too. A push ends with its signatures.
    const bool isOfStore = object.kind != RemoteObject::Kind::Signatures;
    return fail(isOfStore ? ErrorCode::Io : problem_->code,
                "was not written after this: " + problem_->message);
  }
  const auto done = append(object, source, stop, meter);
  if (!done) problem_ = done.error();
  return done;
}

Result<void> BundleTransport::append(const RemoteObject& object, const ObjectSource& source,
                                     const std::stop_token& stop, const TransferMeter& meter) {
  STRATA_TRY(appendHeader(nameOf(object.digest), object.byteCount));
  Sha256 hash;
  std::vector<std::byte> block;
  for (std::uint64_t offset = 0; offset < object.byteCount; offset += block.size()) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    block.resize(std::min<std::uint64_t>(kBlockBytes, object.byteCount - offset));
    STRATA_TRY(source.read(offset, block));
    hash.update(block);
    STRATA_TRY((*new_)->append(block));
    if (meter) meter(static_cast<std::int64_t>(block.size()));
  }
  if (hash.finish() != object.digest) {
    return fail(ErrorCode::CorruptData,
                fmt::format("object {}: its bytes in this store do not match its hash; \"strata "
                            "verify\" says more",
                            toHex(object.digest)));
  }
  return appendPadding(paddingOf(object.byteCount));
}

Result<void> BundleTransport::get(const RemoteObject& object, std::uint64_t firstByte,
                                  ObjectSink& sink, std::stop_token stop,
                                  const TransferMeter& meter) {
  const auto entry = entries_.find(nameOf(object.digest));
  if (entry == entries_.end()) {
    return fail(ErrorCode::NotFound,
                fmt::format("object {} is not in {}", toHex(object.digest), file_.string()));
  }
  if (entry->second.byteCount != object.byteCount || firstByte > object.byteCount) {
    return fail(ErrorCode::CorruptData,
                fmt::format("object {} in {} has {} bytes, expected {}", toHex(object.digest),
                            file_.string(), entry->second.byteCount, object.byteCount));
  }
  const std::uint64_t begin = entry->second.offset;
  return appendFile(file_, begin + firstByte, begin + object.byteCount, sink, stop, meter);
}

Result<RefListing> BundleTransport::readRefs(std::stop_token) {
  return RefListing{index_.refs, {}};
}

Result<RefOutcome> BundleTransport::advanceRefs(const RefPush& push, std::stop_token) {
  if (problem_) return fail(*problem_);
  if (!index_.apply(push.updates, push.before)) return RefOutcome::Overtaken;
  STRATA_TRY(const std::string text, serializeRefIndex(index_));
  STRATA_TRY(appendText(kRefsName, text));
  STRATA_TRY(appendText(kMarkerName, fmt::format("{{\"format\":{}}}\n", kIndexFormat)));
  // An archive ends with two blocks of zeros.
  STRATA_TRY(appendPadding(2 * kTarBlockBytes));
  STRATA_TRY(replace_ ? (*new_)->moveTo(file_) : (*new_)->moveToNew(file_));
  return RefOutcome::Advanced;
}

}  // namespace strata::hub
