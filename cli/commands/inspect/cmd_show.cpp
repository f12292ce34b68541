#include <fmt/format.h>

#include <algorithm>

#include "cli/context.h"
#include "cli/remote_access.h"
#include "cli/views/damage_view.h"
#include "cli/views/histogram_view.h"
#include "cli/views/remote_view.h"
#include "cli/views/role_view.h"
#include "cli/views/table.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/archive/manifest.h"
#include "core/archive/word_values.h"
#include "core/archive/write/summed_errors.h"
#include "core/model/file_kind_name.h"
#include "core/ops/inspect/show_version.h"
#include "core/store/catalog/check_dates.h"
#include "core/store/objects/awaited_packs.h"
#include "core/store/run_tags.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

std::string sizeOfChange(const VersionEntry& version) {
  const bool hasNoSize = version.relativeChange == 0 && version.changedTensors > 0;
  return wordChangeOf(version) + (hasNoSize ? "" : " relative L2");
}

std::string sizeOfChange(const TensorRow& row) {
  return row.changedShare > 0 && row.relativeChange == 0 ? "no size"
                                                         : wordError(row.relativeChange);
}

Json tensorJson(const TensorRow& row) {
  return {{"name", row.name},
          {"type", name(row.type)},
          {"shape", row.shape},
          {"kind", name(row.kind)},
          {"state", name(row.state)},
          {"codec", row.codec},
          {"parent_tensor", row.parentName.empty() ? Json(nullptr) : Json(row.parentName)},
          {"file", row.file},
          {"original_bytes", row.originalBytes},
          {"stored_bytes", row.storedBytes},
          {"ratio", row.ratio()},
          {"changed_share", row.changedShare},
          {"relative_change", hasDistance(row.type) ? Json(row.relativeChange) : Json(nullptr)}};
}

Json qualityJson(const ShowReport& report) {
  Json rows = Json::array();
  for (const QualityScore& quality : report.quality) {
    rows.push_back({{"data", quality.data},
                    {"metric", quality.metric},
                    {"reference", quality.reference},
                    {"score", quality.score},
                    {"samples", quality.samples},
                    {"divergence", quality.divergence >= 0 ? Json(quality.divergence) : Json()},
                    {"p_value", quality.pValue >= 0 ? Json(quality.pValue) : Json()}});
  }
  return rows;
}

/// "0600"
std::string modeText(std::uint32_t mode) { return fmt::format("{:04o}", mode); }

Json documentOf(const ShowReport& report, const Damages& damages) {
  Json version = withDamage(toJson(ListRow{report.version, report.parentLabel, report.baseLabel, 1,
                                           report.awaited, report.taken}),
                            damages, report.version);
  Json files = Json::array();
  for (const FileRow& file : report.files) {
    files.push_back({{"path", file.path},
                     {"kind", name(file.kind)},
                     {"bytes", file.byteCount},
                     {"sha256", toHex(file.sha256)},
                     {"mode", file.mode == 0 ? Json(nullptr) : Json(modeText(file.mode))}});
  }
  Json tensors = Json::array();
  for (const TensorRow& row : report.tensors) tensors.push_back(tensorJson(row));
  Json metadata = Json::array();
  for (const auto& [key, value] : report.metadata) {
    metadata.push_back({{"key", key}, {"value", value}});
  }
  Json packs = Json::array();
  for (const Digest& pack : report.packs) packs.push_back(toHex(pack));
  return {{"version", std::move(version)},
          {"dependants", report.dependants},
          {"files", std::move(files)},
          {"tensor_count", report.tensorCount},
          {"file_pieces", report.filePieces},
          {"tensors", std::move(tensors)},
          {"metadata", std::move(metadata)},
          {"packs", std::move(packs)},
          {"quality", qualityJson(report)},
          {"relative_error", report.relativeError},
          {"error_is_sum", hasSummedErrors(report.metadata)},
          {"role_errors", toJson(report.roleErrors)},
          {"changed_share_of_integers",
           report.changedIntegers ? Json(*report.changedIntegers) : Json(nullptr)},
          {"change_counts_integers", report.changeCountsIntegers}};
}

class ShowCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "show REF [options]",
            .summary = "One version: sizes, lineage, files, what the model says of itself.",
            .examples = {"show sst2", "show sst2:v1 --tensors --sort stored --limit 10",
                         "show sst2 --histogram layer.5.ffn.lin2.weight", "show @7c1f9e02 --json",
                         "show hub/sst2:prod"},
            .details = "REMOTE/REF is a version as a remote listed it last."};
  }

  void declare(Arguments& arguments) override {
    arguments.add(versionArgument(options_.reference));
    arguments.add({.spelling = "--tensors", .target = &tensors_, .help = "a line for each tensor"});
    arguments.add({.spelling = "--sort",
                   .target = &sort_,
                   .value = "KEY",
                   .help = "file, name, original, stored, ratio or change",
                   .choices = {"file", "name", "original", "stored", "ratio", "change"}});
    arguments.add({.spelling = "--limit",
                   .target = &limit_,
                   .value = "N",
                   .help = "at most so many tensors"});
    arguments.add({.spelling = "--histogram",
                   .target = &histogram_,
                   .value = "TENSOR",
                   .help = "how a tensor's values and its change to the parent are distributed"});
    arguments.add({.spelling = "--raw", .target = &raw_, .help = "the manifest, as text"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    Output& output = context.output();
    if (raw_ && !output.isText()) return usage("--raw is a text for people, without --json or -q");
    if (!tensors_ && !histogram_ && !raw_) {
      STRATA_ATTEMPT(const auto found, findOnRemote(context, options_.reference));
      if (found) {
        printOnRemote(output, *found, options_.reference);
        return ExitCode::Done;
      }
    }
    STRATA_ATTEMPT(options_.reference, storedReference(context, options_.reference));
    if (histogram_) return showHistogram(context, *store);
    options_.tensors = tensors_ || output.isJson();
    options_.sort = sortKey();
    options_.limit = limit_.value_or(0);
    STRATA_TRY(const ShowReport report, showVersion(*store, options_));
    const std::optional<AwaitedPacks> awaited = awaitedBy(*store, report.version);
    const std::string pull = awaited ? output.advised(pullCommand(*awaited)) : std::string();
    STRATA_TRY(const Damages damages, damagedManifests(store->folder()));
    const std::string damaged = damagedText(damages, report.version);
    Json document = documentOf(report, damages);
    document["pull"] = pull.empty() ? Json(nullptr) : Json(pull);
    output.document(std::move(document));
    output.essential(toHex(report.version.contentDigest));
    if (!output.isText()) return ExitCode::Done;
    if (raw_) return printRaw(output, *store, report.version);
    tensors_ ? printTensors(output, report) : printVersion(output, report);
    if (!damaged.empty()) {
      output.warning(
          fmt::format("{}: damaged, {}; strata verify says how", report.version.label(), damaged));
    }
    if (!pull.empty()) output.note(printable("Its packs are not here yet: " + pull));
    return ExitCode::Done;
  }

 private:
  ShowOptions::Sort sortKey() const {
    if (sort_ == "name") return ShowOptions::Sort::Name;
    if (sort_ == "original") return ShowOptions::Sort::Original;
    if (sort_ == "stored") return ShowOptions::Sort::Stored;
    if (sort_ == "ratio") return ShowOptions::Sort::Ratio;
    if (sort_ == "change") return ShowOptions::Sort::Change;
    return ShowOptions::Sort::File;
  }

  Outcome showHistogram(Context& context, const Store& store) const {
    STRATA_TRY(const VersionEntry version, store.resolve(options_.reference));
    auto found = tensorHistogram(store, {.reference = options_.reference, .tensor = *histogram_},
                                 context.stopToken());
    if (!found && found.error().code == ErrorCode::NotFound) {
      return problem({found.error(), fmt::format("strata show {} --tensors", version.label())});
    }
    STRATA_TRY(const HistogramReport report, std::move(found));
    Output& output = context.output();
    output.document(toJson(report));
    output.essential(toHex(report.version.contentDigest));
    if (output.isText()) printHistogram(output, report);
    return ExitCode::Done;
  }

  static Outcome printRaw(Output& output, const Store& store, const VersionEntry& version) {
    STRATA_TRY(const MappedFile object, store.openObject(version.manifestDigest));
    STRATA_TRY(const Manifest manifest, parseManifest(object.bytes()));
    output.line(manifestText(manifest));
    return ExitCode::Done;
  }

  static void printField(Output& output, std::string_view key, const std::string& value) {
    if (!value.empty()) output.line(fmt::format("  {:<9} {}", key, printable(value)));
  }

  /// Bytes of other files, which are coded as tensors are.
  static std::string piecesText(std::uint64_t count) {
    return count == 0 ? "" : fmt::format("; {} of other files", wordCount(count, "piece"));
  }

  static void printQuality(Output& output, const ShowReport& report) {
    printField(output, "error",
               fmt::format("{} of the {}, relative L2", wordError(report.relativeError),
                           report.version.isBase() ? "weights" : "difference"));
    if (hasSummedErrors(report.metadata)) {
      printField(output, "", "the sum of two losses: what was quantized was lossy itself");
    }
    for (const std::string& text : roleErrorTexts(report.roleErrors)) {
      printField(output, "error", text);
    }
    if (report.quality.empty()) printField(output, "quality", "not measured");
    for (const QualityScore& quality : report.quality) {
      printField(output, "quality", printable(qualityText(quality)));
    }
  }

  static void printVersion(Output& output, const ShowReport& report) {
    const VersionEntry& version = report.version;
    output.line(tinted(output.out(), Tint::Strong, version.label()) + "  " +
                toHex(version.contentDigest));
    printField(output, "size", sizeText(version, report.taken));
    printField(output, "packs", awaitedText(report.awaited));
    if (version.isBase()) {
      printField(output, "base", "stored in full");
    } else {
      printField(output, "base", report.baseLabel);
      printField(output, "parent", fmt::format("{} (depth {})", report.parentLabel, version.depth));
      printField(output, "change",
                 version.hasChange()
                     ? fmt::format("{}, to {}", sizeOfChange(version), report.parentLabel)
                     : "unknown: nothing is like " + report.parentLabel);
      if (report.changedIntegers && *report.changedIntegers > 0) {
        printField(output, "", wordShare(*report.changedIntegers) + " of the integers differ");
      }
      if (report.changeCountsIntegers) {
        printField(output, "",
                   "an earlier program counted integers as weights here; strata diff "
                   "measures anew");
      }
    }
    printField(output, "tensors", tensorCounts(version) + piecesText(report.filePieces));
    printField(
        output, "fidelity",
        std::string(fidelity(version)) +
            (isWeightsOnly(version) ? ": a snapshot without the files of its optimizer" : ""));
    const bool isQuantized =
        version.lossy && !(isWeightsOnly(version) && report.relativeError == 0);
    if (isQuantized) printQuality(output, report);
    printField(output, "coding",
               fmt::format("profile {}, effort {}", version.profile, version.effort));
    printField(output, "tags", tagsText(version));
    printField(output, "added", wordDate(version.addedAt));
    printField(output, "checked", version.checkedAt == 0 ? "" : wordDate(version.checkedAt));
    printField(output, "note", version.note);
    printField(output, "license", version.license);
    printField(output, "source", version.sourceUrl);
    printField(output, "used by", fmt::format("{}", fmt::join(report.dependants, ", ")));
    printFiles(output, report);
    printMetadata(output, report);
  }

  static void printFiles(Output& output, const ShowReport& report) {
    output.line("Files");
    // Paths come last: a long one sets nothing apart.
    Table table({{}, {"", Align::Right}, {}, {}, {}, {}});
    for (const FileRow& file : report.files) {
      table.addRow({" ", wordBytes(file.byteCount), std::string(name(file.kind)),
                    shortHex(file.sha256), file.mode == 0 ? "" : modeText(file.mode), file.path});
    }
    table.print(output);
  }

  static void printMetadata(Output& output, const ShowReport& report) {
    constexpr std::size_t kMostColumns = 200;
    if (report.metadata.empty()) return;
    output.line("Metadata");
    for (const auto& [key, value] : report.metadata) {
      output.line("  " + printable(key) + "  " + elided(printable(value), kMostColumns));
    }
  }

  static void printTensors(Output& output, const ShowReport& report) {
    if (report.tensors.empty()) {
      output.line("no tensors with elements");
      return;
    }
    const bool isOfOneFile = std::ranges::all_of(report.tensors, [&](const TensorRow& row) {
      return row.file == report.tensors.front().file;
    });
    Table table({{.title = "TENSOR", .isNames = true},
                 {.title = "FILE", .isElastic = true, .isSpare = true},
                 {.title = "TYPE", .isSpare = true},
                 {"SHAPE"},
                 {.title = "ROLE", .isSpare = true},
                 {.title = "STATE", .isSpare = true},
                 {"CODEC"},
                 {.title = "ORIGINAL", .align = Align::Right, .isSpare = true},
                 {"STORED", Align::Right},
                 {.title = "RATIO", .align = Align::Right, .isSpare = true},
                 {"CHANGED", Align::Right},
                 {"CHANGE", Align::Right}});
    for (const TensorRow& row : report.tensors) {
      const bool isNew = row.state == TensorState::New;
      const bool isOfOptimizer = isOptimizerState(row.kind);
      table.addRow({row.name, isOfOneFile ? "" : row.file, std::string(name(row.type)),
                    wordShape(row.shape), isOfOptimizer ? std::string(name(row.kind)) : "",
                    std::string(name(row.state)), row.codec, wordBytes(row.originalBytes),
                    wordBytes(row.storedBytes), wordRatio(row.ratio()),
                    isNew ? "-" : wordShare(row.changedShare),
                    isNew || !hasDistance(row.type) ? "-" : sizeOfChange(row)});
    }
    table.print(output);
    if (report.tensors.size() < report.tensorCount) {
      output.line(fmt::format("... {} more", report.tensorCount - report.tensors.size()));
    }
  }

  ShowOptions options_;
  bool tensors_ = false;
  bool raw_ = false;
  std::string sort_ = "file";
  std::optional<std::uint64_t> limit_;
  std::optional<std::string> histogram_;
};

}  // namespace

std::unique_ptr<Command> makeShow() { return std::make_unique<ShowCommand>(); }

}  // namespace strata::cli
