#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

/// One side of a comparison: a stored version (`store` and `reference`) or a model outside the
/// store (`model`). Exactly one of `store` and `model` is set.
struct DiffSide {
  const Store* store = nullptr;
  std::string reference = {};
  const ModelSource* model = nullptr;
  std::string label = {};  ///< how reports call it; empty: the version's label
};

struct DiffOptions {
  double threshold = 0;  ///< share of changed words below which a tensor is not listed
  std::vector<std::string> globs = {};  ///< of tensor names, each of which matches one; empty: all
};

/// A rectangle of a tensor as a matrix: the rows are its first dimension, the columns all others; a
/// vector is one row.
struct TensorRange {
  std::uint64_t firstRow = 0, rowCount = 0;
  std::uint64_t firstColumn = 0, columnCount = 0;
  std::uint64_t tensorRows = 0, tensorColumns = 0;  ///< of the whole

  bool isWhole() const noexcept { return rowCount == tensorRows && columnCount == tensorColumns; }
};

/// Which words of A a rectangle of B's tensor is compared with.
struct TensorSource {
  std::string name;  ///< of A's tensor
  TensorRange inB, inA;
  bool transposed = false;
};

/// One tensor of B and what it is compared with.
struct TensorDiff {
  std::string name;                   ///< B's
  std::vector<TensorSource> sources;  ///< in B's order; empty if not comparable
  std::string typeA, typeB;           ///< "f32"; A's first where there are several
  std::vector<std::uint64_t> shapeA, shapeB;
  bool comparable = true;       ///< false: the name is all they share; the numbers below are 0 then
  bool hasNumbers = true;       ///< false: B's type has no values, only bytes that differ or not
  bool hasDistance = true;      ///< false: no relativeChange; B's type is no floating-point one
  bool pairedByName = true;     ///< false: by content, as `sources` says
  std::uint64_t byteCount = 0;  ///< of B
  std::uint64_t wordCount = 0;  ///< of B
  std::uint64_t changedWords = 0;  ///< differ in any bit, new ones among them
  std::uint64_t newWords = 0;      ///< without a counterpart in A
  std::uint64_t roundedWords = 0;  ///< changed by no more than rounding to `roundedTo`
  std::string roundedTo = {};      ///< the narrower of the two types; empty unless they differ
  double relativeChange = 0;       ///< ||B - A|| / ||A|| where both are; infinite if A is zero
  double maxAbsChange = 0;         ///< NaN and infinities are left out
  std::optional<std::uint64_t> storedBytesA, storedBytesB;  ///< nothing outside of a store

  double changedShare() const noexcept {
    return wordCount == 0 ? 0 : static_cast<double>(changedWords) / static_cast<double>(wordCount);
  }
  bool isRoundedAlone() const noexcept { return roundedWords > 0 && roundedWords == changedWords; }
};

/// How far B is from A, over the tensors of B that A has, too. Bytes of other files are no weights,
/// nor is what an optimizer keeps, unless nothing else is compared.
struct ModelChange {
  std::uint64_t wordCount = 0;     ///< of those tensors
  std::uint64_t changedWords = 0;  ///< all of a tensor that cannot be compared
  std::uint64_t newWords = 0;      ///< of those: A has nothing that they could be compared with
  std::uint64_t roundedWords = 0;  ///< changed by no more than rounding to one of `roundedTo`
  std::vector<std::string> roundedTo = {};  ///< types, sorted
  std::uint64_t integerCount = 0;           ///< of `wordCount`; those that could be compared
  std::uint64_t changedIntegers = 0;        ///< of those
  /// ||B - A|| / ||A|| over all weights that are compared, equal ones among them; infinite if those
  /// of A are zero. Integers and fill values are left out (core/archive/write/change.h). Nothing
  /// where no words could be compared.
  std::optional<double> distance = {};

  /// Whether there is any tensor of weights that both have.
  bool isAny() const noexcept { return wordCount > 0; }
  /// Whether words differ and none of them by a size: NaN, integers, words that A has nothing for.
  bool hasNoSize() const noexcept { return distance && *distance == 0 && changedWords > 0; }
  double changedShare() const noexcept;
  double newShare() const noexcept;      ///< of the changed words
  double roundedShare() const noexcept;  ///< the same
  double integerShare() const noexcept;  ///< of changed ones among the integers
};

struct DiffReport {
  std::string labelA, labelB;
  std::optional<VersionEntry> versionA, versionB;  ///< of stored sides
  bool identical = false;                          ///< every file has the same path and bytes
  std::uint64_t originalBytesA = 0, originalBytesB = 0;
  std::vector<TensorDiff> tensors;  ///< most changed first; only those at or over the threshold
  std::uint64_t hiddenTensors = 0;  ///< changed, but under the threshold
  std::uint64_t equalTensors = 0;   ///< not changed; never listed unless the threshold is 0
  std::uint64_t changedTensors = 0;
  std::uint64_t pairedByContent = 0;  ///< of those three: under other names, shapes or types
  std::vector<std::string> onlyInA, onlyInB;  ///< tensors
  std::vector<std::string> filesOnlyInA, filesOnlyInB;
  std::vector<std::string> filesChanged;  ///< in bytes outside of tensors or in them
  ModelChange change;
};

/// Compares two models tensor by tensor. Names propose: a tensor of B goes with A's of that name,
/// type and shape unless their words have nothing in common. All others are looked for by content
/// (core/match/matcher.h): renamed, transposed, grown, split, merged, rounded to another type. What
/// has no counterpart is only in A or only in B. Memory stays small: both are read in pieces.
/// Fails with InvalidArgument, NotFound, CorruptData, Cancelled, NoSpace, Io.
Result<DiffReport> diffModels(const DiffSide& a, const DiffSide& b, const DiffOptions& options,
                              std::stop_token stop, const ProgressSink& progress);

/// Where a tensor's words come from, for people: "old.weight, transposed", "rows 0..9 of qkv",
/// "rows 0..7: embed.weight; the rest is new", "within the rounding to bf16". Empty if A's tensor
/// of that name serves as a whole, in the same type.
std::string wordSources(const TensorDiff& tensor);

/// The change in words: "0.018 relative L2, 61 % of weights differ"; "..., all within the rounding
/// to bf16"; "unknown: A and B have no tensor in common".
std::string wordChange(const ModelChange& change);

/// As diffModels, against the version's own base: `strata diff REF`.
/// Fails with InvalidArgument if it is a base itself.
Result<DiffReport> diffToBase(const Store& store, const std::string& reference,
                              const DiffOptions& options, std::stop_token stop,
                              const ProgressSink& progress);

}  // namespace strata
