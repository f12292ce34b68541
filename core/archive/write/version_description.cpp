#include "core/archive/write/version_description.h"

#include <algorithm>
#include <cmath>

#include "core/archive/word_values.h"
#include "core/archive/write/summed_errors.h"

namespace strata {

VersionDescription::VersionDescription(const ModelDescription& model,
                                       const ModelDescription& original,
                                       const VersionReader* parent, const CodingOptions& coding,
                                       const RecordOptions& record)
    : model_(model), parent_(parent), coding_(coding), record_(record) {
  if (isLossy() && record.hashOriginal && !record.original) hasher_.emplace(original);
}

void VersionDescription::describeTensors(const ModelPlan& plan) {
  plan_ = &plan;
  hasWeights_ = std::ranges::any_of(
      model_.tensors, [](const TensorInfo& tensor) { return isWeight(tensor.type, tensor.kind); });
  if (isLossy()) errors_.resize(model_.tensors.size());
}

ManifestPart& VersionDescription::addPart(const PartPlan& part, const EncodedPart& encoded) {
  while (number_ < part.tensor) finishTensor();
  const TensorInfo& info = model_.tensors[part.tensor];
  const WordMatrix matrix = wordMatrix(info.type, info.shape, info.byteCount);
  ManifestPart& out = tensor_.parts.emplace_back();
  const bool isLastBand = part.layout.firstRow + part.layout.rowCount == matrix.rows;
  const bool isLastColumn = part.layout.firstColumn + part.layout.columnCount == matrix.columns;
  if (!isLastBand) out.rowCount = part.layout.rowCount;
  out.firstColumn = part.layout.firstColumn;
  if (!isLastColumn) out.columnCount = part.layout.columnCount;
  out.codec = encoded.codec;
  std::optional<PartView> view = part.view;
  if (encoded.usesSibling) view = siblingOf(model_, part);
  if (encoded.usesCounterpart) view = *part.counterpart;
  if (encoded.stepSources != 0) {
    const std::span<const PartView> sources = part.stepSources.view().first(encoded.stepSources);
    view = sources.front();
    for (const PartView& one : sources.subspan(1)) out.furtherViews.append({one});
  }
  if (view && !encoded.ignoresParent) out.view = view;
  const bool isOfParent = view && !view->own;
  hasParent_ = hasParent_ || isOfParent;
  addChange(part, isOfParent ? encoded.change : encoded.toBase);
  return out;
}

/// `toParent` is nothing where the parent has nothing that the part was compared with.
void VersionDescription::addChange(const PartPlan& part, const std::optional<Change>& toParent) {
  const TensorInfo& tensor = model_.tensors[part.tensor];
  if (!toParent) {
    const std::uint64_t words = part.shape().wordCount();
    ofTensor_.add({.words = words, .changedWords = part.isIdentical ? 0 : words});
    return;
  }
  ofTensor_.add(*toParent);
  hasParent_ = true;
  const bool isLeftOut = hasWeights_ && isOptimizerState(tensor.kind);
  change_.add(isLeftOut ? Change{.leftOutWords = toParent->words} : *toParent);
}

void VersionDescription::addError(std::size_t tensor, const QuantizationError& error) {
  if (isLossy()) errors_[tensor].add(error);
  // What an optimizer keeps has errors of its own, which would hide those of weights.
  if (!hasWeights_ || !isOptimizerState(model_.tensors[tensor].kind)) error_.add(error);
}

void VersionDescription::finish(const RestoredStream* restored) {
  finishTensors(restored);
  if (parent_ != nullptr) {
    manifest_.parentDigest = parent_->manifest().contentDigest;
    manifest_.depth = parent_->manifest().depth + 1;
    manifest_.relativeChange = changeForPeople(change_);
    manifest_.changeLeftOut = change_.leftOutWords;
  }
  manifest_.format = model_.format;
  manifest_.effort = std::string(name(coding_.effort));
  manifest_.profile = record_.profile;
  for (const auto& [key, value] : model_.metadata) {
    const bool isOfFormerLoss = isLossy() && key == kErrorsKey;
    if (!isOfFormerLoss) manifest_.metadata.push_back({.key = key, .value = value});
  }
  if (isLossy()) describeLoss();
  if (record_.recoded != nullptr && !isLossy()) keepLoss(*record_.recoded);
  if (restored != nullptr) {
    setFileDigests(restored->fileDigests());
    for (std::size_t f = 0; f < restored->pieceChecksums().size(); ++f) {
      manifest_.files[f].pieceChecksums = restored->pieceChecksums()[f];
    }
  }
  const Digest content = contentDigest(manifest_);
  manifest_.contentDigest = content;
  // What was to be quantized came back to its last bit.
  if (manifest_.lossy && manifest_.originalDigest == content) forgetLoss();
  if (record_.qualityOf && content != *record_.qualityOf) manifest_.quality.clear();
}

float VersionDescription::forPeople(double number) const {
  return isLossy() ? toThreeDigits(number) : static_cast<float>(number);
}

/// Infinite where the parent's weights are zero.
float VersionDescription::changeForPeople(const Change& change) const {
  const double number = change.relativeChange();
  if (std::isnan(number)) return 0;
  return std::isinf(number) ? static_cast<float>(number) : forPeople(number);
}

/// The tensor whose parts were added last is whole; the next one begins.
void VersionDescription::finishTensor() {
  const TensorInfo& info = model_.tensors[number_];
  tensor_.name = info.name;
  tensor_.shape = info.shape;
  tensor_.type = info.type;
  tensor_.file = info.file;
  tensor_.offset = info.offset;
  tensor_.kind = info.kind;
  tensor_.checksum = plan_->checksums[number_];
  tensor_.parentName = plan_->parentNames[number_];
  if (hasParent_) {
    tensor_.changed = forPeople(ofTensor_.changedShare());
    tensor_.relativeChange = changeForPeople(ofTensor_);
  }
  manifest_.tensors.push_back(tensor_);
  tensor_ = {};
  ofTensor_ = {};
  hasParent_ = false;
  ++number_;
}

void VersionDescription::finishTensors(const RestoredStream* restored) {
  while (number_ < model_.tensors.size()) finishTensor();
  plan_ = nullptr;
  if (!isLossy()) return;
  manifest_.tensors.edit([&](std::size_t t, ManifestTensor& tensor) {
    if (restored != nullptr) tensor.checksum = restored->tensorChecksums()[t];
    tensor.relativeError = forPeople(errors_[t].relative());
  });
  errors_ = std::vector<QuantizationError>();
}

void VersionDescription::describeLoss() {
  manifest_.lossy = true;
  manifest_.settings = record_.lossySettings;
  manifest_.relativeError = error_.relative();
  manifest_.quality = record_.quality;
  manifest_.originalDigest = record_.original;
  if (record_.recoded != nullptr) addFormerLoss(*record_.recoded);
  if (!hasher_) return;
  setFileDigests(hasher_->wait());
  manifest_.originalDigest = contentDigest(manifest_);
}

/// What was quantized is what a lossy version restores to, and has the same tensors.
void VersionDescription::addFormerLoss(const Manifest& former) {
  if (!former.lossy) return;
  manifest_.relativeError += former.relativeError;
  manifest_.metadata.push_back(
      {.key = std::string(kErrorsKey), .value = std::string(kSummedErrors)});
  manifest_.tensors.edit([&](std::size_t t, ManifestTensor& tensor) {
    const bool isDropped = isOptimizerState(tensor.kind) && tensor.relativeError == 1;
    const bool wasThere = t < former.tensors.size();
    if (wasThere && !isDropped) tensor.relativeError += former.tensors[t].relativeError;
  });
}

void VersionDescription::forgetLoss() {
  std::erase_if(manifest_.metadata, [](const MetadataEntry& one) { return one.key == kErrorsKey; });
  manifest_.lossy = false;
  manifest_.settings.clear();
  manifest_.relativeError = 0;
  manifest_.originalDigest.reset();
  manifest_.quality.clear();
  manifest_.tensors.edit([](std::size_t, ManifestTensor& tensor) { tensor.relativeError = 0; });
}

/// The model is what a lossy version restores to: that it lost something before stays known.
void VersionDescription::keepLoss(const Manifest& former) {
  if (!former.lossy) return;
  manifest_.lossy = true;
  manifest_.settings = former.settings;
  manifest_.relativeError = former.relativeError;
  manifest_.originalDigest = former.originalDigest;
  manifest_.quality = former.quality;
  manifest_.tensors.edit([&](std::size_t t, ManifestTensor& tensor) {
    if (t < former.tensors.size()) tensor.relativeError = former.tensors[t].relativeError;
  });
}

void VersionDescription::setFileDigests(const std::vector<Digest>& digests) {
  for (std::size_t f = 0; f < digests.size(); ++f) {
    manifest_.files[f].sha256 = digests[f];
  }
}

}  // namespace strata
