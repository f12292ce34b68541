#include "core/ops/inspect/tensor_histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/archive/word_values.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/inspect/detail/tensor_comparison.h"
#include "core/store/objects/version_chain.h"

namespace strata {
namespace {

constexpr std::uint64_t kPieceWords = 1 << 20;
constexpr double kDeviations = 4;

using Take = std::function<void(std::span<const double>)>;
/// Gives all numbers to `take`, in pieces, the same each time.
using Numbers = std::function<Result<void>(const Take& take)>;

/// Mean and deviation piece by piece, without the loss of a difference of large sums.
class Moments {
 public:
  void add(double number) noexcept {
    ++count_;
    const double distance = number - mean_;
    mean_ += distance / static_cast<double>(count_);
    squares_ += distance * (number - mean_);
  }
  double mean() const noexcept { return mean_; }
  double deviation() const noexcept {
    return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
  }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

Result<Histogram> summarizeNumbers(const Numbers& numbers) {
  Histogram histogram;
  histogram.min = std::numeric_limits<double>::infinity();
  histogram.max = -histogram.min;
  Moments moments;
  STRATA_TRY(numbers([&](std::span<const double> piece) {
    for (const double number : piece) {
      if (!std::isfinite(number)) {
        ++histogram.notFiniteCount;
        continue;
      }
      ++histogram.count;
      if (number == 0) ++histogram.zeroCount;
      histogram.min = std::min(histogram.min, number);
      histogram.max = std::max(histogram.max, number);
      moments.add(number);
    }
  }));
  if (histogram.count == 0) histogram.min = histogram.max = 0;
  histogram.mean = moments.mean();
  histogram.deviation = moments.deviation();
  return histogram;
}

Result<Histogram> histogramOf(const Numbers& numbers, std::size_t binCount) {
  STRATA_TRY(Histogram histogram, summarizeNumbers(numbers));
  const double reach = kDeviations * histogram.deviation;
  histogram.low = std::max(histogram.min, histogram.mean - reach);
  histogram.high = std::min(histogram.max, histogram.mean + reach);
  const double width = (histogram.high - histogram.low) / static_cast<double>(binCount);
  // Equal numbers have one bin.
  histogram.bins.resize(width > 0 ? binCount : 1);
  STRATA_TRY(numbers([&](std::span<const double> piece) {
    for (const double number : piece) {
      if (!std::isfinite(number)) continue;
      if (width > 0 && number < histogram.low) {
        ++histogram.belowCount;
      } else if (width > 0 && number > histogram.high) {
        ++histogram.aboveCount;
      } else {
        const double place = width > 0 ? (number - histogram.low) / width : 0;
        ++histogram.bins[std::min(static_cast<std::size_t>(place), histogram.bins.size() - 1)];
      }
    }
  }));
  return histogram;
}

Numbers valuesIn(const ModelView& view, const ViewedTensor& tensor, const std::stop_token& stop) {
  return [&view, &tensor, &stop](const Take& take) -> Result<void> {
    const std::size_t wordBytes = wordFormat(tensor.type).bytes;
    std::vector<std::byte> bytes;
    std::vector<double> values;
    for (std::uint64_t at = 0; at < tensor.byteCount; at += bytes.size()) {
      if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
      bytes.resize(std::min(kPieceWords * wordBytes, tensor.byteCount - at));
      values.resize(bytes.size() / wordBytes);
      STRATA_TRY(view.read(tensor.file, tensor.offset + at, bytes));
      valuesOf(tensor.type, bytes, values);
      take(values);
    }
    return {};
  };
}

Numbers changesIn(const ComparedViews& views, std::span<const TensorLink> links,
                  const std::stop_token& stop) {
  return [&views, links, &stop](const Take& take) {
    std::vector<double> a;
    std::vector<double> b;
    return visitLinks(views, links, stop, [&](const TypedWords& wordsA, const TypedWords& wordsB) {
      a.resize(wordsA.bytes.size() / wordFormat(wordsA.type).bytes);
      b.resize(a.size());
      valuesOf(wordsA.type, wordsA.bytes, a);
      valuesOf(wordsB.type, wordsB.bytes, b);
      for (std::size_t i = 0; i < a.size(); ++i) b[i] -= a[i];
      take(b);
    });
  };
}

/// The parent's words for one tensor: of its name, type and shape, else found by content.
Result<std::vector<TensorLink>> linksOf(const ModelView& parent, const ModelView& version,
                                        std::size_t tensor, const std::stop_token& stop) {
  std::vector<TensorLink> links = pairByName(parent, version);
  std::erase_if(links, [&](const TensorLink& link) { return link.b != tensor; });
  if (!links.empty()) return links;
  return pairByContent(parent, version, std::span(&tensor, 1), stop);
}

}  // namespace

Result<HistogramReport> tensorHistogram(const Store& store, const HistogramOptions& options,
                                        std::stop_token stop) {
  HistogramReport report;
  STRATA_TRY(report.version, store.resolveChecked(options.reference));
  const std::string label = report.version.label();
  auto reader = openVersion(store, report.version.contentDigest);
  if (!reader) return fail(reader.error().within(label));
  const ModelView view(*reader);
  const auto tensor = std::ranges::find(view.tensors(), options.tensor, &ViewedTensor::name);
  if (tensor == view.tensors().end()) {
    return fail(ErrorCode::NotFound, fmt::format("{}: none of its {} tensors is called \"{}\"",
                                                 label, view.tensors().size(), options.tensor));
  }
  report.tensor = tensor->name;
  report.type = name(tensor->type);
  report.shape = tensor->shape;
  if (!hasValues(tensor->type)) {
    return fail(ErrorCode::Unsupported, fmt::format("{}: {} is of type {}, which has no numbers",
                                                    label, report.tensor, report.type));
  }
  STRATA_TRY(report.values, histogramOf(valuesIn(view, *tensor, stop), options.binCount));
  if (report.version.isBase()) return report;
  STRATA_TRY(const Lineage lineage, Lineage::of(store.catalog(), report.version));
  report.parentLabel = lineage.parentLabel(report.version);
  STRATA_TRY(auto parentReader, openVersion(store, *report.version.parentDigest));
  const ModelView parent(std::move(parentReader));
  const auto index = static_cast<std::size_t>(tensor - view.tensors().begin());
  STRATA_TRY(const auto links, linksOf(parent, view, index, stop));
  if (links.empty()) return report;
  report.parentTensor = parent.tensors()[links.front().a].name;
  const ComparedViews views{parent, view, report.parentLabel, label};
  STRATA_TRY(report.change, histogramOf(changesIn(views, links, stop), options.binCount));
  return report;
}

}  // namespace strata
