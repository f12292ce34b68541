#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/views/svg_page.h"
#include "cli/views/tune_view.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 440;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kTop = 40;
constexpr double kBottom = 60;

/// Where a value lies between the least and the most of its axis.
struct Axis {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void cover(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  /// Leaves room at both ends.
  void widen() {
    const double room = most > least ? 0.06 * (most - least) : 1;
    least -= room;
    most += room;
  }
  double share(double value) const { return (value - least) / (most - least); }
};

class Plot {
 public:
  Plot(const TuneReport& report, const TuneOptions& options) : report_(report), options_(options) {
    for (const Trial& trial : report.search.trials) {
      if (!trial.failure.empty()) continue;
      sizes_.cover(sizeOf(trial));
      losses_.cover(lossOf(trial));
      hasLoss_ = hasLoss_ || trial.loss.has_value();
    }
    if (!(sizes_.least <= sizes_.most)) {
      sizes_.cover(0);
      losses_.cover(0);
    }
    if (const auto limit = limitOfLoss()) losses_.cover(*limit);
    sizes_.widen();
    losses_.widen();
  }

  std::string svg() {
    page_.label(kWidth / 2, 22, "middle", "Stored size and " + lossName() + " of each trial");
    drawAxes();
    drawLimit();
    drawFrontier();
    for (const Trial& trial : report_.search.trials) drawTrial(trial);
    return page_.finish();
  }

 private:
  static double sizeOf(const Trial& trial) {
    return std::log10(std::max(1.0, static_cast<double>(trial.measured.storedBytes)));
  }
  static double lossOf(const Trial& trial) {
    return trial.loss ? *trial.loss : trial.measured.relativeError;
  }
  std::string lossName() const { return hasLoss_ ? "loss in points" : "relative error"; }

  std::optional<double> limitOfLoss() const {
    return hasLoss_ ? options_.plan.target.qualityLoss : options_.plan.target.error;
  }

  double x(double size) const { return kLeft + sizes_.share(size) * (kWidth - kLeft - kRight); }
  double y(double loss) const {
    return kHeight - kBottom - losses_.share(loss) * (kHeight - kTop - kBottom);
  }

  void line(double x1, double y1, double x2, double y2, std::string_view style) {
    page_.add(fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n",
                          x1, y1, x2, y2, style));
  }

  void drawAxes() {
    constexpr int kTicks = 5;
    for (int i = 0; i <= kTicks; ++i) {
      const double share = static_cast<double>(i) / kTicks;
      const double size = sizes_.least + share * (sizes_.most - sizes_.least);
      const double loss = losses_.least + share * (losses_.most - losses_.least);
      line(x(size), kTop, x(size), kHeight - kBottom, "stroke=\"#ddd\"");
      line(kLeft, y(loss), kWidth - kRight, y(loss), "stroke=\"#ddd\"");
      page_.label(x(size), kHeight - kBottom + 18, "middle",
                  wordBytes(static_cast<std::uint64_t>(std::pow(10, size))));
      page_.label(kLeft - 6, y(loss) + 4, "end", fmt::format("{:.2g}", loss));
    }
    page_.label(kWidth / 2, kHeight - 14, "middle", "stored (logarithmic)");
    page_.add(fmt::format(
        "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        kHeight / 2, lossName()));
  }

  void drawLimit() {
    constexpr std::string_view kDashes = "stroke=\"#c33\" stroke-dasharray=\"6 4\"";
    if (const auto limit = limitOfLoss()) {
      line(kLeft, y(*limit), kWidth - kRight, y(*limit), kDashes);
      page_.label(kWidth - kRight, y(*limit) - 5, "end", "target");
    }
    if (const auto& bytes = options_.plan.target.bytes) {
      const double size = std::log10(static_cast<double>(std::max<std::uint64_t>(*bytes, 1)));
      if (size < sizes_.least || size > sizes_.most) return;
      line(x(size), kTop, x(size), kHeight - kBottom, kDashes);
      page_.label(x(size) + 4, kTop + 12, "start", "target");
    }
  }

  void drawFrontier() {
    page_.add("<polyline fill=\"none\" stroke=\"#27c\" stroke-width=\"1.5\" points=\"");
    for (const std::size_t i : report_.search.frontier) {
      const Trial& trial = report_.search.trials[i];
      page_.add(fmt::format("{:.1f},{:.1f} ", x(sizeOf(trial)), y(lossOf(trial))));
    }
    page_.add("\"/>\n");
  }

  void drawTrial(const Trial& trial) {
    if (!trial.failure.empty()) return;
    const bool isChosen = &trial == report_.chosen();
    page_.add(
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"#27c\">"
                    "<title>trial {}: {}, {}</title></circle>\n",
                    x(sizeOf(trial)), y(lossOf(trial)), isChosen ? 7 : 4,
                    isChosen            ? "#f90"
                    : trial.meetsTarget ? "#27c"
                                        : "white",
                    trial.number, svgEscaped(trial.what), wordBytes(trial.measured.storedBytes)));
  }

  const TuneReport& report_;
  const TuneOptions& options_;
  Axis sizes_;
  Axis losses_;
  bool hasLoss_ = false;
  SvgPage page_{kWidth, kHeight};
};

}  // namespace

std::string frontierSvg(const TuneReport& report, const TuneOptions& options) {
  return Plot(report, options).svg();
}

}  // namespace strata::cli
