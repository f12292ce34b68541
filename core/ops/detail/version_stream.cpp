#include "core/ops/detail/version_stream.h"

#include <vector>

#include "core/parallel.h"

namespace strata {

Result<void> streamFile(const VersionReader& reader, std::size_t file, ByteSink& sink,
                        FileCheck::Level level, const std::stop_token& stop, ProgressMeter& meter,
                        PieceDecoder& decoder) {
  const ManifestFile& info = reader.manifest().files[file];
  const std::vector<std::uint64_t> ends = reader.pieces(file, decoder.pieceBytes());
  const std::size_t pieceCount = ends.empty() ? 0 : ends.size() - 1;
  std::vector<std::span<const std::byte>> pieces(decoder.slotCount());
  FileCheck whole(info, level);
  const auto decode = [&](std::size_t piece, std::size_t slot) -> Result<void> {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    STRATA_TRY(pieces[slot],
               decoder.decode(reader, file, ends[piece], ends[piece + 1] - ends[piece], slot));
    return {};
  };
  const auto check = [&](std::size_t, std::size_t slot) { return whole.update(pieces[slot]); };
  const auto deliver = [&](std::size_t, std::size_t slot) -> Result<void> {
    meter.add(pieces[slot].size(), info.path);
    return sink.append(pieces[slot]);
  };
  const PipelineStep consumers[] = {check, deliver};
  Result<void> streamed = orderedPipeline(pieceCount, decoder.slotCount(), decode, consumers);
  if (streamed) streamed = whole.finish();
  if (!streamed) return fail(streamed.error().within(info.path));
  return {};
}

}  // namespace strata
