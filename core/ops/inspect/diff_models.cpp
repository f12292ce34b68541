#include "core/ops/inspect/diff_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/archive/word_values.h"
#include "core/ops/inspect/detail/chunk_bytes.h"
#include "core/ops/inspect/detail/model_view.h"
#include "core/ops/inspect/detail/tensor_comparison.h"
#include "core/store/objects/version_chain.h"
#include "core/text/glob.h"
#include "core/text/wording.h"

namespace strata {
namespace {

struct OpenedSide {
  std::string label;
  std::optional<VersionEntry> version;
  std::unique_ptr<ModelView> view;
};

Result<OpenedSide> openSide(const DiffSide& side) {
  OpenedSide opened{.label = side.label, .version = std::nullopt, .view = nullptr};
  if (side.model != nullptr) {
    opened.view = std::make_unique<ModelView>(*side.model);
    return opened;
  }
  if (side.store == nullptr) return fail(ErrorCode::Internal, "a side of the diff is missing");
  STRATA_TRY(opened.version, side.store->resolveChecked(side.reference));
  if (opened.label.empty()) opened.label = opened.version->label();
  auto reader = openVersion(*side.store, opened.version->contentDigest);
  if (!reader) return fail(reader.error().within(opened.label));
  opened.view = std::make_unique<ModelView>(*std::move(reader));
  return opened;
}

/// A pair of one name that differs by more than this in all words is no pair: unrelated weights of
/// one size differ by 1.4.
constexpr double kUnrelatedChange = 0.9;
constexpr double kUnrelatedShare = 0.9;
/// Tensors with fewer words tell too little.
constexpr std::uint64_t kFewestWords = 256;

bool looksUnrelated(const Change& change) {
  return change.words >= kFewestWords && change.relativeChange() > kUnrelatedChange &&
         change.changedShare() > kUnrelatedShare;
}

class Comparison {
 public:
  Comparison(const OpenedSide& a, const OpenedSide& b, const DiffOptions& options)
      : a_(a), b_(b), options_(options) {}

  Result<DiffReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    report_.labelA = a_.label;
    report_.labelB = b_.label;
    report_.versionA = a_.version;
    report_.versionB = b_.version;
    STRATA_TRY(checkGlobs());
    STRATA_TRY(pairTensors(stop, progress));
    reportTensors();
    STRATA_TRY(compareFiles(stop));
    return std::move(report_);
  }

 private:
  struct ComparedPart {
    TensorLink link;
    LinkChange change;
  };
  /// What one tensor of B is compared with.
  struct Pairing {
    bool byName = true;
    std::vector<ComparedPart> parts;
  };

  ComparedViews views() const { return {*a_.view, *b_.view, a_.label, b_.label}; }
  const std::string& nameOfA(const TensorLink& link) const {
    return a_.view->tensors()[link.a].name;
  }
  const std::string& nameOfB(const TensorLink& link) const {
    return b_.view->tensors()[link.b].name;
  }

  Result<void> checkGlobs() const {
    std::vector<std::string_view> names;
    for (const ModelView* view : {a_.view.get(), b_.view.get()}) {
      for (const ViewedTensor& tensor : view->tensors()) names.push_back(tensor.name);
    }
    const std::string* const glob = unmatchedGlob(options_.globs, names);
    if (glob == nullptr) return {};
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{} and {}: none of their tensors matches {}", a_.label, b_.label, *glob));
  }

  bool isWanted(std::string_view name) const { return matchesAnyGlob(name, options_.globs); }

  Result<void> pairTensors(const std::stop_token& stop, const ProgressSink& progress) {
    std::vector<TensorLink> named = pairByName(*a_.view, *b_.view);
    std::vector<bool> isPaired(b_.view->tensors().size());
    for (const TensorLink& link : named) isPaired[link.b] = true;
    std::erase_if(named, [&](const TensorLink& link) { return !isWanted(nameOfB(link)); });
    STRATA_TRY(const auto namedChanges, compareLinks(views(), named, stop, progress));
    for (std::size_t i = 0; i < named.size(); ++i) {
      if (looksUnrelated(namedChanges[i].change)) isPaired[named[i].b] = false;
    }
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < isPaired.size(); ++i) {
      if (!isPaired[i]) open.push_back(i);
    }
    STRATA_TRY(std::vector<TensorLink> found, pairByContent(*a_.view, *b_.view, open, stop));
    std::erase_if(found, [&](const TensorLink& link) {
      return !isWanted(nameOfB(link)) && !isWanted(nameOfA(link));
    });
    STRATA_TRY(const auto foundChanges, compareLinks(views(), found, stop, progress));
    pairings_.resize(b_.view->tensors().size());
    for (std::size_t i = 0; i < named.size(); ++i) {
      pairings_[named[i].b].parts.push_back({named[i], namedChanges[i]});
    }
    for (std::size_t i = 0; i < found.size(); ++i) useFound({found[i], foundChanges[i]});
    std::erase_if(open, [&](std::size_t i) {
      return !pairings_[i].parts.empty() || !isWanted(b_.view->tensors()[i].name);
    });
    const std::vector<TensorLink> cast = pairByCast(*a_.view, *b_.view, open);
    STRATA_TRY(const auto castChanges, compareLinks(views(), cast, stop, progress));
    for (std::size_t i = 0; i < cast.size(); ++i) {
      pairings_[cast[i].b].parts.push_back({cast[i], castChanges[i]});
    }
    for (const Pairing& pairing : pairings_) {
      for (const ComparedPart& part : pairing.parts) usedOfA_.insert(part.link.a);
    }
    return {};
  }

  /// What was found by content takes the place of a pair by name, unless it is that pair.
  void useFound(const ComparedPart& part) {
    Pairing& pairing = pairings_[part.link.b];
    if (pairing.byName && !pairing.parts.empty() && pairing.parts.front().link.a == part.link.a &&
        !part.link.source.transposed) {
      return;
    }
    if (pairing.byName) pairing = {.byName = false, .parts = {}};
    pairing.parts.push_back(part);
  }

  /// Whether a tensor of B counts in the change. Bytes of other files are no weights.
  bool counts(const ViewedTensor& tensor) const {
    return tensor.type != ElementType::Bytes && !(hasWeights_ && isOptimizerState(tensor.kind));
  }

  void reportTensors() {
    hasWeights_ = std::ranges::any_of(b_.view->tensors(), [&](const ViewedTensor& tensor) {
      return isWanted(tensor.name) && isWeight(tensor.type, tensor.kind);
    });
    Change sum;
    ModelChange& change = report_.change;
    std::set<std::string> types;
    for (std::size_t i = 0; i < pairings_.size(); ++i) {
      const bool isCounted = counts(b_.view->tensors()[i]);
      if (isCounted) {
        for (const ComparedPart& part : pairings_[i].parts) sum.add(part.change.change);
      }
      std::optional<TensorDiff> diff = diffOf(i);
      if (!diff) continue;
      if (isCounted) {
        change.wordCount += diff->wordCount;
        change.changedWords += diff->comparable ? diff->changedWords : diff->wordCount;
        change.newWords += diff->comparable ? diff->newWords : diff->wordCount;
        change.roundedWords += diff->roundedWords;
        if (diff->comparable && diff->hasNumbers && !diff->hasDistance) {
          change.integerCount += diff->wordCount;
          change.changedIntegers += diff->changedWords;
        }
        if (diff->roundedWords > 0) types.insert(diff->roundedTo);
      }
      list(*std::move(diff));
    }
    for (std::size_t i = 0; i < a_.view->tensors().size(); ++i) {
      const std::string& name = a_.view->tensors()[i].name;
      if (!usedOfA_.contains(i) && isWanted(name)) report_.onlyInA.push_back(name);
    }
    change.roundedTo.assign(types.begin(), types.end());
    if (sum.words > 0) change.distance = sum.relativeChange();
    std::stable_sort(report_.tensors.begin(), report_.tensors.end(),
                     [](const TensorDiff& a, const TensorDiff& b) {
                       if (a.comparable != b.comparable) return !a.comparable;
                       return a.relativeChange > b.relativeChange;
                     });
  }

  /// Counts a tensor and lists it if it changed enough.
  void list(TensorDiff diff) {
    const bool isChanged = !diff.comparable || diff.changedWords > 0;
    ++(isChanged ? report_.changedTensors : report_.equalTensors);
    if (!diff.pairedByName) ++report_.pairedByContent;
    const bool isListed = !diff.comparable || (diff.changedShare() >= options_.threshold &&
                                               (isChanged || options_.threshold == 0));
    if (isListed) report_.tensors.push_back(std::move(diff));
    if (isChanged && !isListed) ++report_.hiddenTensors;
  }

  /// Nothing for a tensor that is only in B or not wanted.
  std::optional<TensorDiff> diffOf(std::size_t index) {
    const ViewedTensor& tensor = b_.view->tensors()[index];
    const Pairing& pairing = pairings_[index];
    TensorDiff diff;
    diff.name = tensor.name;
    diff.typeB = name(tensor.type);
    diff.hasNumbers = hasValues(tensor.type);
    diff.hasDistance = hasDistance(tensor.type);
    diff.shapeB = tensor.shape;
    diff.byteCount = tensor.byteCount;
    diff.wordCount = tensor.byteCount / wordFormat(tensor.type).bytes;
    diff.storedBytesB = tensor.storedBytes;
    if (!pairing.parts.empty()) {
      describePairing(pairing, tensor.type, diff);
      return diff;
    }
    if (!isWanted(tensor.name)) return std::nullopt;
    const auto& inA = a_.view->tensors();
    const auto named = std::ranges::find(inA, tensor.name, &ViewedTensor::name);
    const auto place = static_cast<std::size_t>(named - inA.begin());
    if (named == inA.end() || !usedOfA_.insert(place).second) {
      report_.onlyInB.push_back(tensor.name);
      return std::nullopt;
    }
    diff.comparable = false;
    describeA(*named, diff);
    return diff;
  }

  void describePairing(const Pairing& pairing, ElementType typeOfB, TensorDiff& diff) const {
    LinkChange sum;
    for (const ComparedPart& part : pairing.parts) {
      sum.add(part.change);
      diff.sources.push_back(sourceOf(part.link));
    }
    diff.pairedByName = pairing.byName;
    diff.newWords = diff.wordCount - sum.change.words;
    diff.changedWords = sum.change.changedWords + diff.newWords;
    diff.relativeChange = sum.change.relativeChange();
    diff.maxAbsChange = sum.largest;
    diff.roundedWords = sum.change.roundedWords;
    const ViewedTensor& first = a_.view->tensors()[pairing.parts.front().link.a];
    describeA(first, diff);
    if (canCompare(first.type, typeOfB) && first.type != typeOfB) {
      diff.roundedTo =
          name(wordFormat(first.type).bytes < wordFormat(typeOfB).bytes ? first.type : typeOfB);
    }
  }

  static void describeA(const ViewedTensor& tensor, TensorDiff& diff) {
    diff.typeA = name(tensor.type);
    diff.shapeA = tensor.shape;
    diff.storedBytesA = tensor.storedBytes;
  }

  TensorSource sourceOf(const TensorLink& link) const {
    const PartLayout& part = link.part;
    const WordMatrix matrixB = matrixOf(b_.view->tensors()[link.b]);
    return {.name = nameOfA(link),
            .inB = {part.firstRow, part.rowCount, part.firstColumn, part.columnCount, matrixB.rows,
                    matrixB.columns},
            .inA = rangeInA(link),
            .transposed = link.source.transposed};
  }

  TensorRange rangeInA(const TensorLink& link) const {
    const ViewedTensor& tensor = a_.view->tensors()[link.a];
    const auto [rows, columns] = matrixOf(tensor);
    const bool transposed = link.source.transposed;
    const std::uint64_t height = transposed ? link.part.columnCount : link.part.rowCount;
    const std::uint64_t width = transposed ? link.part.rowCount : link.part.columnCount;
    const std::uint64_t stride = link.source.stride == 0 ? width : link.source.stride;
    const std::uint64_t words =
        (link.source.offset - tensor.offset) / wordFormat(link.source.type).bytes;
    if (height * width == rows * columns) return {0, rows, 0, columns, rows, columns};
    // Rows of another length are seen as one run of elements.
    if (stride != columns && height > 1) return {0, 1, words, height * width, 1, rows * columns};
    if (width > columns) return {0, 1, words, height * width, 1, rows * columns};
    return {words / columns, height, words % columns, width, rows, columns};
  }

  Result<void> compareFiles(const std::stop_token& stop) {
    std::map<std::string_view, std::size_t> inB;
    for (std::size_t i = 0; i < b_.view->files().size(); ++i) {
      inB.emplace(b_.view->files()[i].path, i);
      report_.originalBytesB += b_.view->files()[i].byteCount;
    }
    // Two models of one file each are compared whatever the files are called.
    const bool isSingle = a_.view->files().size() == 1 && b_.view->files().size() == 1;
    for (std::size_t i = 0; i < a_.view->files().size(); ++i) {
      const ViewedFile& file = a_.view->files()[i];
      report_.originalBytesA += file.byteCount;
      const auto found = isSingle ? inB.begin() : inB.find(file.path);
      if (found == inB.end()) {
        report_.filesOnlyInA.push_back(file.path);
        continue;
      }
      STRATA_TRY(const bool isEqual, areFilesEqual(i, found->second, stop));
      if (!isEqual) report_.filesChanged.push_back(file.path);
      inB.erase(found);
    }
    for (const auto& [path, index] : inB) report_.filesOnlyInB.emplace_back(path);
    report_.identical = report_.filesOnlyInA.empty() && report_.filesOnlyInB.empty() &&
                        report_.filesChanged.empty();
    return {};
  }

  Result<bool> areFilesEqual(std::size_t a, std::size_t b, const std::stop_token& stop) const {
    const ViewedFile& fileA = a_.view->files()[a];
    const ViewedFile& fileB = b_.view->files()[b];
    if (fileA.byteCount != fileB.byteCount) return false;
    STRATA_TRY(const Digest digestA, digestOf(*a_.view, a, stop));
    STRATA_TRY(const Digest digestB, digestOf(*b_.view, b, stop));
    return digestA == digestB;
  }

  static Result<Digest> digestOf(const ModelView& view, std::size_t file,
                                 const std::stop_token& stop) {
    const ViewedFile& info = view.files()[file];
    if (info.sha256) return *info.sha256;
    Sha256 hash;
    std::vector<std::byte> buffer(std::min(kChunkBytes, info.byteCount));
    for (std::uint64_t at = 0; at < info.byteCount; at += kChunkBytes) {
      if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      const auto piece = std::span(buffer).first(std::min(kChunkBytes, info.byteCount - at));
      STRATA_TRY(view.read(file, at, piece));
      hash.update(piece);
    }
    return hash.finish();
  }

  const OpenedSide& a_;
  const OpenedSide& b_;
  const DiffOptions& options_;
  std::vector<Pairing> pairings_;  ///< of each tensor of B
  std::set<std::size_t> usedOfA_;  ///< tensors of A that something of B is compared with
  bool hasWeights_ = false;        ///< among the wanted tensors of B
  DiffReport report_;
};

std::string wordRange(const TensorRange& range) {
  const std::string rows =
      fmt::format("rows {}..{}", range.firstRow, range.firstRow + range.rowCount - 1);
  std::string columns = fmt::format("{} {}..{}", range.tensorRows == 1 ? "elements" : "columns",
                                    range.firstColumn, range.firstColumn + range.columnCount - 1);
  if (range.rowCount == range.tensorRows) return columns;
  return range.columnCount == range.tensorColumns ? rows : rows + ", " + columns;
}

std::string wordSource(const TensorSource& source) {
  std::string text = source.inB.isWhole() ? "" : wordRange(source.inB) + ": ";
  if (!source.inA.isWhole()) text += wordRange(source.inA) + " of ";
  return text + source.name + (source.transposed ? ", transposed" : "");
}

double shareOf(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double ModelChange::changedShare() const noexcept { return shareOf(changedWords, wordCount); }
double ModelChange::newShare() const noexcept { return shareOf(newWords, changedWords); }
double ModelChange::integerShare() const noexcept { return shareOf(changedIntegers, integerCount); }
double ModelChange::roundedShare() const noexcept { return shareOf(roundedWords, changedWords); }

std::string wordSources(const TensorDiff& tensor) {
  constexpr std::size_t kMostSources = 4;
  const std::string rounding =
      tensor.isRoundedAlone() ? "within the rounding to " + tensor.roundedTo : std::string();
  if (tensor.sources.size() == 1 && wordSource(tensor.sources[0]) == tensor.name) return rounding;
  std::string text;
  for (std::size_t i = 0; i < std::min(tensor.sources.size(), kMostSources); ++i) {
    text += (i == 0 ? "" : "; ") + wordSource(tensor.sources[i]);
  }
  if (tensor.sources.size() > kMostSources) {
    text += fmt::format("; {} more", tensor.sources.size() - kMostSources);
  }
  if (!rounding.empty()) text += "; " + rounding;
  return tensor.newWords > 0 ? text + "; the rest is new" : text;
}

std::string wordChange(const ModelChange& change) {
  if (!change.isAny()) return "unknown: A and B have no tensor in common";
  std::string share = wordShare(change.changedShare()) + " of weights differ";
  if (change.changedIntegers > 0) {
    share += fmt::format(" ({} of the integers)", wordShare(change.integerShare()));
  }
  if (!change.distance) {
    return fmt::format("unknown: no tensor has one shape in A and in B; {}", share);
  }
  if (std::isinf(*change.distance)) return "infinite: the weights of A are zero; " + share;
  std::string text = change.hasNoSize()
                         ? "no size, " + share
                         : fmt::format("{} relative L2, {}", wordError(*change.distance), share);
  if (change.newWords > 0) {
    const bool areAll = change.newWords == change.changedWords;
    text += fmt::format(", {} without a counterpart in A",
                        areAll ? "all" : wordShare(change.newShare()) + " of them");
  }
  if (change.hasNoSize() && change.changedWords > change.newWords) {
    return text +
           ", by NaN, infinity, the sign of zero, fill values, integers and packed types alone";
  }
  if (change.roundedWords == 0) return text;
  const bool isAll = change.roundedWords == change.changedWords;
  return text + fmt::format(", {} within the rounding to {}",
                            isAll ? "all" : wordShare(change.roundedShare()) + " of them",
                            fmt::join(change.roundedTo, " and "));
}

Result<DiffReport> diffModels(const DiffSide& a, const DiffSide& b, const DiffOptions& options,
                              std::stop_token stop, const ProgressSink& progress) {
  STRATA_TRY(const OpenedSide openedA, openSide(a));
  STRATA_TRY(const OpenedSide openedB, openSide(b));
  auto report = Comparison(openedA, openedB, options).run(stop, progress);
  for (const DiffSide* side : {&a, &b}) {
    if (side->model != nullptr) STRATA_TRY(side->model->checkUnchanged());
  }
  return report;
}

}  // namespace strata
