#include "core/ops/inspect/detail/tensor_pairing.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/archive/write/change.h"
#include "core/io/temp_file.h"
#include "core/match/matcher.h"
#include "core/parallel.h"

namespace strata {
namespace {

/// Decoded at once, of a stored model.
constexpr std::uint64_t kPieceBytes = 4 << 20;

Result<void> readPieces(const ModelView& view, const ViewedTensor& tensor,
                        const std::stop_token& stop,
                        const std::function<Result<void>(std::span<const std::byte>)>& take) {
  std::vector<std::byte> buffer(std::min(kPieceBytes, tensor.byteCount));
  for (std::uint64_t at = 0; at < tensor.byteCount; at += kPieceBytes) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    const auto piece = std::span(buffer).first(std::min(kPieceBytes, tensor.byteCount - at));
    STRATA_TRY(view.read(tensor.file, tensor.offset + at, piece));
    STRATA_TRY(take(piece));
  }
  return {};
}

/// A as the matcher sees it: with the checksum of every tensor.
class ComparedParent final : public ParentModel {
 public:
  explicit ComparedParent(const ModelView& view) : view_(view) {}

  Result<void> load(const std::stop_token& stop) {
    for (const ViewedTensor& tensor : view_.tensors()) {
      tensors_.push_back({tensor.name, matrixOf(tensor), tensor.type,
                          static_cast<std::uint32_t>(tensor.file), tensor.offset,
                          tensor.checksum.value_or(0)});
    }
    return parallelFor(tensors_.size(), [&](std::size_t i) -> Result<void> {
      const ViewedTensor& tensor = view_.tensors()[i];
      if (tensor.checksum) return {};
      if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      tensors_[i].checksum = xxh3(view_.mapped(tensor));
      return {};
    });
  }

  std::span<const ParentTensor> tensors() const noexcept override { return tensors_; }
  Result<void> read(std::uint32_t file, std::uint64_t offset,
                    std::span<std::byte> out) const override {
    return view_.read(file, offset, out);
  }

 private:
  const ModelView& view_;
  std::vector<ParentTensor> tensors_;
};

/// Some tensors of B as the matcher sees them: mapped, those of a stored model from a copy.
class WantedTensors {
 public:
  Result<void> load(const ModelView& view, std::span<const std::size_t> wanted,
                    const std::stop_token& stop) {
    std::optional<TempFile> file;
    if (view.isStored()) {
      std::error_code status;
      STRATA_TRY(file, TempFile::create(std::filesystem::temp_directory_path(status), "strata"));
    }
    for (const std::size_t index : wanted) {
      const ViewedTensor& tensor = view.tensors()[index];
      TensorInfo info{.name = tensor.name,
                      .shape = tensor.shape,
                      .offset = tensor.offset,
                      .byteCount = tensor.byteCount,
                      .file = static_cast<std::uint32_t>(tensor.file),
                      .type = tensor.type,
                      .kind = TensorKind::Unknown,
                      .place = std::string_view(tensor.place)};
      if (file) {
        info.file = 0;
        info.offset = file->byteCount();
        STRATA_TRY(readPieces(view, tensor, stop, [&](auto piece) { return file->append(piece); }));
      }
      model_.tensors.push_back(std::move(info));
    }
    if (!file) {
      for (std::size_t f = 0; f < view.files().size(); ++f) {
        model_.files.push_back({view.files()[f].path, FileKind::Other, view.mappedFile(f)});
      }
      return {};
    }
    // The mapping outlives the file's name.
    STRATA_TRY(copy_, MappedFile::open(file->path()));
    model_.files.push_back({"copy", FileKind::Other, copy_.bytes()});
    return {};
  }

  const ModelDescription& model() const noexcept { return model_; }

 private:
  ModelDescription model_;
  MappedFile copy_;
};

bool isWhole(const PartLayout& part, const WordMatrix& matrix) {
  return part.rowCount == matrix.rows && part.columnCount == matrix.columns;
}

/// Turns the matcher's answer into links.
class LinkMaker {
 public:
  LinkMaker(const ModelView& b, std::span<const std::size_t> wanted,
            std::span<const TensorMatch> matches)
      : b_(b), wanted_(wanted), matches_(matches), links_(wanted.size()) {}

  std::vector<TensorLink> run() {
    std::vector<TensorLink> all;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      for (const PartMatch& part : matches_[i].parts) {
        if (auto link = linkOf(i, part)) links_[i].push_back(*link);
      }
      all.insert(all.end(), links_[i].begin(), links_[i].end());
    }
    return all;
  }

 private:
  std::optional<TensorLink> linkOf(std::size_t index, const PartMatch& match) const {
    if (!match.parent) return std::nullopt;
    const ParentRectangle& from = *match.parent;
    TensorLink link;
    link.b = wanted_[index];
    link.part = match;
    if (from.own) return linkOfCopy(link, from, match.identical);
    link.a = from.tensor;
    link.source = from;
    link.isEqual = match.identical;
    return link;
  }

  /// A tensor that repeats an earlier one of B goes with that one's counterpart.
  std::optional<TensorLink> linkOfCopy(TensorLink link, const ParentRectangle& from,
                                       bool isIdentical) const {
    const std::vector<TensorLink>& original = links_[from.tensor];
    const WordMatrix matrix = matrixOf(b_.tensors()[link.b]);
    if (original.size() != 1 || !isWhole(link.part, matrix)) return std::nullopt;
    const TensorLink& first = original.front();
    if (!isWhole(first.part, matrixOf(b_.tensors()[first.b]))) return std::nullopt;
    link.a = first.a;
    link.source = first.source;
    link.source.transposed = first.source.transposed != from.transposed;
    link.isEqual = first.isEqual && isIdentical;
    return link;
  }

  const ModelView& b_;
  std::span<const std::size_t> wanted_;
  std::span<const TensorMatch> matches_;
  std::vector<std::vector<TensorLink>> links_;  ///< of each wanted tensor
};

}  // namespace

WordMatrix matrixOf(const ViewedTensor& tensor) noexcept {
  return wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
}

namespace {

/// All of a tensor of B and all of one of A.
TensorLink wholeLink(const ModelView& a, std::size_t ofA, const ModelView& b, std::size_t ofB) {
  const ViewedTensor& tensor = a.tensors()[ofA];
  const WordMatrix matrix = matrixOf(b.tensors()[ofB]);
  TensorLink link;
  link.a = ofA;
  link.b = ofB;
  link.part = {0, matrix.rows, 0, matrix.columns};
  link.source = {.offset = tensor.offset,
                 .file = static_cast<std::uint32_t>(tensor.file),
                 .type = tensor.type};
  return link;
}

}  // namespace

std::vector<TensorLink> pairByCast(const ModelView& a, const ModelView& b,
                                   std::span<const std::size_t> wanted) {
  std::map<std::string_view, std::size_t> inA;
  for (std::size_t i = 0; i < a.tensors().size(); ++i) inA.emplace(a.tensors()[i].name, i);
  std::vector<TensorLink> links;
  for (const std::size_t i : wanted) {
    const ViewedTensor& ofB = b.tensors()[i];
    const auto found = inA.find(ofB.name);
    if (found == inA.end()) continue;
    const ViewedTensor& ofA = a.tensors()[found->second];
    const bool isOtherType = ofA.type != ofB.type && canCompare(ofA.type, ofB.type);
    if (isOtherType && ofA.shape == ofB.shape) links.push_back(wholeLink(a, found->second, b, i));
  }
  return links;
}

std::vector<TensorLink> pairByName(const ModelView& a, const ModelView& b) {
  using NameInFile = std::pair<std::string_view, std::string_view>;
  std::multimap<NameInFile, std::size_t> inA;
  const auto keyOf = [](const ModelView& view, std::size_t i) {
    const ViewedTensor& tensor = view.tensors()[i];
    return NameInFile(tensor.name, view.files()[tensor.file].path);
  };
  for (std::size_t i = 0; i < a.tensors().size(); ++i) inA.emplace(keyOf(a, i), i);
  std::vector<std::optional<TensorLink>> found(b.tensors().size());
  const auto link = [&](std::size_t i, auto named) {
    const ViewedTensor& ofA = a.tensors()[named->second];
    const ViewedTensor& ofB = b.tensors()[i];
    if (ofA.type != ofB.type || ofA.shape != ofB.shape) return;
    found[i] = wholeLink(a, named->second, b, i);
    found[i]->isEqual = ofA.checksum && ofB.checksum && *ofA.checksum == *ofB.checksum;
    inA.erase(named);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto same = inA.lower_bound(keyOf(b, i));
    if (same != inA.end() && same->first == keyOf(b, i)) link(i, same);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i]) continue;
    const auto first = inA.lower_bound({b.tensors()[i].name, {}});
    if (first != inA.end() && first->first.first == b.tensors()[i].name) link(i, first);
  }
  std::vector<TensorLink> links;
  for (const auto& one : found) {
    if (one) links.push_back(*one);
  }
  return links;
}

Result<std::vector<TensorLink>> pairByContent(const ModelView& a, const ModelView& b,
                                              std::span<const std::size_t> wanted,
                                              const std::stop_token& stop) {
  if (wanted.empty() || a.tensors().empty()) return std::vector<TensorLink>{};
  ComparedParent parent(a);
  STRATA_TRY(parent.load(stop));
  WantedTensors tensors;
  STRATA_TRY(tensors.load(b, wanted, stop));
  STRATA_TRY(const auto matches, matchModel(tensors.model(), parent, {}));
  return LinkMaker(b, wanted, matches).run();
}

}  // namespace strata
