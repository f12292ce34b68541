#include "core/archive/write/part_coder.h"

#include <utility>

#include "core/memory.h"
#include "core/model/many_tensors.h"
#include "core/parallel.h"

namespace strata {
namespace {

/// Share of the ceiling for plans of small parts. Parts whose plans do not fit are planned twice.
constexpr std::uint64_t kPlansShare = 16;
/// So few words are counted twice rather than that the counts are kept.
constexpr std::uint64_t kQuicklyCounted = 1024;

}  // namespace

Result<void> checkStop(const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
  return {};
}

std::uint64_t totalBytes(const ModelDescription& model) noexcept {
  std::uint64_t sum = 0;
  for (const ModelFile& file : model.files) sum += file.bytes.size();
  return sum;
}

void giveBackAfterMany(const ModelDescription& model) noexcept {
  if (model.tensors.size() >= kManyTensors) giveBackFreedMemory();
}

PartCoder::PartCoder(const ModelDescription& model, const VersionReader* parent,
                     const CodingOptions& options, std::optional<CodecId> wish)
    : model_(model),
      parent_(parent),
      options_(options),
      encoder_(model, parent, options.effort, wish, &queues_),
      quick_(model, parent, Effort::Default, wish, &queues_) {}

Result<void> PartCoder::open() {
  giveBackAfterMany(model_);
  if (options_.isBaseNamed) encoder_.tryCounterparts();
  STRATA_TRY(queues_.open(options_.device, totalBytes(model_)));
  if (options_.plan != nullptr) {
    plan_ = *options_.plan;
    return {};
  }
  PartSizes sizes{.delta = kQuickPartWords, .alone = kQuickPartWords};
  if (options_.effort == Effort::Best) sizes.delta = kLargePartWords;
  const bool isLossy = options_.isLossy();
  STRATA_TRY(plan_, planModel(model_, parent_, sizes,
                              isLossy ? EarlierFiles::Ignored : EarlierFiles::Serve,
                              isLossy ? std::span<const StepGroup>() : options_.stepGroups));
  giveBackAfterMany(model_);
  return {};
}

const LossyChoice* PartCoder::choiceOf(const PartPlan& part) const noexcept {
  if (!options_.isLossy() || part.isIdentical || !options_.lossy[part.tensor]) return nullptr;
  return &*options_.lossy[part.tensor];
}

Result<void> PartCoder::planSmallParts(const std::stop_token& stop) {
  knownPlans_.resize(plan_.parts.size());
  std::mutex mutex;  // guards what follows and sharedCounts_
  std::uint64_t room = options_.memoryBytes / kPlansShare;
  return parallelFor(plan_.parts.size(), [&](std::size_t i) -> Result<void> {
    if (!encoder_.isSmall(plan_.parts[i]) || choiceOf(plan_.parts[i]) != nullptr) return {};
    STRATA_TRY(checkStop(stop));
    STRATA_TRY(SmallPlan plan, encoder_.planSmall(plan_.parts[i]));
    const std::size_t bytes = plan.byteCount();
    const std::lock_guard lock(mutex);
    for (SharedCounts& shared : sharedCounts_) {
      if (shared.counts.alphabet() != plan.counts.alphabet()) continue;
      plan.counts.addTo(shared.counts);
      ++shared.users;
    }
    KnownPlan& known = knownPlans_[i];
    if (plan_.parts[i].shape().wordCount() <= kQuicklyCounted) known.plain = ShortPlan::of(plan);
    if (known.plain || bytes > room) return {};
    room -= bytes;
    known.whole = std::make_unique<SmallPlan>(std::move(plan));
    return {};
  });
}

Result<void> PartCoder::writeSharedTables(PackWriter& pack, Manifest& manifest) {
  for (const auto& [counts, users] : sharedCounts_) {
    if (users < 2) continue;
    const std::size_t alphabet = counts.alphabet();
    auto tables = std::make_shared<const TableSet>(buildSharedTableSet(counts));
    ByteWriter payload;
    payload.byte(static_cast<std::uint8_t>(alphabet));
    writeTableSet(payload, *tables);
    STRATA_TRY(manifest.tables.emplace_back(), pack.append(payload.view()));
    (alphabet == 64 ? shared_.narrow : shared_.wide) =
        static_cast<std::uint32_t>(shared_.all.size());
    shared_.all.push_back(std::move(tables));
  }
  return {};
}

Result<std::vector<CodedPart>> PartCoder::code(std::size_t index, const std::stop_token& stop) {
  const PartPlan& part = plan_.parts[index];
  std::vector<CodedPart> coded;
  if (part.isIdentical) {
    STRATA_TRY(const Change none, encoder_.confirmIdentical(part, plan_.checksums[part.tensor]));
    coded.push_back({part, {.codec = CodecId::Same, .change = none}});
  } else {
    KnownPlan& known = knownPlans_[index];
    if (known.plain) known.whole = std::make_unique<SmallPlan>(known.plain->whole());
    STRATA_TRY(coded, encodeWholeOrCut(part, known.whole.get(), stop));
    known = {};
  }
  return coded;
}

/// With effort `best`, a large part is coded whole, and as the default would have: the smaller
/// counts. Factors serve a whole matrix best, tables a piece of it.
Result<std::vector<CodedPart>> PartCoder::encodeWholeOrCut(const PartPlan& part,
                                                           const SmallPlan* known,
                                                           const std::stop_token& stop) {
  STRATA_TRY(EncodedPart whole, encode(part, known));
  std::vector<CodedPart> pieces;
  if (mayCut(part)) {
    constexpr std::size_t kEntryBytes = 24;  // of a part in the manifest, about
    std::size_t bytes = 0;
    for (PartPlan& piece : cutPart(part, kQuickPartWords)) {
      STRATA_TRY(checkStop(stop));
      STRATA_TRY(EncodedPart encoded, quick_.encode(piece, nullptr, shared_));
      bytes += encoded.payload.size() + kEntryBytes;
      pieces.push_back({std::move(piece), std::move(encoded)});
    }
    if (bytes < whole.payload.size() + kEntryBytes) return pieces;
    pieces.clear();
  }
  pieces.push_back({part, std::move(whole)});
  return pieces;
}

bool PartCoder::mayCut(const PartPlan& part) const {
  if (options_.effort != Effort::Best || options_.isLossy()) return false;
  const TensorInfo& tensor = model_.tensors[part.tensor];
  const bool isFullWidth =
      part.layout.columnCount == wordMatrix(tensor.type, tensor.shape, tensor.byteCount).columns;
  return part.view && isFullWidth && part.shape().wordCount() > kQuickPartWords;
}

Result<EncodedPart> PartCoder::encode(const PartPlan& part, const SmallPlan* known) {
  if (const LossyChoice* choice = choiceOf(part)) {
    auto quantized = encoder_.quantize(part, *choice);
    if (quantized || !isRefusal(quantized.error())) return quantized;
    const std::lock_guard lock(keptExactMutex_);
    keptExact_.insert(model_.tensors[part.tensor].name + ": " + quantized.error().message);
  }
  PartPlan exact = part;
  // The model's own words are not what a lossy version restores in their place.
  if (options_.isLossy() && exact.view && exact.view->own) exact.view.reset();
  if (options_.isLossy()) exact.sibling.reset();
  return encoder_.encode(exact, known, shared_);
}

void PartCoder::forgetPlan() {
  plan_ = {};
  knownPlans_ = decltype(knownPlans_)();
}

}  // namespace strata
