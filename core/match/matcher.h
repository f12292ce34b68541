#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/element_type.h"
#include "core/model/model_source.h"
#include "core/model/part_geometry.h"
#include "core/result.h"

namespace strata {

/// A tensor as the codecs see it: rows of words, one after the other.
///
/// Words, not elements: a c64 element is two words, two i4 elements are one. `rows` is the first
/// dimension and `columns` the words of one row; scalars, vectors and tensors whose rows are no
/// whole words are one row.
struct WordMatrix {
  std::uint64_t rows = 1;
  std::uint64_t columns = 0;

  friend bool operator==(const WordMatrix&, const WordMatrix&) = default;
};

/// The one meaning of "row" and "column" in parts, views and manifests.
WordMatrix wordMatrix(ElementType type, std::span<const std::uint64_t> shape,
                      std::uint64_t byteCount) noexcept;

/// One weight of the stored version that a delta may be taken against. There may be a million of
/// them, so the name is borrowed from who lists them.
struct ParentTensor {
  std::string_view name;
  WordMatrix matrix;
  ElementType type = ElementType::Bytes;
  std::uint32_t file = 0;      ///< index into the parent's files
  std::uint64_t offset = 0;    ///< of the first byte, in that file
  std::uint64_t checksum = 0;  ///< XXH3-64 of the bytes
};

/// The version that a delta may be taken against, read without writing it out.
class ParentModel {
 public:
  virtual ~ParentModel() = default;
  virtual std::span<const ParentTensor> tensors() const noexcept = 0;

  /// Fills `out` from byte `offset` of file number `file`. Called with at most 64 Ki words at a
  /// time, aligned to 64 Ki words from a tensor's start, and about once for each such block.
  virtual Result<void> read(std::uint32_t file, std::uint64_t offset,
                            std::span<std::byte> out) const = 0;
};

/// Where the words lie that a part is coded against: in an own tensor that comes before the part's,
/// or in the parent's.
struct ParentRectangle : PartView {
  std::uint32_t tensor = 0;  ///< index into the parent's (or the variant's) tensors
};

/// A rectangle of a variant's tensor and what to code it against.
struct PartMatch : PartLayout {
  std::optional<ParentRectangle> parent;  ///< nothing: no parent pays here
  bool identical = false;                 ///< by checksum of the whole tensor, in the same order
  double bitsPerWord = 0;                 ///< estimated cost as matched; from samples
};

/// All parts of one tensor. They cover it without gap or overlap: bands of rows from the top, and
/// in each band from left to right.
struct TensorMatch {
  std::vector<PartMatch> parts;
};

struct MatchOptions {
  bool allowCasts = true;  ///< code bf16 against f32 and what canCast(), through a rounded parent
  bool earlierFiles = false;  ///< weights of earlier files of the variant may serve as parents
  /// XXH3-64 of each tensor of the variant; computed here where empty.
  std::span<const std::uint64_t> variantChecksums = {};
  /// Takes how often a weight was compared with a parent, by name or by words; may be null. Grows
  /// with the number of weights, not with its square.
  std::uint64_t* comparisons = nullptr;
};

/// Finds for each tensor of `variant` the words of `parent` (or of an earlier, equal tensor of the
/// variant) that it is cheapest to code against.
///
/// Names propose, contents decide: every match but an identical one is verified on samples, so
/// renamed, renumbered, transposed, grown, split and merged weights are found, and names that came
/// to mean another weight are not believed. The answer depends on the two models only. It is one
/// TensorMatch for each tensor of the variant, in their order.
///
/// Fails with what `parent.read` fails with, and with InvalidArgument if `variantChecksums` is
/// neither empty nor one for each tensor.
Result<std::vector<TensorMatch>> matchModel(const ModelDescription& variant,
                                            const ParentModel& parent, const MatchOptions& options);

}  // namespace strata
