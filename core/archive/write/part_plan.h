#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/archive/layout.h"
#include "core/archive/rare_list.h"
#include "core/archive/rare_value.h"
#include "core/archive/read/version_reader.h"
#include "core/archive/write/steps/step_plan.h"
#include "core/codec/words/word_buffer.h"
#include "core/model/model_source.h"
#include "core/model/rare_text.h"

namespace strata {

/// A part on its way into a pack: where its words are and what they may be coded against. A model
/// may have a million parts, hence the order of the fields, RareValue and RareList.
struct PartPlan {
  std::uint32_t tensor = 0;  ///< index into the model's tensors
  ElementType type = ElementType::Bytes;
  bool isIdentical = false;  ///< to the view, by checksum of the whole tensor
  /// Of a part without a view: an earlier tensor of the model with the same shape, whose words it
  /// may repeat in other places (siblingOf()).
  std::optional<std::uint32_t> sibling;
  PartLayout layout;
  std::optional<PartView> view;
  /// Of a part without a view of the base: what stands there in the base's tensor of the same name,
  /// shape and type. Changes and errors are measured against it. Codecs use it for who named the
  /// base (CodingOptions::isBaseNamed), where that takes less; `bounded` always does.
  RareValue<PartView> counterpart;
  /// What the part may follow from by a step of its group, in the order of the predictor, which
  /// takes as many of them as it needs; empty: it is in none.
  RareList<PartView> stepSources;
  const StepGroup* group = nullptr;

  PartShape shape() const noexcept {
    return {wordFormat(type), layout.rowCount, layout.columnCount};
  }
};

/// How a whole model is cut into parts, tensor by tensor, and how they match the parent.
struct ModelPlan {
  std::vector<PartPlan> parts;
  std::vector<std::uint64_t> checksums;  ///< XXH3-64 of each tensor
  std::vector<RareText> parentNames;     ///< of each tensor's parent tensor, if it has another
};

/// Words of a part at most: few tables and several workers within the memory ceiling.
inline constexpr std::uint64_t kLargePartWords = std::uint64_t{1} << 22;
/// Both sides of such a part stay in the cache while it is coded.
inline constexpr std::uint64_t kQuickPartWords = std::uint64_t{1} << 20;

/// Words of a part at most: with a parent, and without.
struct PartSizes {
  std::uint64_t delta = kLargePartWords;
  std::uint64_t alone = kLargePartWords;
};

/// Whether weights of a model's earlier files serve as parents of those in later files. They do
/// not where it is quantized: then they are not what they restore to.
enum class EarlierFiles { Ignored, Serve };

/// Checksums the tensors, matches them with the parent and cuts large ones into parts; of
/// kLargePartWords where the parent lies transposed, since each part then decodes all of it.
/// `groups` must outlive the plan.
Result<ModelPlan> planModel(const ModelDescription& model, const VersionReader* parent,
                            const PartSizes& sizes = {},
                            EarlierFiles earlier = EarlierFiles::Ignored,
                            std::span<const StepGroup> groups = {});

/// What a piece of a part sees of a view of the part. `piece` lies in it as in a tensor.
PartView viewOfPiece(const PartView& view, const PartLayout& whole, const PartLayout& piece);

/// The pieces that a part would have been cut into if it were to have `partWords` words at most.
std::vector<PartPlan> cutPart(const PartPlan& part, std::uint64_t partWords);

/// As many words of the part's sibling, which it has.
PartView siblingOf(const ModelDescription& model, const PartPlan& part) noexcept;

/// The words of a part of a tensor's bytes, row by row; gathered in `buffer` where they do not
/// follow each other. `columns` are those of the tensor's word matrix.
std::span<const std::byte> rowsOf(std::span<const std::byte> tensor, const PartLayout& part,
                                  std::size_t wordBytes, std::uint64_t columns,
                                  WordBuffer<std::byte>& buffer);

}  // namespace strata
