#include "core/archive/write/version_description.h"

#include <algorithm>
#include <cmath>

namespace strata {

VersionDescription::VersionDescription(const ModelDescription& model, const VersionReader* parent,
                                       const WriteOptions& options)
    : model_(model), parent_(parent), options_(options) {
  if (isLossy() && options.hashOriginal) hasher_.emplace(model_);
}

void VersionDescription::describeTensors(const ModelPlan& plan) {
  for (std::size_t t = 0; t < model_.tensors.size(); ++t) {
    const TensorInfo& tensor = model_.tensors[t];
    archive::Tensor& out = *manifest_.add_tensors();
    out.set_name(tensor.name);
    out.set_type(static_cast<std::uint32_t>(tensor.type));
    for (const std::uint64_t dimension : tensor.shape) out.add_shape(dimension);
    out.set_file(tensor.file);
    out.set_offset(tensor.offset);
    out.set_kind(static_cast<std::uint32_t>(tensor.kind));
    out.set_checksum(plan.checksums[t]);
    if (plan.parentNames[t] != tensor.name) out.set_parent_name(plan.parentNames[t]);
    hasParent_.push_back(!plan.parentNames[t].empty());
  }
  changes_.resize(model_.tensors.size());
  errors_.resize(model_.tensors.size());
}

archive::Part& VersionDescription::addPart(const PartPlan& part, const EncodedPart& encoded) {
  archive::Tensor& tensor = *manifest_.mutable_tensors(static_cast<int>(part.tensor));
  const TensorInfo& info = model_.tensors[part.tensor];
  const WordMatrix matrix = wordMatrix(info.type, info.shape, info.byteCount);
  archive::Part& out = *tensor.add_parts();
  const bool isLastBand = part.layout.firstRow + part.layout.rowCount == matrix.rows;
  const bool isLastColumn = part.layout.firstColumn + part.layout.columnCount == matrix.columns;
  if (!isLastBand) out.set_row_count(part.layout.rowCount);
  out.set_first_column(part.layout.firstColumn);
  if (!isLastColumn) out.set_column_count(part.layout.columnCount);
  out.set_codec(static_cast<std::uint32_t>(encoded.codec));
  const auto& view = encoded.usesSibling       ? part.sibling
                     : encoded.usesCounterpart ? part.counterpart
                                               : part.view;
  if (view && !encoded.ignoresParent) *out.mutable_view() = toProto(*view, part.type);
  Change& change = changes_[part.tensor];
  if (encoded.change) {
    change.add(*encoded.change);
    if (view && !view->own) change_.add(*encoded.change);
  } else {
    const std::uint64_t words = part.shape.wordCount();
    change.add({.words = words, .changedWords = part.isIdentical ? 0 : words});
  }
  if (encoded.toBase) change_.add(*encoded.toBase);
  return out;
}

void VersionDescription::addError(std::size_t tensor, const QuantizationError& error) {
  error_.add(error);
  errors_[tensor].add(error);
}

void VersionDescription::finish(const RestoredStream& restored) {
  finishTensors(restored);
  if (parent_ != nullptr) {
    manifest_.set_parent_digest(parent_->manifest().content_digest());
    manifest_.set_depth(parent_->manifest().depth() + 1);
    manifest_.set_relative_change(changeForPeople(change_));
  }
  manifest_.set_format(model_.format);
  manifest_.set_effort(std::string(name(options_.effort)));
  manifest_.set_profile(options_.profile);
  for (const auto& [key, value] : model_.metadata) {
    archive::Entry& entry = *manifest_.add_metadata();
    entry.set_key(key);
    entry.set_value(value);
  }
  if (isLossy()) describeLoss();
  if (options_.recoded != nullptr) keepLoss(*options_.recoded);
  setFileDigests(restored.fileDigests());
  for (std::size_t f = 0; f < restored.pieceChecksums().size(); ++f) {
    manifest_.mutable_files(static_cast<int>(f))->set_piece_checksums(restored.pieceChecksums()[f]);
  }
  const Digest content = contentDigest(manifest_);
  manifest_.set_content_digest(toBytes(content));
  if (options_.qualityOf && content != *options_.qualityOf) manifest_.clear_quality();
}

float VersionDescription::forPeople(double number) const {
  return isLossy() ? toThreeDigits(number) : static_cast<float>(number);
}

/// 0 where only the parent is zero: there is no number for that.
float VersionDescription::changeForPeople(const Change& change) const {
  const double number = change.relativeChange();
  return forPeople(std::isfinite(number) ? number : 0);
}

void VersionDescription::finishTensors(const RestoredStream& restored) {
  for (std::size_t t = 0; t < changes_.size(); ++t) {
    archive::Tensor& tensor = *manifest_.mutable_tensors(static_cast<int>(t));
    if (isLossy() && !options_.isSample) tensor.set_checksum(restored.tensorChecksums()[t]);
    if (isLossy()) tensor.set_relative_error(forPeople(errors_[t].relative()));
    if (!hasParent_[t]) continue;
    tensor.set_changed(forPeople(changes_[t].changedShare()));
    tensor.set_relative_change(changeForPeople(changes_[t]));
  }
}

void VersionDescription::describeLoss() {
  manifest_.set_lossy(true);
  manifest_.set_settings(options_.lossySettings);
  manifest_.set_relative_error(error_.relative());
  for (const archive::Quality& quality : options_.quality) *manifest_.add_quality() = quality;
  if (!hasher_) return;
  setFileDigests(hasher_->wait());
  manifest_.set_original_digest(toBytes(contentDigest(manifest_)));
}

/// The model is what a lossy version restores to: that it lost something before stays known.
void VersionDescription::keepLoss(const Manifest& former) {
  if (!former.lossy()) return;
  manifest_.set_lossy(true);
  manifest_.set_settings(former.settings());
  manifest_.set_relative_error(former.relative_error());
  manifest_.set_original_digest(former.original_digest());
  *manifest_.mutable_quality() = former.quality();
  for (int t = 0; t < std::min(manifest_.tensors_size(), former.tensors_size()); ++t) {
    manifest_.mutable_tensors(t)->set_relative_error(former.tensors(t).relative_error());
  }
}

void VersionDescription::setFileDigests(const std::vector<Digest>& digests) {
  for (std::size_t f = 0; f < digests.size(); ++f) {
    manifest_.mutable_files(static_cast<int>(f))->set_sha256(toBytes(digests[f]));
  }
}

}  // namespace strata
