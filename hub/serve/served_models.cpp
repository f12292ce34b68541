#include "hub/serve/served_models.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/archive/read/restored_pieces.h"
#include "core/parallel.h"
#include "core/store/objects/version_chain.h"

namespace strata::hub {
namespace {

constexpr std::size_t kMostOpenVersions = 4;
constexpr std::uint64_t kPieceBytes = 1 << 18;
/// Where the coding gives longer pieces, they are cut: the reader keeps the block it is in.
constexpr std::uint64_t kMostPieceBytes = 4 << 20;
constexpr std::size_t kCommitDigits = 40;
constexpr std::size_t kLeastCommitDigits = 7;

bool isHex(std::string_view text) noexcept {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// A restored file, piece by piece.
class FileBytes final : public BodySource {
 public:
  FileBytes(std::shared_ptr<const ServedVersion> version, std::uint32_t file, PieceCache& pieces,
            DecodeThreads& threads, std::size_t aheadCount)
      : version_(std::move(version)),
        file_(file),
        pieces_(pieces),
        threads_(threads),
        aheadCount_(aheadCount) {}

  Result<std::span<const std::byte>> read(std::uint64_t offset) override {
    const std::vector<std::uint64_t>& cuts = version_->cuts(file_);
    const auto next = std::upper_bound(cuts.begin(), cuts.end(), offset);
    const auto piece = static_cast<std::uint32_t>(next - cuts.begin() - 1);
    readAhead(piece + 1, cuts.size() - 1);
    STRATA_TRY(piece_, restored(piece));
    const std::span<const std::byte> bytes(piece_->data(), piece_->size());
    return bytes.subspan(offset - cuts[piece]);
  }

 private:
  Result<PieceCache::Piece> restored(std::uint32_t piece) {
    if (auto held = pieces_.find({version_->content(), file_, piece})) return held;
    Result<PieceCache::Piece> made;
    threads_.run([&] { made = get(version_, file_, piece, pieces_); });
    return made;
  }

  static Result<PieceCache::Piece> get(const std::shared_ptr<const ServedVersion>& version,
                                       std::uint32_t file, std::uint32_t piece,
                                       PieceCache& pieces) {
    const std::vector<std::uint64_t>& cuts = version->cuts(file);
    const std::uint64_t begin = cuts[piece];
    return pieces.get(
        {version->content(), file, piece}, cuts[piece + 1] - begin,
        [&](std::span<std::byte> out) { return version->reader().read(file, begin, out); });
  }

  void readAhead(std::uint32_t first, std::size_t pieceCount) {
    const std::size_t end = std::min<std::size_t>(first + aheadCount_, pieceCount);
    for (std::uint32_t piece = first; piece < end; ++piece) {
      if (pieces_.knows({version_->content(), file_, piece})) continue;
      threads_.offer([version = version_, file = file_, piece, &pieces = pieces_] {
        // Whoever sends the piece reports what is wrong with it.
        static_cast<void>(get(version, file, piece, pieces));
      });
    }
  }

  std::shared_ptr<const ServedVersion> version_;
  std::uint32_t file_;
  PieceCache& pieces_;
  DecodeThreads& threads_;
  std::size_t aheadCount_;
  PieceCache::Piece piece_;  // what read() gave out
};

}  // namespace

std::string commitOf(const Digest& content) { return toHex(content).substr(0, kCommitDigits); }

ServedVersion::ServedVersion(Digest content, std::shared_ptr<const VersionReader> reader)
    : content_(content), reader_(std::move(reader)) {
  for (const ManifestFile& file : reader_->manifest().files) {
    files_.push_back({file.path, file.byteCount, file.sha256});
  }
}

int ServedVersion::find(std::string_view path) const noexcept {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].path == path) return static_cast<int>(i);
  }
  return -1;
}

const std::vector<std::uint64_t>& ServedVersion::cuts(std::uint32_t file) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t>& cuts = cuts_[file];
  if (cuts.empty()) cuts = restoredPieces(*reader_, file, kPieceBytes, kMostPieceBytes);
  return cuts;
}

ServedModels::ServedModels(const Store& store, std::uint64_t memoryBytes)
    : store_(store),
      pieces_(memoryBytes),
      // A small cache must not lose what was read ahead before it is sent.
      aheadCount_(std::min<std::size_t>(2 * threadCount(), memoryBytes / (16 * kPieceBytes))),
      threads_(threadCount()) {}

Result<std::vector<VersionEntry>> ServedModels::versions(const std::string& name) const {
  return store_.catalog().versionsOf(name);
}

Result<std::vector<VersionEntry>> ServedModels::newest() const {
  STRATA_TRY(const std::vector<VersionEntry> all, store_.catalog().versions());
  std::vector<VersionEntry> newest;
  for (const VersionEntry& entry : all) {
    if (!newest.empty() && newest.back().name == entry.name) newest.pop_back();
    newest.push_back(entry);
  }
  return newest;
}

Result<VersionEntry> ServedModels::resolve(const std::string& name,
                                           const std::string& revision) const {
  if (revision == "main") return store_.resolveChecked(name);
  auto named = store_.resolveChecked(name + ":" + revision);
  if (named || !isHex(revision) || revision.size() < kLeastCommitDigits) return named;
  STRATA_TRY(const std::vector<VersionEntry> found, store_.catalog().withHash(revision));
  for (const VersionEntry& entry : found) {
    if (entry.name == name && toHex(entry.contentDigest).starts_with(revision)) return entry;
  }
  return named;
}

Result<std::shared_ptr<const ServedVersion>> ServedModels::open(const VersionEntry& entry) {
  {
    const std::lock_guard lock(mutex_);
    for (auto it = open_.begin(); it != open_.end(); ++it) {
      if ((*it)->content() != entry.contentDigest) continue;
      open_.splice(open_.begin(), open_, it);
      return open_.front();
    }
  }
  auto reader = openVersion(store_, entry.contentDigest);
  if (!reader) return fail(reader.error().within("opening " + entry.label()));
  auto opened = std::make_shared<const ServedVersion>(entry.contentDigest, *std::move(reader));
  const std::lock_guard lock(mutex_);
  for (const auto& other : open_) {  // opened meanwhile by another thread: share its caches
    if (other->content() == entry.contentDigest) return other;
  }
  open_.push_front(opened);
  if (open_.size() > kMostOpenVersions) open_.pop_back();
  return opened;
}

std::unique_ptr<BodySource> ServedModels::bytes(std::shared_ptr<const ServedVersion> version,
                                                std::uint32_t file) {
  return std::make_unique<FileBytes>(std::move(version), file, pieces_, threads_, aheadCount_);
}

}  // namespace strata::hub
