#include "core/ops/exchange/detail/push/plain_push.h"

#include <algorithm>
#include <tuple>

#include "core/archive/read/restored_pieces.h"
#include "core/ops/detail/version_stream.h"
#include "core/progress_meter.h"
#include "core/store/objects/version_chain.h"
#include "core/transfer/transfer_queue.h"

namespace strata {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostPieceBytes = std::uint64_t{4} << 20U;

/// A file that is restored while it is read; the piece that was read last is kept.
class RestoredSource final : public ObjectSource {
 public:
  RestoredSource(const VersionReader& reader, std::size_t file, std::uint64_t byteCount)
      : reader_(reader),
        file_(file),
        byteCount_(byteCount),
        cuts_(restoredPieces(reader, file, kPieceBytes, kMostPieceBytes)) {}

  std::uint64_t byteCount() const noexcept override { return byteCount_; }

  Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
    while (!out.empty()) {
      STRATA_TRY(hold(offset));
      const auto kept = std::span<const std::byte>(piece_).subspan(offset - pieceBegin_);
      const std::size_t n = std::min(kept.size(), out.size());
      std::copy_n(kept.begin(), n, out.begin());
      out = out.subspan(n);
      offset += n;
    }
    return {};
  }

 private:
  Result<void> hold(std::uint64_t offset) const {
    if (offset >= pieceBegin_ && offset - pieceBegin_ < piece_.size()) return {};
    const auto next = std::upper_bound(cuts_.begin(), cuts_.end(), offset);
    pieceBegin_ = *(next - 1);
    piece_.resize(*next - pieceBegin_);
    Result<void> restored = reader_.read(file_, pieceBegin_, piece_);
    if (!restored) piece_.clear();
    return restored;
  }

  const VersionReader& reader_;
  std::size_t file_;
  std::uint64_t byteCount_;
  std::vector<std::uint64_t> cuts_;
  mutable std::uint64_t pieceBegin_ = 0;
  mutable std::vector<std::byte> piece_;
};

/// Compares a file with its SHA-256, by which other tools know it, before any of it leaves.
Result<void> checkFile(const VersionReader& reader, std::size_t file, const std::stop_token& stop) {
  STRATA_TRY(PieceDecoder decoder, PieceDecoder::make(nullptr, 0));
  const ProgressSink silent;
  ProgressMeter meter(silent, {}, 0);
  NullSink sink;
  return streamFile(reader, file, sink, FileCheck::Level::Sha256, stop, meter, decoder);
}

std::uint64_t sumOf(const std::vector<PlainFile>& files) {
  std::uint64_t bytes = 0;
  for (const PlainFile& file : files) bytes += file.byteCount;
  return bytes;
}

}  // namespace

Result<PlainPush> PlainPush::open(const Store& store, const VersionEntry& version,
                                  std::string label) {
  PlainPush push;
  STRATA_TRY(push.reader_, openVersion(store, version.contentDigest));
  push.set_.version = std::move(label);
  for (const ManifestFile& file : push.reader_->manifest().files) {
    push.set_.files.push_back({file.path, file.byteCount, file.sha256});
  }
  std::sort(push.set_.files.begin(), push.set_.files.end(),
            [](const PlainFile& a, const PlainFile& b) { return a.path < b.path; });
  return push;
}

Result<void> PlainPush::plan(Transport& remote, const std::stop_token& stop) {
  STRATA_TRY(plan_, remote.planPlain(set_, stop));
  std::erase_if(set_.files, [&](const PlainFile& file) {
    return std::find(plan_.reserved.begin(), plan_.reserved.end(), file) != plan_.reserved.end();
  });
  return {};
}

Result<void> PlainPush::send(Transport& remote, unsigned parallel, const std::stop_token& stop,
                             const ProgressSink& progress) const {
  ProgressMeter meter(progress, "sending plain files", sumOf(plan_.missing));
  const auto& stored = reader_->manifest().files;
  const auto results =
      runTransfers(plan_.missing.size(), parallel, stop, [&](std::size_t i) -> Result<void> {
        const PlainFile& file = plan_.missing[i];
        const auto found = std::find_if(stored.begin(), stored.end(), [&](const ManifestFile& one) {
          return one.path == file.path;
        });
        const auto number = static_cast<std::size_t>(found - stored.begin());
        STRATA_TRY(checkFile(*reader_, number, stop));
        const RestoredSource source(*reader_, number, file.byteCount);
        return remote.putPlain(file, source, stop, [&](std::int64_t bytes) {
          meter.add(static_cast<std::uint64_t>(bytes), file.path);
        });
      });
  meter.finish({});
  for (const Result<void>& result : results) STRATA_TRY(result);
  return {};
}

std::optional<PlainSet> PlainPush::change() const {
  if (plan_.missing.empty() && plan_.standing == set_.version) return std::nullopt;
  return set_;
}

PushReport::Plain PlainPush::report() const {
  PushReport::Plain report{
      set_.version, set_.files.size(), sumOf(set_.files), sumOf(plan_.missing), {}};
  for (const PlainFile& file : plan_.reserved) report.leftOut.push_back(file.path);
  return report;
}

Result<std::string> standingPlain(Transport& remote, const std::stop_token& stop) {
  STRATA_TRY(PlainPlan plan, remote.planPlain({}, stop));
  return std::move(plan.standing);
}

const VersionEntry& plainVersionOf(const std::vector<VersionEntry>& named) {
  return *std::max_element(named.begin(), named.end(),
                           [](const VersionEntry& a, const VersionEntry& b) {
                             return std::tuple(!a.isBase(), a.addedAt, a.number) <
                                    std::tuple(!b.isBase(), b.addedAt, b.number);
                           });
}

}  // namespace strata
