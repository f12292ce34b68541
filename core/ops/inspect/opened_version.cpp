#include "core/ops/inspect/opened_version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/archive/piece_checksums.h"
#include "core/ops/detail/version_stream.h"
#include "core/ops/inspect/detail/tensor_lookup.h"
#include "core/parallel.h"
#include "core/progress_meter.h"
#include "core/store/catalog/tensor_state.h"
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

/// A range that is read in one piece has at most about so many bytes.
constexpr std::uint64_t kReadBytes = std::uint64_t{4} << 20;

/// Where to cut a range of a file, its two ends among them: where reading costs nothing extra.
std::vector<std::uint64_t> cutsBetween(const VersionReader& reader, std::size_t file,
                                       std::uint64_t begin, std::uint64_t end) {
  std::vector<std::uint64_t> cuts{begin};
  if (end - begin > kReadBytes) {
    for (const std::uint64_t at : reader.pieces(file, kReadBytes)) {
      if (at > begin && at < end) cuts.push_back(at);
    }
  }
  if (end > begin) cuts.push_back(end);
  return cuts;
}

std::vector<OpenedFile> filesOf(const Manifest& manifest) {
  std::vector<OpenedFile> files;
  for (const ManifestFile& file : manifest.files) {
    files.push_back({file.path, file.kind, file.byteCount});
  }
  return files;
}

std::vector<OpenedTensor> tensorsOf(const Manifest& manifest) {
  std::vector<OpenedTensor> tensors;
  for (const ManifestTensor& tensor : manifest.tensors) {
    tensors.push_back({tensor.name, tensor.type, tensor.shape, tensor.file, tensor.offset,
                       byteCount(tensor), isPieceOfFile(manifest, tensor)});
  }
  return tensors;
}

}  // namespace

struct OpenedVersion::State {
  State(VersionEntry entry, std::shared_ptr<const VersionReader> opened)
      : version(std::move(entry)),
        reader(std::move(opened)),
        view(reader),
        files(filesOf(reader->manifest())),
        tensors(tensorsOf(reader->manifest())) {}

  VersionEntry version;
  std::shared_ptr<const VersionReader> reader;
  ModelView view;
  std::vector<OpenedFile> files;
  std::vector<OpenedTensor> tensors;
};

OpenedVersion::OpenedVersion(std::unique_ptr<State> state) : state_(std::move(state)) {}
OpenedVersion::~OpenedVersion() = default;

Result<std::unique_ptr<OpenedVersion>> OpenedVersion::open(const Store& store,
                                                           const std::string& reference) {
  STRATA_TRY(VersionEntry version, store.resolveChecked(reference));
  auto reader = openVersion(store, version);
  if (!reader) return fail(reader.error().within("restoring " + version.label()));
  auto state = std::make_unique<State>(std::move(version), *std::move(reader));
  return std::unique_ptr<OpenedVersion>(new OpenedVersion(std::move(state)));
}

const VersionEntry& OpenedVersion::version() const noexcept { return state_->version; }
const std::vector<OpenedFile>& OpenedVersion::files() const noexcept { return state_->files; }
const std::vector<OpenedTensor>& OpenedVersion::tensors() const noexcept { return state_->tensors; }

Result<RestoreTensorsReport> OpenedVersion::restore(const std::vector<TensorTarget>& targets,
                                                    Device* device, const std::stop_token& stop,
                                                    const ProgressSink& progress) const {
  const Stopwatch watch;
  const std::string label = state_->version.label();
  const auto places = placesOf(state_->view, targets);
  if (!places) return fail(places.error().within(label));
  const auto filled = fillPlaces(*state_->reader, state_->view, *places, device, stop, progress);
  if (!filled) return fail(filled.error().within("restoring " + label));
  RestoreTensorsReport report{.version = state_->version};
  for (const TensorTarget& target : targets) report.restoredBytes += target.out.size();
  report.seconds = watch.seconds();
  return report;
}

Result<void> OpenedVersion::read(std::size_t file, std::uint64_t offset, std::span<std::byte> out,
                                 const std::stop_token& stop) const {
  if (file >= state_->files.size()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} has {} files, and no file {}", state_->version.label(),
                            state_->files.size(), file));
  }
  const OpenedFile& info = state_->files[file];
  if (offset > info.byteCount || out.size() > info.byteCount - offset) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{}: {} has {} bytes, and {} from {} on were asked for",
                    state_->version.label(), info.path, info.byteCount, out.size(), offset));
  }
  const std::vector<std::uint64_t> cuts =
      cutsBetween(*state_->reader, file, offset, offset + out.size());
  auto done = parallelFor(cuts.size() - 1, [&](std::size_t i) -> Result<void> {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    return state_->reader->read(file, cuts[i],
                                out.subspan(cuts[i] - offset, cuts[i + 1] - cuts[i]));
  });
  if (!done) return fail(done.error().within("reading " + state_->version.label()));
  return {};
}

}  // namespace strata
