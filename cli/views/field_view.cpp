#include "cli/views/field_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/views/svg_page.h"
#include "cli/views/table.h"
#include "cli/views/tune_view.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

constexpr const char* kNothing = "-";

double ratioOf(const FieldRow& row, std::uint64_t originalBytes) {
  const auto stored = static_cast<double>(std::max<std::uint64_t>(row.storedBytes, 1));
  return static_cast<double>(originalBytes) / stored;
}

double rate(std::uint64_t bytes, double seconds) {
  return seconds <= 0 ? 0 : static_cast<double>(bytes) / seconds;
}

std::string errorText(const FieldRow& row) {
  if (!row.lossy) return "exact";
  return row.relativeError ? fmt::format("{:.3g}", *row.relativeError) : kNothing;
}

/// The model's own score, for exact ones.
std::string scoreText(const FieldRow& row, const FieldReport& report) {
  if (row.score) return fmt::format("{:.4f}", row.score->restored.score);
  const bool isKnown = !row.lossy && report.reference;
  return isKnown ? fmt::format("{:.4f}", report.reference->score) : kNothing;
}

Json rowJson(const FieldRow& row, std::uint64_t originalBytes) {
  Json fields{
      {"system", row.system}, {"source", row.source}, {"method", row.method}, {"lossy", row.lossy}};
  if (!row.problem.empty()) {
    fields["problem"] = row.problem;
    return fields;
  }
  fields["stored_bytes"] = row.storedBytes;
  fields["ratio"] = ratioOf(row, originalBytes);
  fields["add_bytes_per_second"] = rate(originalBytes, row.addSeconds);
  fields["restore_bytes_per_second"] = rate(originalBytes, row.restoreSeconds);
  fields["relative_error"] = row.relativeError ? Json(*row.relativeError) : Json();
  fields["score"] = row.score ? cli::toJson(*row.score) : Json();
  return fields;
}

/// Horizontal bars.
class Bars {
 public:
  explicit Bars(const FieldReport& report)
      : report_(report),
        page_(kWidth, kTop + kRow * static_cast<double>(report.rows.size()) + kBottom) {
    for (const FieldRow& row : report.rows) {
      if (row.problem.empty()) most_ = std::max(most_, ratio(row));
    }
  }

  std::string svg() {
    page_.label(kWidth / 2, 22, "middle", "Original bytes over stored bytes (logarithmic)");
    double y = kTop;
    for (const FieldRow& row : report_.rows) {
      draw(row, y);
      y += kRow;
    }
    return page_.finish();
  }

 private:
  static constexpr double kWidth = 760;
  static constexpr double kLeft = 150;
  static constexpr double kRight = 190;
  static constexpr double kTop = 40;
  static constexpr double kBottom = 12;
  static constexpr double kRow = 24;

  double ratio(const FieldRow& row) const { return ratioOf(row, report_.originalBytes); }

  /// A ratio of 1 has a bar that can be seen.
  double widthOf(const FieldRow& row) const {
    const double share = std::log(std::max(ratio(row), 1.0)) / std::log(std::max(most_, 2.0));
    return 2 + share * (kWidth - kLeft - kRight);
  }

  void draw(const FieldRow& row, double y) {
    page_.label(kLeft - 8, y + 15, "end", row.system);
    if (!row.problem.empty())
      return page_.label(kLeft, y + 15, "start", "does not take this model");
    const double width = widthOf(row);
    page_.add(fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", kLeft,
        y + 3, width, kRow - 6, row.isOurs ? "#27c" : "#999"));
    std::string words = wordRatio(ratio(row));
    if (row.score) {
      words += fmt::format(", score {:.4f}", row.score->restored.score);
    } else if (row.relativeError) {
      words += fmt::format(", error {:.3g}", *row.relativeError);
    }
    page_.label(kLeft + width + 6, y + 15, "start", words);
  }

  const FieldReport& report_;
  double most_ = 1;
  SvgPage page_;
};

}  // namespace

std::string rowText(const FieldRow& row, std::uint64_t originalBytes) {
  if (!row.problem.empty()) return fmt::format("{}: {}", row.system, row.problem);
  return fmt::format("{}: {}, {}", row.system, wordBytes(row.storedBytes),
                     wordRatio(ratioOf(row, originalBytes)));
}

void printField(Output& output, const FieldReport& report) {
  Table table({{"SYSTEM"},
               {"METHOD"},
               {"STORED", Align::Right},
               {"RATIO", Align::Right},
               {"ERROR", Align::Right},
               {report.reference ? "SCORE" : "", Align::Right},
               {"ADD", Align::Right},
               {"RESTORE", Align::Right}});
  for (const FieldRow& row : report.rows) {
    if (!row.problem.empty()) {
      table.addRow({row.system, row.method, kNothing, kNothing, kNothing,
                    report.reference ? kNothing : "", kNothing, kNothing});
      continue;
    }
    table.addRow({row.system, row.method, wordBytes(row.storedBytes),
                  wordRatio(ratioOf(row, report.originalBytes)), errorText(row),
                  report.reference ? scoreText(row, report) : std::string(),
                  wordRate(rate(report.originalBytes, row.addSeconds)),
                  wordRate(rate(report.originalBytes, row.restoreSeconds))});
  }
  table.print(output);
  output.line(fmt::format("{} each, packs and manifest; the base takes {} once; {}",
                          wordBytes(report.originalBytes), wordBytes(report.baseBytes),
                          wordCount(report.threads, "thread")));
  if (report.reference) output.line("Unquantized: " + evaluationText(*report.reference));
  for (const FieldRow& row : report.rows) {
    if (!row.problem.empty()) output.warning(printable(row.system + ": " + row.problem));
  }
}

Json toJson(const FieldReport& report) {
  Json rows = Json::array();
  for (const FieldRow& row : report.rows) rows.push_back(rowJson(row, report.originalBytes));
  Json fields{{"original_bytes", report.originalBytes},
              {"base_bytes", report.baseBytes},
              {"threads", report.threads},
              {"systems", std::move(rows)}};
  if (report.reference) {
    fields["reference"] = {{"metric", report.reference->metric},
                           {"score", report.reference->score},
                           {"samples", report.reference->samples}};
  }
  return fields;
}

std::string fieldSvg(const FieldReport& report) { return Bars(report).svg(); }

}  // namespace strata::cli
