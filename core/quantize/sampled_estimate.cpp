#include "core/quantize/sampled_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/archive/manifest.h"
#include "core/archive/piece_checksums.h"
#include "core/quantize/part_sample.h"
#include "core/quantize/sample_coding.h"

namespace strata {
namespace {

/// Parts of more words are alike, whatever their sizes.
constexpr double kLargeClass = 20;
constexpr std::uint64_t kTallRows = 4;  // of each column
constexpr double kLeastBits = 0.01;     // of a word
constexpr std::size_t kWorstShown = 3;
/// By how much the bytes of a manifest may differ from those of the version: the same number of
/// checksums compresses a little differently, and entries of parts that nobody coded more so.
constexpr double kLeastOff = 24;
constexpr double kOffWhole = 0.02;
constexpr double kOffStoodIn = 0.1;

/// Parts that are coded in the same way, but for steps, and are of about one size. Steps differ
/// where sensitivities do; the order within a stratum takes care of them.
std::string stratumOf(const TensorInfo& tensor, const PartPlan& part,
                      const std::optional<LossyChoice>& choice) {
  const auto words = static_cast<double>(part.shape().wordCount());
  const double size = std::min(std::floor(std::log2(std::max(words, 1.0))), kLargeClass);
  const bool hasParent = part.view && !part.view->own;
  std::string name = fmt::format("{} {} {} {}", static_cast<int>(tensor.kind), size, hasParent,
                                 static_cast<int>(tensor.type));
  if (!choice) return name + " exact";
  const LossySettings& s = choice->settings;
  return name + fmt::format(" {} {} {} {} {} {} {} {} {} {} {} {} {}",
                            static_cast<int>(choice->codec), s.levelCount, s.deadZone, s.gain,
                            s.patternLength == 0, s.rank, s.factorStep, s.pruneShare,
                            s.protectShare, s.uniformLevels, s.bits, s.rowScales, s.maxError);
}

/// Whether the payload is nothing but factors: it grows with rows and columns, not with words.
bool isFactorsOnly(const std::optional<LossyChoice>& choice) {
  return choice && choice->codec == CodecId::Patterns && choice->settings.patternLength == 0;
}

SampleCandidate candidateOf(const TensorInfo& tensor, const PartPlan& part,
                            const std::optional<LossyChoice>& choice, double changeSquares,
                            double wholeColumns) {
  const auto bytes = static_cast<double>(part.shape().byteCount());
  const auto words = static_cast<double>(part.shape().wordCount());
  const double rms = changeSquares > 0 ? std::sqrt(changeSquares / words) : 0;
  const double step = choice && choice->settings.step > 0 ? choice->settings.step : 1;
  SampleCandidate candidate{
      stratumOf(tensor, part, choice), bytes, bytes, bytes, changeSquares, rms / step};
  if (isFactorsOnly(choice)) {
    const auto rows = static_cast<double>(part.layout.rowCount);
    candidate.payloadSize = rows + static_cast<double>(part.layout.columnCount);
    candidate.wholeSize = rows + wholeColumns;
  } else if (choice && choice->codec == CodecId::Levels && choice->settings.levelCount == 0) {
    // Bits of a normal source of this spread at the error of a step, and a little for coding none.
    const double bits = kLeastBits + 0.5 * std::log2(1 + candidate.order * candidate.order);
    candidate.payloadSize = candidate.wholeSize = bytes * bits;
  }
  return candidate;
}

/// What counts as the change of a part without a parent: the squares of its words.
double squaresOf(const ModelDescription& model, const PartPlan& part) {
  const TensorInfo& tensor = model.tensors[part.tensor];
  const WordMatrix matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  WordBuffer<std::byte> rows;
  const auto words = rowsOf(bytesOf(model, tensor), part.layout, wordFormat(tensor.type).bytes,
                            matrix.columns, rows);
  return measureChange(part.type, words, words).parentSquares;
}

/// Whether a band's factors cost hardly more than those of the whole part.
bool isTall(const PartPlan& band) {
  return band.layout.rowCount >= kTallRows * band.layout.columnCount;
}

/// A number that differs from part to part and does not compress, as offsets and figures do.
std::uint64_t scrambled(std::uint64_t number) {
  std::uint64_t x = (number + 1) * 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  return x ^ (x >> 31);
}

/// Fills `bytes` with what does not compress.
void scramble(std::uint64_t salt, std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = scrambled(salt << 32 | at);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

/// Checksums and digests as long as those of the whole version: a sample has none.
void addChecksums(Manifest& manifest, const ModelDescription& model) {
  manifest.tensors.edit([](std::size_t t, ManifestTensor& tensor) {
    tensor.checksum = scrambled(std::uint64_t{t} << 40);
  });
  for (std::size_t f = 0; f < manifest.files.size(); ++f) {
    const std::uint64_t pieces = pieceCount(model.files[f].bytes.size());
    ManifestFile& file = manifest.files[f];
    scramble(f * 2, file.sha256.bytes);
    if (pieces <= 1) continue;
    file.pieceChecksums.resize(pieces);
    scramble(f * 2 + 1, std::as_writable_bytes(std::span(file.pieceChecksums)));
  }
}

/// Entries of all parts in place of those that were sampled, so that the manifest is as large as
/// the version's will be. `payloadShare` is that of a payload in its words.
void standIn(Manifest& manifest, const ModelDescription& model, const ModelPlan& plan,
             double payloadShare) {
  std::uint64_t offset = 0;
  const auto add = [&](std::size_t i, ManifestTensor& tensor) {
    const PartPlan& part = plan.parts[i];
    const TensorInfo& info = model.tensors[part.tensor];
    ManifestPart& out = tensor.parts.emplace_back();
    if (part.layout.rowCount < wordMatrix(info.type, info.shape, info.byteCount).rows) {
      out.rowCount = part.layout.rowCount;
    }
    out.codec = CodecId::Levels;
    out.view = part.view;
    if (part.isIdentical) return;
    const double spread = 0.75 + static_cast<double>(scrambled(i) % 1024) / 2048;
    const double bytes = payloadShare * static_cast<double>(part.shape().byteCount()) * spread + 1;
    out.section = {.offset = offset, .byteCount = static_cast<std::uint64_t>(bytes)};
    offset += out.section->byteCount;
    const auto figure = [&](unsigned salt) {
      return toThreeDigits(static_cast<double>(scrambled(i * 4 + salt)) * 0x1p-64);
    };
    tensor.changed = figure(1);
    tensor.relativeChange = figure(2);
    tensor.relativeError = figure(3);
  };
  std::size_t next = 0;
  manifest.tensors.edit([&](std::size_t t, ManifestTensor& tensor) {
    tensor.parts.clear();
    for (; next < plan.parts.size() && plan.parts[next].tensor == t; ++next) add(next, tensor);
  });
}

/// The parts of a plan that a sample is taken from, and the sample.
class Sampling {
 public:
  Sampling(const ModelDescription& model, const CodingOptions& options, const SamplePlan& from,
           const SampleSize& size)
      : model_(model),
        whole_(*options.plan),
        from_(from),
        sample_(candidates(options), static_cast<double>(size.bytes), size.seed) {
    plan_.checksums = whole_.checksums;
    plan_.parentNames = whole_.parentNames;
    for (const std::size_t place : sample_.chosen()) {
      plan_.parts.push_back(from_.plan.parts[parts_[place]]);
    }
  }

  const ModelPlan& plan() const noexcept { return plan_; }

  Result<SampledEstimate> infer(CodedSample report, const VersionRecord& record) const {
    const std::vector<PartFigures> figures = figuresOf(report);
    const PartSample::Totals totals = sample_.extrapolate(figures);
    double payload = 0;
    double bytes = 0;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      payload += figures[i].payloadBytes;
      bytes += static_cast<double>(plan_.parts[i].shape().byteCount());
    }
    const std::size_t skipped = whole_.parts.size() - plan_.parts.size();
    const bool isWhole = skipped == identicalParts();
    if (!isWhole) standIn(report.manifest, model_, whole_, bytes > 0 ? payload / bytes : 0);
    addChecksums(report.manifest, model_);
    STRATA_TRY(const std::uint64_t whole,
               bytesWithRecord(report.packBytes, report.manifest, record));
    const double other = static_cast<double>(whole) - payload;
    const double manifest = static_cast<double>(whole - report.packBytes);
    const double off = kLeastOff + (isWhole ? kOffWhole : kOffStoodIn) * manifest;
    SampledEstimate estimate;
    estimate.storedBytes = {totals.payloadBytes.value + other,
                            std::max(0.0, totals.payloadBytes.low + other - off),
                            totals.payloadBytes.high + other + off};
    estimate.relativeError = totals.relativeError;
    estimate.tensorCount = model_.tensors.size();
    describe(report, estimate);
    return estimate;
  }

 private:
  /// What equals the parent is not sampled: it has no payload and no error.
  std::vector<SampleCandidate> candidates(const CodingOptions& options) {
    std::vector<SampleCandidate> all;
    for (std::size_t i = 0; i < from_.plan.parts.size(); ++i) {
      const PartPlan& part = from_.plan.parts[i];
      if (part.isIdentical) continue;
      parts_.push_back(i);
      all.push_back(candidateOf(model_.tensors[part.tensor], part, options.lossy[part.tensor],
                                from_.sizeSquares[i], from_.wholeColumns[i]));
      all.back().changeSquares = from_.changeSquares[i];
    }
    return all;
  }

  std::size_t identicalParts() const {
    return static_cast<std::size_t>(
        std::count_if(whole_.parts.begin(), whole_.parts.end(),
                      [](const PartPlan& part) { return part.isIdentical; }));
  }

  /// The writer keeps the order of the plan, tensor by tensor.
  std::vector<PartFigures> figuresOf(const CodedSample& report) const {
    std::vector<PartFigures> figures(plan_.parts.size());
    std::optional<std::uint32_t> number;
    ManifestTensor tensor;
    std::size_t next = 0;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      if (number != plan_.parts[i].tensor) {
        number = plan_.parts[i].tensor;
        report.manifest.tensors.read(*number, tensor);
        next = 0;
      }
      const ManifestPart& part = tensor.parts[next++];
      const QuantizationError& error = report.partErrors[i];
      figures[i] = {static_cast<double>(part.section ? part.section->byteCount : 0),
                    from_.isAllNew ? error.newErrorSquares : error.errorSquares,
                    from_.isAllNew ? error.newSquares : error.changeSquares};
    }
    return figures;
  }

  void describe(const CodedSample& report, SampledEstimate& estimate) const {
    std::map<std::uint32_t, QuantizationError> errors;
    for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
      errors[plan_.parts[i].tensor].add(report.partErrors[i]);
      estimate.sampledBytes += plan_.parts[i].shape().byteCount();
    }
    estimate.sampledTensors = errors.size();
    for (const auto& [tensor, error] : errors) {
      if (error.errorSquares > 0) {
        estimate.worst.push_back({model_.tensors[tensor].name, error.relative()});
      }
    }
    std::stable_sort(
        estimate.worst.begin(), estimate.worst.end(),
        [](const auto& a, const auto& b) { return a.relativeError > b.relativeError; });
    if (estimate.worst.size() > kWorstShown) estimate.worst.resize(kWorstShown);
  }

  const ModelDescription& model_;
  const ModelPlan& whole_;
  const SamplePlan& from_;
  std::vector<std::size_t> parts_;  ///< of each candidate, in from_
  PartSample sample_;
  ModelPlan plan_;  ///< of what was chosen
};

}  // namespace

namespace {

/// Weights that pairByName() paired are paired in their bands, too.
void pairAs(const ModelPlan& plan, ModelPlan& bands) {
  std::vector<bool> isOpen(plan.checksums.size());
  for (const PartPlan& part : plan.parts) {
    if (!part.view || part.counterpart) isOpen[part.tensor] = true;
  }
  for (PartPlan& band : bands.parts) {
    if (isOpen[band.tensor] || band.view || !band.counterpart) continue;
    band.view = *band.counterpart;
    band.counterpart.reset();
  }
}

}  // namespace

Result<SamplePlan> planSample(const ModelDescription& model, const VersionReader* parent,
                              const ModelPlan& plan, const ChangeScale& scale) {
  std::vector<std::size_t> wholeParts(model.tensors.size());
  bool hasLarge = false;
  for (const PartPlan& part : plan.parts) {
    ++wholeParts[part.tensor];
    hasLarge = hasLarge || part.shape().wordCount() > kQuickPartWords;
  }
  ModelPlan bands;
  if (hasLarge) {
    STRATA_TRY(bands, planModel(model, parent, {kQuickPartWords, kQuickPartWords}));
    pairAs(plan, bands);
  }
  std::vector<std::vector<std::size_t>> bandsOf(model.tensors.size());
  for (std::size_t i = 0; i < bands.parts.size(); ++i) bandsOf[bands.parts[i].tensor].push_back(i);
  const PartEncoder encoder(model, parent, Effort::Default, {});
  SamplePlan sample;
  sample.plan.checksums = plan.checksums;
  sample.plan.parentNames = plan.parentNames;
  const auto take = [&](const PartPlan& part, double squares, double wholeColumns) -> Result<void> {
    const bool hasParent = part.view && !part.view->own;
    const bool hasValues = isQuantizable(wordFormat(model.tensors[part.tensor].type));
    double counted = squares;
    if (!hasParent && hasValues) {
      squares = squaresOf(model, part);
      STRATA_TRY(const QuantizationError loss, encoder.lossOf(part, encoder.words(part)));
      counted = loss.changeSquares;
    }
    sample.plan.parts.push_back(part);
    sample.sizeSquares.push_back(hasValues ? squares : -1);
    sample.changeSquares.push_back(hasValues ? counted : -1);
    sample.wholeColumns.push_back(wholeColumns);
    return {};
  };
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const PartPlan& part = plan.parts[i];
    const std::vector<std::size_t>& cut = bandsOf[part.tensor];
    const bool isCut = cut.size() > wholeParts[part.tensor] && isTall(bands.parts[cut.front()]);
    if (!isCut) {
      STRATA_TRY(take(part, scale.partSquares[i], static_cast<double>(part.layout.columnCount)));
      continue;
    }
    if (i > 0 && plan.parts[i - 1].tensor == part.tensor) continue;  // the bands are in already
    const double share =
        static_cast<double>(wholeParts[part.tensor]) / static_cast<double>(cut.size());
    for (const std::size_t b : cut) {
      const PartPlan& band = bands.parts[b];
      Change change;
      if (!band.isIdentical && band.view && !band.view->own) {
        STRATA_TRY(change, encoder.change(band));
      }
      STRATA_TRY(take(band, change.differenceSquares,
                      share * static_cast<double>(band.layout.columnCount)));
    }
  }
  sample.isAllNew = std::ranges::all_of(sample.changeSquares, [](double x) { return x <= 0; });
  if (sample.isAllNew) sample.changeSquares = sample.sizeSquares;
  return sample;
}

Result<SampledEstimate> estimateFromSample(const ModelSource& model, const VersionReader* parent,
                                           CodingOptions options, const SamplePlan& parts,
                                           const SampleSize& size, const VersionRecord& record,
                                           const std::stop_token& stop) {
  const Sampling sampling(model.description(), options, parts, size);
  options.plan = &sampling.plan();
  STRATA_TRY(CodedSample sample, codeSample(model, parent, options, stop));
  return sampling.infer(std::move(sample), record);
}

}  // namespace strata
