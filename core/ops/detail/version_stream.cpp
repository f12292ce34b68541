#include "core/ops/detail/version_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/codec/word_buffer.h"
#include "core/parallel.h"

namespace strata {
namespace {

constexpr std::uint64_t kPieceBytes = 1 << 18;
constexpr std::size_t kMostSlots = 32;

}  // namespace

Result<void> streamFile(const VersionReader& reader, std::size_t file, ByteSink& sink, bool verify,
                        const std::stop_token& stop, ProgressMeter& meter) {
  const archive::File& info = reader.manifest().files(static_cast<int>(file));
  const std::vector<std::uint64_t> ends = reader.pieces(file, kPieceBytes);
  const std::size_t pieceCount = ends.empty() ? 0 : ends.size() - 1;
  const std::size_t slotCount = std::clamp<std::size_t>(threadCount() + 1, 2, kMostSlots);
  std::vector<WordBuffer<std::byte>> buffers(slotCount);
  std::vector<std::span<std::byte>> pieces(slotCount);
  Sha256 hash;
  const auto decode = [&](std::size_t piece, std::size_t slot) -> Result<void> {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    pieces[slot] = buffers[slot].first(ends[piece + 1] - ends[piece]);
    return reader.read(file, ends[piece], pieces[slot]);
  };
  const auto deliver = [&](std::size_t, std::size_t slot) -> Result<void> {
    if (verify) hash.update(pieces[slot]);
    meter.add(pieces[slot].size(), info.path());
    return sink.append(pieces[slot]);
  };
  const Result<void> streamed = orderedPipeline(pieceCount, slotCount, decode, deliver);
  if (!streamed) return fail(streamed.error().within(info.path()));
  if (verify && digestFromBytes(info.sha256()) != hash.finish()) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: the restored bytes do not match their SHA-256", info.path()));
  }
  return {};
}

}  // namespace strata
