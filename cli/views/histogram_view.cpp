#include "cli/views/histogram_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/views/table.h"
#include "cli/views/version_view.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

constexpr std::uint64_t kBarColumns = 40;

Json toJson(const Histogram& histogram) {
  return {{"count", histogram.count},
          {"not_finite", histogram.notFiniteCount},
          {"zeros", histogram.zeroCount},
          {"min", histogram.min},
          {"max", histogram.max},
          {"mean", histogram.mean},
          {"deviation", histogram.deviation},
          {"low", histogram.low},
          {"high", histogram.high},
          {"below", histogram.belowCount},
          {"above", histogram.aboveCount},
          {"bins", histogram.bins}};
}

double shareOfZeros(const Histogram& histogram) {
  if (histogram.count == 0) return 0;
  return static_cast<double>(histogram.zeroCount) / static_cast<double>(histogram.count);
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

void printBins(Output& output, const Histogram& histogram) {
  const std::uint64_t most = *std::max_element(histogram.bins.begin(), histogram.bins.end());
  const double width =
      (histogram.high - histogram.low) / static_cast<double>(histogram.bins.size());
  Table table({{"", Align::Right}, {}, {"", Align::Right}});
  const auto addRow = [&](const std::string& from, std::uint64_t count, bool hasBar) {
    const std::uint64_t columns = most == 0 ? 0 : (count * kBarColumns + most - 1) / most;
    table.addRow({"  " + from, hasBar ? std::string(columns, '#') : "", std::to_string(count)});
  };
  if (histogram.belowCount > 0) {
    addRow("below " + number(histogram.low), histogram.belowCount, false);
  }
  for (std::size_t bin = 0; bin < histogram.bins.size(); ++bin) {
    addRow(number(histogram.low + width * static_cast<double>(bin)), histogram.bins[bin], true);
  }
  if (histogram.aboveCount > 0) {
    addRow("above " + number(histogram.high), histogram.aboveCount, false);
  }
  table.print(output);
}

void print(Output& output, const std::string& title, const Histogram& histogram) {
  output.line(tinted(output.out(), Tint::Strong, printable(title)));
  std::string line = fmt::format(
      "  {} to {}, mean {}, deviation {}, {} zero", number(histogram.min), number(histogram.max),
      number(histogram.mean), number(histogram.deviation), wordShare(shareOfZeros(histogram)));
  if (histogram.notFiniteCount > 0) {
    line += fmt::format(", {} NaN or infinite", histogram.notFiniteCount);
  }
  output.line(line);
  printBins(output, histogram);
}

}  // namespace

Json toJson(const HistogramReport& report) {
  return {
      {"version", cli::toJson(report.version)},
      {"parent", report.parentLabel.empty() ? Json(nullptr) : Json(report.parentLabel)},
      {"tensor", report.tensor},
      {"parent_tensor", report.parentTensor.empty() ? Json(nullptr) : Json(report.parentTensor)},
      {"element_type", report.type},
      {"shape", report.shape},
      {"values", toJson(report.values)},
      {"change", report.change ? toJson(*report.change) : Json(nullptr)}};
}

void printHistogram(Output& output, const HistogramReport& report) {
  print(output,
        fmt::format("{}  {}  {} {}", report.version.label(), report.tensor, report.type,
                    wordShape(report.shape)),
        report.values);
  if (report.change) {
    print(output, fmt::format("change to {}  {}", report.parentLabel, report.parentTensor),
          *report.change);
  } else if (!report.parentLabel.empty()) {
    output.line(printable("new: nothing in " + report.parentLabel + " goes with it"));
  }
}

}  // namespace strata::cli
