#include "core/ops/inspect/restore_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/archive/piece_checksums.h"
#include "core/ops/detail/version_stream.h"
#include "core/ops/inspect/detail/tensor_lookup.h"
#include "core/progress_meter.h"
#include "core/store/objects/version_chain.h"

namespace strata {
namespace {

/// Bytes of a file that go to memory of the caller.
struct TensorPlace {
  std::uint64_t begin = 0;
  std::span<std::byte> out;

  std::uint64_t end() const noexcept { return begin + out.size(); }
};

/// The places of one file, in its order.
using TensorPlaces = std::vector<TensorPlace>;

/// Takes bytes of a file in their order, from an offset on, and copies those that have a place.
class TensorSink final : public ByteSink {
 public:
  /// `places` are sorted and outlive the sink.
  TensorSink(std::span<const TensorPlace> places, std::uint64_t offset)
      : places_(places), offset_(offset) {}

  Result<void> append(std::span<const std::byte> bytes) override {
    const std::uint64_t end = offset_ + bytes.size();
    for (const TensorPlace& place : places_) {
      if (place.begin >= end) break;
      const std::uint64_t from = std::max(place.begin, offset_);
      const std::uint64_t until = std::min(place.end(), end);
      if (from >= until) continue;
      std::memcpy(place.out.data() + (from - place.begin), bytes.data() + (from - offset_),
                  until - from);
    }
    offset_ = end;
    while (!places_.empty() && places_.front().end() <= offset_) places_ = places_.subspan(1);
    return {};
  }

 private:
  std::span<const TensorPlace> places_;
  std::uint64_t offset_;
};

std::string typeAndShape(ElementType type, const std::vector<std::uint64_t>& shape) {
  return fmt::format("{} [{}]", name(type), fmt::join(shape, ", "));
}

Result<void> checkTarget(const ViewedTensor& tensor, const TensorTarget& target) {
  if (tensor.type != target.type || tensor.shape != target.shape) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is {}, asked for as {}", tensor.name,
                                                        typeAndShape(tensor.type, tensor.shape),
                                                        typeAndShape(target.type, target.shape)));
  }
  if (tensor.byteCount != target.out.size()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} has {} bytes, the memory for it {}", tensor.name, tensor.byteCount,
                            target.out.size()));
  }
  return {};
}

/// By the number of the file.
Result<std::map<std::size_t, TensorPlaces>> placesOf(const ModelView& view,
                                                     const std::vector<TensorTarget>& targets) {
  const TensorLookup lookup(view);
  std::map<std::size_t, TensorPlaces> places;
  for (const TensorTarget& target : targets) {
    // An array without elements is in no version.
    if (target.out.empty() && std::ranges::count(target.shape, 0U) > 0) continue;
    STRATA_TRY(const ViewedTensor* const tensor, lookup.find(target.name));
    STRATA_TRY(checkTarget(*tensor, target));
    places[tensor->file].push_back({tensor->offset, target.out});
  }
  for (auto& [file, list] : places) {
    std::stable_sort(list.begin(), list.end(),
                     [](const TensorPlace& a, const TensorPlace& b) { return a.begin < b.begin; });
  }
  return places;
}

/// A run of pieces of a file, and the places that lie in them.
struct PieceRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t firstPlace = 0;
};

/// The runs of pieces that hold the places: as few bytes as can be checked.
std::vector<PieceRun> runsOf(const TensorPlaces& places, std::uint64_t fileBytes) {
  std::vector<PieceRun> runs;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::uint64_t begin = places[i].begin / kCheckedPieceBytes * kCheckedPieceBytes;
    const std::uint64_t past = places[i].end() + kCheckedPieceBytes - 1;
    const std::uint64_t end = std::min(past / kCheckedPieceBytes * kCheckedPieceBytes, fileBytes);
    if (runs.empty() || begin > runs.back().end) {
      runs.push_back({begin, end, i});
    } else {
      runs.back().end = std::max(runs.back().end, end);
    }
  }
  return runs;
}

Result<void> fillPlaces(const VersionReader& reader, const ModelView& view,
                        const std::map<std::size_t, TensorPlaces>& places, Device* device,
                        const std::stop_token& stop, const ProgressSink& progress) {
  std::map<std::size_t, std::vector<PieceRun>> runs;
  std::uint64_t bytes = 0;
  for (const auto& [file, list] : places) {
    const std::uint64_t fileBytes = view.files()[file].byteCount;
    runs[file] = hasPieces(reader, file) ? runsOf(list, fileBytes)
                                         : std::vector<PieceRun>{{0, fileBytes, 0}};
    for (const PieceRun& run : runs[file]) bytes += run.end - run.begin;
  }
  STRATA_TRY(PieceDecoder decoder, PieceDecoder::make(device, bytes));
  ProgressMeter meter(progress, "restoring", bytes);
  for (const auto& [file, list] : places) {
    const bool inPieces = hasPieces(reader, file);
    for (const PieceRun& run : runs[file]) {
      TensorSink sink(std::span<const TensorPlace>(list).subspan(run.firstPlace), run.begin);
      STRATA_TRY(
          inPieces
              ? streamPieces(reader, file, run.begin, run.end, sink, stop, meter, decoder)
              : streamFile(reader, file, sink, FileCheck::Level::Sha256, stop, meter, decoder));
    }
  }
  if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
  meter.finish({});
  return {};
}

}  // namespace

Result<RestoreTensorsReport> restoreTensors(const Store& store,
                                            const RestoreTensorsOptions& options,
                                            std::stop_token stop, const ProgressSink& progress) {
  const Stopwatch watch;
  RestoreTensorsReport report;
  STRATA_TRY(report.version, store.resolveChecked(options.reference));
  const std::string label = report.version.label();
  auto reader = openVersion(store, report.version);
  if (!reader) return fail(reader.error().within("restoring " + label));
  const ModelView view(*reader);
  const auto places = placesOf(view, options.tensors);
  if (!places) return fail(places.error().within(label));
  const auto filled = fillPlaces(**reader, view, *places, options.device, stop, progress);
  if (!filled) return fail(filled.error().within("restoring " + label));
  for (const TensorTarget& target : options.tensors) report.restoredBytes += target.out.size();
  report.seconds = watch.seconds();
  return report;
}

}  // namespace strata
