#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/archive/write/part_encoder.h"
#include "core/archive/write/part_plan.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// Four bytes of a file that are others than the model has there.
struct PatchedField {
  std::uint32_t file = 0;
  std::uint64_t at = 0;
  std::array<std::byte, sizeof(std::uint32_t)> bytes{};
};

/// A model that is to be quantized, with the checksums that its files will need: those of the
/// weights that are restored. All else is the model, whose bytes it borrows.
class ChecksummedModel final : public ModelSource {
 public:
  /// Quantizes what the checksums are of, a weight at a time, and forgets it again: quantizing is
  /// the same each time. `plan` is the model's, and `choices` has one for each tensor. Fields whose
  /// range cuts a tensor stay as they are, and so do those of ranges where nothing is quantized.
  ///
  /// Fails as PartEncoder::quantizedWords(), and with Cancelled.
  static Result<std::unique_ptr<ChecksummedModel>> make(
      const ModelSource& model, std::span<const ChecksumField> fields, const ModelPlan& plan,
      const PartEncoder& encoder, std::span<const std::optional<LossyChoice>> choices,
      const std::stop_token& stop);

  const ModelDescription& description() const noexcept override { return description_; }
  Result<void> checkUnchanged() const override { return model_.checkUnchanged(); }

 private:
  explicit ChecksummedModel(const ModelSource& model)
      : model_(model), description_(model.description()) {}
  void patch(std::vector<PatchedField> fields);

  const ModelSource& model_;
  std::vector<PatchedField> patches_;  ///< whose bytes the files view
  ModelDescription description_;
};

}  // namespace strata
