#include "cli/views/diff_view.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/views/table.h"
#include "cli/views/version_view.h"
#include "core/ops/versions/write_report.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

/// JSON has no infinity: null stands for it.
Json finite(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json optionalBytes(const std::optional<std::uint64_t>& bytes) {
  return bytes ? Json(*bytes) : Json(nullptr);
}

Json toJson(const TensorRange& range) {
  return {{"first_row", range.firstRow},
          {"rows", range.rowCount},
          {"first_column", range.firstColumn},
          {"columns", range.columnCount}};
}

Json toJson(const TensorSource& source) {
  return {{"name", source.name},
          {"in_b", toJson(source.inB)},
          {"in_a", toJson(source.inA)},
          {"transposed", source.transposed}};
}

Json toJson(const TensorDiff& tensor) {
  Json sources = Json::array();
  for (const TensorSource& source : tensor.sources) sources.push_back(toJson(source));
  return {{"name", tensor.name},
          {"paired_by", !tensor.pairedByName ? "content" : "name"},
          {"sources", std::move(sources)},
          {"type_a", tensor.typeA},
          {"type_b", tensor.typeB},
          {"shape_a", tensor.shapeA},
          {"shape_b", tensor.shapeB},
          {"comparable", tensor.comparable},
          {"bytes", tensor.byteCount},
          {"words", tensor.wordCount},
          {"changed_words", tensor.changedWords},
          {"new_words", tensor.newWords},
          {"rounded_words", tensor.roundedWords},
          {"rounded_to", tensor.roundedTo.empty() ? Json(nullptr) : Json(tensor.roundedTo)},
          {"changed_share", tensor.changedShare()},
          {"relative_change", tensor.hasDistance ? finite(tensor.relativeChange) : Json(nullptr)},
          {"max_change", finite(tensor.maxAbsChange)},
          {"stored_bytes_a", optionalBytes(tensor.storedBytesA)},
          {"stored_bytes_b", optionalBytes(tensor.storedBytesB)}};
}

Json side(const std::string& label, const std::optional<VersionEntry>& version,
          std::uint64_t originalBytes) {
  return {{"label", label},
          {"original_bytes", originalBytes},
          {"version", version ? cli::toJson(*version) : Json(nullptr)}};
}

void printNames(Output& output, std::string_view title, const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 8;
  if (names.empty()) return;
  std::string text = fmt::format("{}: ", title);
  for (std::size_t place = 0; place < std::min(names.size(), kMostNames); ++place) {
    text += (place == 0 ? "" : ", ") + names[place];
  }
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  output.line(printable(text));
}

std::string storedText(const DiffReport& report) {
  if (!report.versionA || !report.versionB) return {};
  const auto before = report.versionA->storedBytes;
  const auto after = report.versionB->storedBytes;
  std::string text = fmt::format("stored    {} -> {}", wordBytes(before), wordBytes(after));
  if (before == 0) return text;
  const double change = static_cast<double>(after) / static_cast<double>(before) - 1;
  return text + fmt::format("  ({})", wordShareChange(change));
}

std::string csvCell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char letter : text) {
    if (letter == '"') cell += '"';
    cell += letter;
  }
  return cell + "\"";
}

/// B's shape, and A's where one tensor of another shape or type is compared with it.
std::string shapeText(const TensorDiff& tensor) {
  const std::string a = wordShape(tensor.shapeA);
  const std::string b = wordShape(tensor.shapeB);
  if (tensor.sources.size() > 1) return b;
  if (tensor.typeA != tensor.typeB) {
    return fmt::format("{} {} -> {} {}", tensor.typeA, a, tensor.typeB, b);
  }
  return a == b ? b : a + " -> " + b;
}

}  // namespace

Json toJson(const DiffReport& report) {
  const ModelChange& change = report.change;
  Json tensors = Json::array();
  for (const TensorDiff& tensor : report.tensors) tensors.push_back(toJson(tensor));
  return {{"a", side(report.labelA, report.versionA, report.originalBytesA)},
          {"b", side(report.labelB, report.versionB, report.originalBytesB)},
          {"identical", report.identical},
          {"changed_share", change.isAny() ? Json(change.changedShare()) : Json(nullptr)},
          {"relative_change", change.distance ? finite(*change.distance) : Json(nullptr)},
          {"changed_share_of_integers",
           change.integerCount > 0 ? Json(change.integerShare()) : Json(nullptr)},
          {"rounded_share", change.isAny() ? Json(change.roundedShare()) : Json(nullptr)},
          {"rounded_to", change.roundedTo},
          {"tensors_changed", report.changedTensors},
          {"tensors_equal", report.equalTensors},
          {"tensors_paired_by_content", report.pairedByContent},
          {"tensors_hidden", report.hiddenTensors},
          {"tensors", std::move(tensors)},
          {"tensors_only_in_a", report.onlyInA},
          {"tensors_only_in_b", report.onlyInB},
          {"files_changed", report.filesChanged},
          {"files_only_in_a", report.filesOnlyInA},
          {"files_only_in_b", report.filesOnlyInB}};
}

void printSummary(Output& output, const DiffReport& report) {
  output.line(tinted(output.out(), Tint::Strong,
                     printable(fmt::format("{} -> {}", report.labelA, report.labelB))));
  if (report.identical) {
    output.line("identical, byte for byte");
    return;
  }
  output.line(fmt::format("original  {} -> {}", wordBytes(report.originalBytesA),
                          wordBytes(report.originalBytesB)));
  if (const std::string stored = storedText(report); !stored.empty()) output.line(stored);
  output.line("change    " + wordChange(report.change));
  output.line(fmt::format("tensors   {} changed, {} equal, {} only in A, {} only in B",
                          report.changedTensors, report.equalTensors, report.onlyInA.size(),
                          report.onlyInB.size()));
  if (report.pairedByContent > 0) {
    output.line(fmt::format("paired    {} by content: renamed, or of another shape or type",
                            wordCount(report.pairedByContent, "tensor")));
  }
  printNames(output, "only in A", report.onlyInA);
  printNames(output, "only in B", report.onlyInB);
  printNames(output, "files changed", report.filesChanged);
  const bool areTensorsEqual =
      report.changedTensors == 0 && report.onlyInA.empty() && report.onlyInB.empty();
  if (areTensorsEqual && !report.filesChanged.empty()) {
    output.line(
        "they differ outside of the tensors, as in a header, a graph, the strides of views or "
        "other bytes");
  }
  printNames(output, "files only in A", report.filesOnlyInA);
  printNames(output, "files only in B", report.filesOnlyInB);
}

void printTensors(Output& output, const DiffReport& report, double threshold) {
  Table table({{.title = "TENSOR", .isNames = true},
               {"SHAPE"},
               {"WEIGHTS CHANGED", Align::Right},
               {"CHANGE", Align::Right},
               {.title = "LARGEST", .align = Align::Right, .isSpare = true},
               {"STORED", Align::Right},
               {.title = "FROM", .isElastic = true}});
  for (const TensorDiff& tensor : report.tensors) {
    const std::string stored = tensor.storedBytesB ? wordBytes(*tensor.storedBytesB) : "";
    const std::string shape = shapeText(tensor);
    if (!tensor.comparable) {
      const char* const why = tensor.typeA == tensor.typeB ? "other shape" : "other type";
      table.addRow({tensor.name, shape, why, "", "", stored, ""});
      continue;
    }
    // What changed between values without a distance, as to or from infinity.
    const bool hasNoSize = tensor.changedWords > 0 && tensor.relativeChange == 0;
    const bool hasLargest =
        tensor.hasNumbers && (tensor.maxAbsChange > 0 || tensor.changedWords == 0);
    table.addRow({tensor.name, shape, wordShare(tensor.changedShare()),
                  !tensor.hasDistance ? "-"
                  : hasNoSize         ? "no size"
                                      : wordError(tensor.relativeChange),
                  hasLargest ? wordError(tensor.maxAbsChange) : "-", stored, wordSources(tensor)});
  }
  table.print(output);
  if (report.hiddenTensors > 0) {
    output.line(fmt::format("... {} under {} not shown", wordCount(report.hiddenTensors, "tensor"),
                            wordShare(threshold)));
  }
}

Result<void> writeCsv(const std::filesystem::path& file, const DiffReport& report) {
  std::string text =
      "name,type_a,type_b,shape_a,shape_b,comparable,bytes,words,changed_words,relative_change,"
      "max_change,stored_bytes_a,stored_bytes_b,new_words,from,rounded_words\n";
  const auto bytes = [](const std::optional<std::uint64_t>& count) {
    return count ? std::to_string(*count) : std::string{};
  };
  for (const TensorDiff& tensor : report.tensors) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csvCell(tensor.name),
                        tensor.typeA, tensor.typeB, wordShape(tensor.shapeA),
                        wordShape(tensor.shapeB), tensor.comparable, tensor.byteCount,
                        tensor.wordCount, tensor.changedWords, tensor.relativeChange,
                        tensor.maxAbsChange, bytes(tensor.storedBytesA), bytes(tensor.storedBytesB),
                        tensor.newWords, csvCell(wordSources(tensor)), tensor.roundedWords);
  }
  return writeReport(file, text);
}

}  // namespace strata::cli
