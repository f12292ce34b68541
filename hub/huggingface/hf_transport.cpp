#include "hub/huggingface/hf_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/transfer/text_source.h"
#include "hub/http/download.h"

namespace strata::hub {
namespace {

constexpr const char* kIndexPath = "strata/index.json";
constexpr const char* kAttributes = "objects/** filter=lfs diff=lfs merge=lfs -text\n";
constexpr std::size_t kSmallBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxPageBytes = std::size_t{1} << 20U;

std::string pathOf(const Digest& digest) {
  const std::string hex = toHex(digest);
  return fmt::format("objects/{}/{}", hex.substr(0, 2), hex);
}

}  // namespace

HfTransport::HfTransport(HttpSettings settings, std::string endpoint, HfRepository repository,
                         std::string token, bool privateIfMade, std::filesystem::path stateFolder)
    : api_(std::move(settings), std::move(endpoint), std::move(repository), std::move(token)),
      upload_(api_, std::move(stateFolder)),
      plain_(api_, upload_),
      privateIfMade_(privateIfMade) {}

std::string HfTransport::url() const { return "hf://" + api_.repository().id; }

Result<TransportTraits> HfTransport::probe(std::stop_token stop) {
  TransportTraits traits{.server = api_.host()};
  traits.afterRemoval =
      "their files stay in the repository until remote gc, and in its history after it";
  traits.afterSweep =
      "the repository's history still has them; to free the storage, delete them from the LFS "
      "files on its settings page";
  if (!api_.hasToken()) traits.notes.emplace_back("no token: public repositories can be read");
  const auto head = api_.headCommit(stop);
  if (!head && head.error().code != ErrorCode::NotFound) return fail(head.error());
  if (!head) traits.notes.emplace_back("there is no such repository yet, or it is private");
  return traits;
}

Result<std::map<Digest, HfFile>> HfTransport::filesAt(std::span<const RemoteObject> objects,
                                                      const std::stop_token& stop) {
  std::map<Digest, HfFile> found;
  if (objects.empty()) return found;
  std::string commit;
  {
    const std::scoped_lock lock(mutex_);
    commit = commit_;
  }
  if (commit.empty()) {
    auto head = api_.headCommit(stop);
    if (!head && head.error().code == ErrorCode::NotFound) return found;
    if (!head) return fail(std::move(head).error());
    commit = *std::move(head);
  }
  std::vector<std::string> paths;
  std::map<std::string, Digest> digests;
  for (const RemoteObject& object : objects) {
    paths.push_back(pathOf(object.digest));
    digests.emplace(paths.back(), object.digest);
  }
  STRATA_TRY(std::vector<HfFile> files, api_.pathsInfo(commit, paths, stop));
  for (HfFile& file : files) {
    const auto digest = digests.find(file.path);
    if (digest == digests.end()) continue;
    const bool isOther = !file.sha256.empty() && file.sha256 != toHex(digest->second);
    if (!isOther) found.insert_or_assign(digest->second, std::move(file));
  }
  return found;
}

Result<ObjectSizes> HfTransport::sizesOf(std::span<const RemoteObject> objects,
                                         std::stop_token stop) {
  STRATA_TRY(const auto files, filesAt(objects, stop));
  ObjectSizes sizes;
  for (const auto& [digest, file] : files) sizes[digest] = file.byteCount;
  return sizes;
}

/// The storage has what need not be sent; readers find what the tree names, too.
Result<ObjectsThere> HfTransport::has(std::span<const RemoteObject> objects, std::stop_token stop) {
  STRATA_TRY(const auto files, filesAt(objects, stop));
  const auto isListed = [&](const RemoteObject& object) {
    const auto file = files.find(object.digest);
    return file != files.end() && file->second.byteCount == object.byteCount;
  };
  ObjectsThere there;
  std::vector<RemoteObject> others;
  for (const RemoteObject& object : objects) {
    if (isListed(object) && files.at(object.digest).sha256.empty()) {
      there.kept.insert(object.digest);
    } else {
      others.push_back(object);
    }
  }
  auto stored = upload_.stored(others, stop);
  if (!stored && stored.error().code != ErrorCode::NotFound) return fail(stored.error());
  if (!stored) {
    const std::scoped_lock lock(mutex_);
    unasked_ = std::move(others);
  }
  if (stored) there.kept.insert(stored->begin(), stored->end());
  for (const RemoteObject& object : objects) {
    if (isListed(object) && there.kept.contains(object.digest)) {
      there.visible.insert(object.digest);
    }
  }
  return there;
}

Result<void> HfTransport::makeRepository(const std::stop_token& stop) {
  const std::scoped_lock lock(mutex_);
  if (isMade_) return {};
  const auto head = api_.headCommit(stop);
  if (!head) {
    if (head.error().code != ErrorCode::NotFound) return fail(head.error());
    if (!api_.hasToken()) {
      return fail(ErrorCode::LoginRequired,
                  url() + ": does not exist or is private, and there is no token");
    }
    STRATA_TRY(api_.createRepository(privateIfMade_, stop));
  }
  isMade_ = true;
  return {};
}

Result<void> HfTransport::askForUnasked(const std::stop_token& stop) {
  const std::scoped_lock lock(mutex_);
  if (unasked_.empty()) return {};
  const std::vector<RemoteObject> objects = std::exchange(unasked_, {});
  STRATA_TRY(upload_.stored(objects, stop));
  return {};
}

Result<void> HfTransport::keepForCommit(const RemoteObject& object, const ObjectSource& source) {
  const std::uint64_t kept = object.byteCount <= kSmallBytes
                                 ? object.byteCount
                                 : std::min<std::uint64_t>(kSampleBytes, object.byteCount);
  std::string bytes(kept, '\0');
  STRATA_TRY(source.read(0, std::as_writable_bytes(std::span(bytes))));
  Sent sent{bytes.substr(0, kSampleBytes), {}};
  if (object.byteCount <= kSmallBytes) sent.content = std::move(bytes);
  const std::scoped_lock lock(mutex_);
  sent_.insert_or_assign(object.digest, std::move(sent));
  return {};
}

Result<void> HfTransport::put(const RemoteObject& object, const ObjectSource& source,
                              std::stop_token stop, const TransferMeter& meter) {
  STRATA_TRY(makeRepository(stop));
  STRATA_TRY(askForUnasked(stop));
  STRATA_TRY(keepForCommit(object, source));
  return upload_.put(object, source, stop, meter);
}

Result<void> HfTransport::replace(const RemoteObject& object, const ObjectSource& source,
                                  std::stop_token stop, const TransferMeter& meter) {
  STRATA_TRY(const auto files, filesAt(std::span(&object, 1), stop));
  const auto file = files.find(object.digest);
  if (file != files.end() && !file->second.sha256.empty()) {
    STRATA_TRY(const std::set<Digest> stored, upload_.stored(std::span(&object, 1), stop));
    if (stored.contains(object.digest)) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("object {}: the hub takes no other bytes for a hash that it has; "
                              "delete {} from the repository's LFS files on its settings page, "
                              "then push --repair again",
                              toHex(object.digest), file->second.path));
    }
  }
  return put(object, source, stop, meter);
}

Result<void> HfTransport::get(const RemoteObject& object, std::uint64_t firstByte, ObjectSink& sink,
                              std::stop_token stop, const TransferMeter& meter) {
  Download job;
  {
    const std::scoped_lock lock(mutex_);
    job.request = api_.fileRequest(commit_.empty() ? api_.repository().revision : commit_,
                                   pathOf(object.digest));
  }
  job.byteCount = object.byteCount;
  job.firstByte = firstByte;
  job.sink = &sink;
  STRATA_TRY(const HttpResponse answer, download(api_.client(), job, stop, meter));
  if (answer.succeeded()) return {};
  return fail(api_.failure(answer, "fetching object " + toHex(object.digest)));
}

Result<PlainPlan> HfTransport::planPlain(const PlainSet& plain, std::stop_token stop) {
  return plain_.plan(plain, stop);
}

Result<void> HfTransport::putPlain(const PlainFile& file, const ObjectSource& source,
                                   std::stop_token stop, const TransferMeter& meter) {
  STRATA_TRY(makeRepository(stop));
  return plain_.put(file, source, stop, meter);
}

Result<std::size_t> HfTransport::abandonUploads(std::stop_token /*stop*/) {
  return upload_.forgetLeft();
}

Result<HfTransport::Head> HfTransport::readHead(const std::stop_token& stop) {
  Head head;
  STRATA_TRY(head.commit, api_.headCommit(stop));
  {
    const std::scoped_lock lock(mutex_);
    commit_ = head.commit;
    isMade_ = true;
    if (seen_.commit == head.commit) return seen_;  // a commit never says anything else
  }
  STRATA_TRY(const auto text, api_.readFile(head.commit, kIndexPath, kMaxIndexBytes, stop));
  if (text) {
    STRATA_TRY(head.index, parseRefIndex(*text, url() + "/" + kIndexPath));
  }
  const std::scoped_lock lock(mutex_);
  seen_ = head;
  return head;
}

void HfTransport::know(const RefListing& listing) {
  if (listing.revision.empty() || listing.refs.empty()) return;
  const std::scoped_lock lock(mutex_);
  if (seen_.commit.empty()) seen_ = {listing.revision, RefIndex{listing.refs}};
}

Result<std::vector<StockedObject>> HfTransport::listObjects(std::stop_token stop) {
  std::vector<StockedObject> found;
  STRATA_TRY(const std::string head, api_.headCommit(stop));
  STRATA_TRY(const std::vector<HfFile> files, api_.listFiles(head, stop));
  for (const HfFile& file : files) {
    const auto digest = digestFromHex(file.path.substr(file.path.rfind('/') + 1));
    if (digest && pathOf(*digest) == file.path) found.push_back({*digest, file.byteCount, {}});
  }
  return found;
}

/// Each push names all of its objects in its commit, so one that is made after this brings back
/// what it needs.
Result<Sweep> HfTransport::sweep(const RefListing& seen, std::span<const Digest> objects,
                                 std::stop_token stop) {
  constexpr std::size_t kMostFiles = 1000;  // of one commit
  objects = objects.first(std::min(objects.size(), kMostFiles));
  std::vector<HfCommitFile> files;
  for (const Digest& digest : objects) {
    files.push_back({.path = pathOf(digest), .isDeleted = true});
  }
  STRATA_TRY(const HfCommit done,
             api_.commit(files, "remove objects without versions", seen.revision, stop));
  return done == HfCommit::Done ? Sweep{RefOutcome::Advanced, objects.size()}
                                : Sweep{RefOutcome::Overtaken, 0};
}

Result<RefListing> HfTransport::readRefs(std::stop_token stop) {
  STRATA_TRY(Head head, readHead(stop));
  RefListing listing;
  listing.revision = head.commit;
  listing.isNew = !head.index;
  if (head.index) listing.refs = std::move(head.index->refs);
  return listing;
}

/// The hub takes no more than some 10 MB of regular files.
Result<HfCommitFile> HfTransport::indexInLfs(const std::string& list, const std::stop_token& stop) {
  const RemoteObject object{sha256(std::as_bytes(std::span(list))), list.size()};
  STRATA_TRY(upload_.put(object, TextSource(list), stop, {}));
  return HfCommitFile{kIndexPath, {}, toHex(object.digest), object.byteCount};
}

Result<void> HfTransport::addObjects(const RefPush& push, std::string list,
                                     const std::stop_token& stop,
                                     std::vector<HfCommitFile>& files) {
  std::set<Digest> seen;
  std::vector<HfCommitFile> objects;
  std::vector<HfCommitFile> asked{{.path = kIndexPath, .byteCount = list.size()}};
  std::vector<std::string> samples{list.substr(0, kSampleBytes)};
  std::map<std::string, std::string> contents;
  for (const RefUpdate& update : push.updates) {
    for (const RemoteObject& object : update.objects) {
      if (!seen.insert(object.digest).second) continue;
      objects.push_back({pathOf(object.digest), {}, toHex(object.digest), object.byteCount});
      const std::scoped_lock lock(mutex_);
      const auto sent = sent_.find(object.digest);
      if (sent == sent_.end()) continue;
      asked.push_back(objects.back());
      samples.push_back(sent->second.sample);
      contents.emplace(objects.back().path, sent->second.content);
    }
  }
  STRATA_TRY(const std::vector<std::string> regular,
             api_.regularPaths(asked, samples, kAttributes, stop));
  const auto isRegular = [&](const std::string& path) {
    return std::find(regular.begin(), regular.end(), path) != regular.end();
  };
  HfCommitFile index{kIndexPath, {}};
  if (isRegular(kIndexPath)) {
    index.content = std::move(list);
  } else {
    STRATA_TRY(index, indexInLfs(list, stop));
  }
  files.push_back(std::move(index));
  for (HfCommitFile& object : objects) {
    // The server may name files that it was not asked about; those are there.
    const auto content = contents.find(object.path);
    if (content != contents.end() && isRegular(object.path)) {
      if (object.byteCount > kSmallBytes) {
        return fail(ErrorCode::Unsupported,
                    fmt::format("{}: wants {} of {} bytes as a regular file", url(), object.path,
                                object.byteCount));
      }
      object.content = content->second;
      object.sha256.clear();
    }
    files.push_back(std::move(object));
  }
  return {};
}

Result<void> HfTransport::addPages(const RefPush& push, const Head& head,
                                   const std::stop_token& stop, std::vector<HfCommitFile>& files) {
  for (const auto& [path, text] : push.cards) {
    const auto there = api_.readFile(head.commit, path, kMaxPageBytes, stop);
    // One that is too long to be ours is somebody's.
    if (!there && there.error().code == ErrorCode::CorruptData) continue;
    if (!there) return fail(there.error());
    const bool isOurs = !*there || (*there)->find(kPageMark) != std::string::npos;
    if (isOurs && (!*there || **there != text)) files.push_back({path, text});
  }
  return {};
}

Result<std::vector<HfCommitFile>> HfTransport::filesOf(const RefPush& push, const Head& head,
                                                       const RefIndex& index,
                                                       const std::stop_token& stop) {
  STRATA_TRY(std::string list, serializeRefIndex(index));
  std::vector<HfCommitFile> files;
  if (!head.index) {
    STRATA_TRY(const auto there, api_.readFile(head.commit, kAttributesPath, kMaxPageBytes, stop));
    const std::string before = there.value_or("");
    if (before.find(kAttributes) == std::string::npos) {
      files.push_back({kAttributesPath, before + kAttributes});
    }
  }
  STRATA_TRY(addPages(push, head, stop, files));
  STRATA_TRY(addObjects(push, std::move(list), stop, files));
  if (push.plain) STRATA_TRY(plain_.addTo(files, *push.plain, head.commit, stop));
  return files;
}

Result<RefOutcome> HfTransport::advanceRefs(const RefPush& push, std::stop_token stop) {
  STRATA_TRY(makeRepository(stop));
  STRATA_TRY(Head head, readHead(stop));
  const RetryPolicy& retry = api_.client().settings().retry;
  for (unsigned attempt = 1; attempt <= retry.tries; ++attempt) {
    RefIndex index = head.index.value_or(RefIndex{});
    if (!index.apply(push.updates, push.before)) return RefOutcome::Overtaken;
    STRATA_TRY(const std::vector<HfCommitFile> files, filesOf(push, head, index, stop));
    STRATA_TRY(const HfCommit done, api_.commit(files, push.summary, head.commit, stop));
    if (done == HfCommit::Done) return RefOutcome::Advanced;
    if (done != HfCommit::ParentMoved) {
      api_.client().settings().clock->sleep(waitBefore(attempt + 1, retry, {}), stop);
      if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    }
    // Another's commit may have moved other refs only; and ours may have been made after all.
    STRATA_TRY(head, readHead(stop));
    if (done == HfCommit::Unclear && head.index && head.index->says(push.updates)) {
      return RefOutcome::Advanced;
    }
  }
  return fail(ErrorCode::Network,
              fmt::format("{}: the commit did not go through in {} tries; all objects are there, "
                          "push again",
                          url(), retry.tries));
}

}  // namespace strata::hub
