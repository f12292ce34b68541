#include "core/ops/detail/version_stream.h"

#include <vector>

#include "core/parallel.h"

namespace strata {
namespace {

/// Bytes of a file on their way out.
struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// Where to cut a range: where reading costs nothing extra.
std::vector<std::uint64_t> cutsOf(const VersionReader& reader, std::size_t file, FileRange range,
                                  std::uint64_t pieceBytes) {
  std::vector<std::uint64_t> cuts;
  if (range.begin == range.end) return cuts;
  cuts.push_back(range.begin);
  for (const std::uint64_t at : reader.pieces(file, pieceBytes)) {
    if (at > range.begin && at < range.end) cuts.push_back(at);
  }
  cuts.push_back(range.end);
  return cuts;
}

Result<void> streamRange(const VersionReader& reader, std::size_t file, FileRange range,
                         FileCheck check, ByteSink& sink, const std::stop_token& stop,
                         ProgressMeter& meter, PieceDecoder& decoder) {
  const std::string& path = reader.manifest().files[file].path;
  const std::vector<std::uint64_t> ends = cutsOf(reader, file, range, decoder.pieceBytes());
  const std::size_t pieceCount = ends.empty() ? 0 : ends.size() - 1;
  std::vector<std::span<const std::byte>> pieces(decoder.slotCount());
  const auto decode = [&](std::size_t piece, std::size_t slot) -> Result<void> {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    STRATA_TRY(pieces[slot],
               decoder.decode(reader, file, ends[piece], ends[piece + 1] - ends[piece], slot));
    return {};
  };
  const auto compare = [&](std::size_t, std::size_t slot) { return check.update(pieces[slot]); };
  const auto deliver = [&](std::size_t, std::size_t slot) -> Result<void> {
    meter.add(pieces[slot].size(), path);
    return sink.append(pieces[slot]);
  };
  const PipelineStage consumers[] = {compare, deliver};
  Result<void> streamed = orderedPipeline(pieceCount, decoder.slotCount(), decode, consumers);
  if (streamed) streamed = check.finish();
  if (!streamed) return fail(streamed.error().within(path));
  return {};
}

}  // namespace

Result<void> streamFile(const VersionReader& reader, std::size_t file, ByteSink& sink,
                        FileCheck::Level level, const std::stop_token& stop, ProgressMeter& meter,
                        PieceDecoder& decoder) {
  const ManifestFile& info = reader.manifest().files[file];
  return streamRange(reader, file, {0, info.byteCount}, FileCheck(info, level), sink, stop, meter,
                     decoder);
}

bool hasPieces(const VersionReader& reader, std::size_t file) {
  return FileCheck::hasPieces(reader.manifest().files[file]);
}

Result<void> streamPieces(const VersionReader& reader, std::size_t file, std::uint64_t begin,
                          std::uint64_t end, ByteSink& sink, const std::stop_token& stop,
                          ProgressMeter& meter, PieceDecoder& decoder) {
  const ManifestFile& info = reader.manifest().files[file];
  return streamRange(reader, file, {begin, end}, FileCheck(info, begin), sink, stop, meter,
                     decoder);
}

}  // namespace strata
