#include "core/archive/write/part_plan.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include "core/archive/write/counterparts.h"
#include "core/archive/write/rounded_copies.h"
#include "core/checked_math.h"
#include "core/parallel.h"

namespace strata {
namespace {

/// A stored version as the matcher sees it.
class StoredParent final : public ParentModel {
 public:
  explicit StoredParent(const VersionReader* reader) : reader_(reader) {
    if (reader != nullptr) tensors_ = parentTensors(reader->manifest());
  }

  std::span<const ParentTensor> tensors() const noexcept override { return tensors_; }
  Result<void> read(std::uint32_t file, std::uint64_t offset,
                    std::span<std::byte> out) const override {
    return reader_->read(file, offset, out);
  }

 private:
  const VersionReader* reader_;
  std::vector<ParentTensor> tensors_;
};

bool hasOwnView(const TensorMatch& match) {
  return std::any_of(match.parts.begin(), match.parts.end(),
                     [](const PartMatch& p) { return p.parent && p.parent->own; });
}

/// Own views point at tensors that have none themselves. A copy of a tensor with an own view takes
/// that view, and what cannot do so gives its own view up.
void flattenOwnViews(const ModelDescription& model, std::vector<TensorMatch>& matches) {
  const auto isShapedAs = [&](std::size_t index, std::uint32_t target) {
    const TensorInfo& tensor = model.tensors[index];
    const TensorInfo& other = model.tensors[target];
    return tensor.type == other.type && wordMatrix(tensor.type, tensor.shape, tensor.byteCount) ==
                                            wordMatrix(other.type, other.shape, other.byteCount);
  };
  for (std::size_t i = 0; i < matches.size(); ++i) {
    for (PartMatch& part : matches[i].parts) {
      if (!part.parent || !part.parent->own) continue;
      const std::uint32_t original = part.parent->tensor;
      const TensorMatch& target = matches[original];
      if (!hasOwnView(target)) continue;
      const PartMatch& first = target.parts.front();
      const bool isWhole = target.parts.size() == 1 && part.identical;
      if (isWhole && (first.identical || isShapedAs(i, original))) {
        part.parent = first.parent;
        part.identical = first.identical;
      } else {
        part.parent.reset();
        part.identical = false;
      }
    }
  }
}

/// The view of the part that begins `rows` and `columns` into a larger one.
PartView shifted(PartView view, const PartLayout& whole, std::uint64_t rows,
                 std::uint64_t columns) {
  const std::uint64_t stride = strideOf(view, whole);
  const std::uint64_t words = view.transposed ? columns * stride + rows : rows * stride + columns;
  view.offset += words * wordFormat(view.type).bytes;
  if (view.transposed && rows != 0) view.stride = stride;
  return view;
}

/// Finds for tensors the first one of the model with their type and shape, where an own view may
/// point at it: it has none itself, and no own view points at theirs.
class Siblings {
 public:
  Siblings(const ModelDescription& model, std::span<const TensorMatch> matches)
      : model_(model), isViewed_(matches.size()) {
    for (const TensorMatch& match : matches) {
      for (const PartMatch& part : match.parts) {
        if (part.parent && part.parent->own) isViewed_[part.parent->tensor] = true;
      }
    }
  }

  /// To be called for one tensor after the other.
  std::optional<std::uint32_t> of(std::uint32_t index, const TensorMatch& match) {
    if (hasOwnView(match)) return std::nullopt;
    const TensorInfo& tensor = model_.tensors[index];
    const WordMatrix matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
    const auto [first, isFirst] =
        first_.try_emplace(std::tuple(tensor.type, matrix.rows, matrix.columns), index);
    if (isFirst || isViewed_[index]) return std::nullopt;
    return first->second;
  }

 private:
  const ModelDescription& model_;
  std::vector<bool> isViewed_;
  std::map<std::tuple<ElementType, std::uint64_t, std::uint64_t>, std::uint32_t> first_;
};

/// The piece of a part that begins `row` and `column` into it.
PartPlan pieceOf(const PartPlan& whole, PartLayout piece) {
  PartPlan part = whole;
  if (whole.view) part.view = viewOfPiece(*whole.view, whole.layout, piece);
  if (whole.counterpart) part.counterpart = viewOfPiece(*whole.counterpart, whole.layout, piece);
  part.stepSources.clear();
  for (const PartView& source : whole.stepSources.view()) {
    part.stepSources.append(viewOfPiece(source, whole.layout, piece));
  }
  piece.firstRow += whole.layout.firstRow;
  piece.firstColumn += whole.layout.firstColumn;
  part.layout = piece;
  return part;
}

/// Cuts the parts of one band at the same rows, or long single rows by columns.
void cutBand(const std::vector<PartPlan>& band, std::uint64_t partWords,
             std::vector<PartPlan>& out) {
  std::uint64_t widest = 1;
  for (const PartPlan& part : band) widest = std::max(widest, part.layout.columnCount);
  const std::uint64_t rowCount = band.front().layout.rowCount;
  if (band.size() == 1 && band.front().isIdentical) return out.push_back(band.front());
  const bool isTransposed = std::any_of(band.begin(), band.end(), [](const PartPlan& part) {
    return part.view && part.view->transposed;
  });
  if (isTransposed) partWords = kLargePartWords;
  const std::uint64_t rowsEach = std::max<std::uint64_t>(1, partWords / widest);
  for (std::uint64_t row = 0; row < rowCount; row += rowsEach) {
    const std::uint64_t rows = std::min(rowsEach, rowCount - row);
    for (const PartPlan& part : band) {
      for (std::uint64_t column = 0; column < part.layout.columnCount; column += partWords) {
        const std::uint64_t columns = std::min(partWords, part.layout.columnCount - column);
        out.push_back(pieceOf(part, {row, rows, column, columns}));
      }
    }
  }
}

PartPlan planPart(const TensorInfo& tensor, std::uint32_t index, const PartMatch& matched) {
  PartPlan part;
  part.tensor = index;
  part.type = tensor.type;
  part.layout = matched;
  part.isIdentical = matched.identical && matched.parent;
  part.view = matched.parent;
  return part;
}

/// What a tensor's parts may be compared with: words of the model, and of the base.
struct OtherWords {
  std::optional<std::uint32_t> sibling;
  std::optional<PartView> counterpart;  ///< the whole tensor
};

void planTensor(const ModelDescription& model, std::uint32_t index, const TensorMatch& match,
                const OtherWords& others, const PartSizes& sizes, std::vector<PartPlan>& out) {
  const TensorInfo& tensor = model.tensors[index];
  const WordMatrix matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  std::vector<PartPlan> band;
  const auto cut = [&] {
    const bool hasView =
        std::any_of(band.begin(), band.end(), [](const PartPlan& part) { return part.view; });
    if (!band.empty()) cutBand(band, hasView ? sizes.delta : sizes.alone, out);
    band.clear();
  };
  for (const PartMatch& matched : match.parts) {
    if (!band.empty() && band.front().layout.firstRow != matched.firstRow) {
      cut();
    }
    band.push_back(planPart(tensor, index, matched));
    PartPlan& part = band.back();
    if (others.counterpart && (!part.view || part.view->own)) {
      const PartLayout all{0, matrix.rows, 0, matrix.columns};
      part.counterpart = viewOfPiece(*others.counterpart, all, part.layout);
    }
    // Parts that share the tensor with others, which have a parent, are left out for simplicity.
    if (match.parts.size() == 1 && !matched.parent) part.sibling = others.sibling;
  }
  cut();
}

std::string_view parentNameOf(const ModelDescription& model, const VersionReader* parent,
                              const TensorMatch& match) {
  for (const PartMatch& part : match.parts) {
    if (!part.parent) continue;
    if (part.parent->own) return model.tensors[part.parent->tensor].name;
    return parent->manifest().tensors.nameOf(part.parent->tensor);
  }
  return {};
}

/// About as many parts as there will be: growing beyond would take a list of a million twice over.
std::size_t likelyPartCount(const ModelDescription& model, std::span<const TensorMatch> matches,
                            const PartSizes& sizes) {
  const std::uint64_t partWords = std::min(sizes.delta, sizes.alone);
  std::size_t count = 0;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const std::uint64_t words =
        model.tensors[i].byteCount / wordFormat(model.tensors[i].type).bytes;
    count += std::max<std::size_t>(matches[i].parts.size(), 1) + words / partWords;
  }
  return count + count / 64;
}

}  // namespace

PartView siblingOf(const ModelDescription& model, const PartPlan& part) noexcept {
  const TensorInfo& own = model.tensors[part.tensor];
  const TensorInfo& other = model.tensors[*part.sibling];
  const std::uint64_t columns = wordMatrix(own.type, own.shape, own.byteCount).columns;
  const std::uint64_t words = part.layout.firstRow * columns + part.layout.firstColumn;
  return {.offset = other.offset + words * wordFormat(own.type).bytes,
          .file = other.file,
          .own = true,
          .type = own.type};
}

std::span<const std::byte> rowsOf(std::span<const std::byte> tensor, const PartLayout& part,
                                  std::size_t wordBytes, std::uint64_t columns,
                                  WordBuffer<std::byte>& buffer) {
  const std::uint64_t start = (part.firstRow * columns + part.firstColumn) * wordBytes;
  const std::uint64_t byteCount = part.wordCount() * wordBytes;
  if (part.columnCount == columns || part.rowCount == 1) return tensor.subspan(start, byteCount);
  const std::span<std::byte> rows = buffer.first(byteCount);
  const std::size_t rowBytes = part.columnCount * wordBytes;
  for (std::uint64_t r = 0; r < part.rowCount; ++r) {
    std::memcpy(rows.data() + r * rowBytes, tensor.data() + start + r * columns * wordBytes,
                rowBytes);
  }
  return rows;
}

PartView viewOfPiece(const PartView& of, const PartLayout& whole, const PartLayout& piece) {
  PartView view = shifted(of, whole, piece.firstRow, piece.firstColumn);
  const bool narrows = piece.columnCount != whole.columnCount && piece.rowCount > 1;
  const bool shortens = of.transposed && piece.rowCount != whole.rowCount;
  if (narrows || shortens) view.stride = strideOf(of, whole);
  return view;
}

std::vector<PartPlan> cutPart(const PartPlan& part, std::uint64_t partWords) {
  std::vector<PartPlan> pieces;
  cutBand({part}, partWords, pieces);
  return pieces;
}

namespace {

/// Plans the parts, and with `rounds` views of finer copies. Whether such a version can be read.
Result<bool> planParts(const ModelDescription& model, const VersionReader* parent,
                       const PartSizes& sizes, EarlierFiles earlier,
                       std::span<const StepGroup> groups, bool rounds, ModelPlan& plan) {
  const StoredParent stored(parent);
  MatchOptions options;
  options.variantChecksums = plan.checksums;
  options.earlierFiles = earlier == EarlierFiles::Serve;
  STRATA_TRY(auto matches, matchModel(model, stored, options));
  const Manifest* const base = parent != nullptr ? &parent->manifest() : nullptr;
  const Counterparts counterparts(stored.tensors(), base, model);
  bool hasRounded = false;
  if (parent != nullptr && options.earlierFiles && rounds) {
    STRATA_TRY(hasRounded, planRoundedCopies(model, stored.tensors(), counterparts, matches));
  }
  flattenOwnViews(model, matches);
  Siblings siblings(model, matches);
  plan.parts.reserve(likelyPartCount(model, matches, sizes));
  plan.parentNames.reserve(matches.size());
  for (std::uint32_t i = 0; i < matches.size(); ++i) {
    const OtherWords others{siblings.of(i, matches[i]), counterparts.of(model.tensors[i])};
    planTensor(model, i, matches[i], others, sizes, plan.parts);
    const std::string_view name = parentNameOf(model, parent, matches[i]);
    plan.parentNames.emplace_back(name == model.tensors[i].name ? std::string_view() : name);
    matches[i] = {};  // of a million tensors they take much memory
  }
  return parent == nullptr || planSteps(model, *parent, counterparts, groups, hasRounded, plan);
}

}  // namespace

Result<ModelPlan> planModel(const ModelDescription& model, const VersionReader* parent,
                            const PartSizes& sizes, EarlierFiles earlier,
                            std::span<const StepGroup> groups) {
  ModelPlan plan;
  plan.checksums.resize(model.tensors.size());
  STRATA_TRY(parallelFor(model.tensors.size(), [&](std::size_t i) -> Result<void> {
    plan.checksums[i] = xxh3(bytesOf(model, model.tensors[i]));
    return {};
  }));
  STRATA_TRY(const bool isReadable, planParts(model, parent, sizes, earlier, groups, true, plan));
  if (isReadable) return plan;
  plan.parts.clear();
  plan.parentNames.clear();
  STRATA_TRY(planParts(model, parent, sizes, earlier, groups, false, plan));
  return plan;
}

}  // namespace strata
