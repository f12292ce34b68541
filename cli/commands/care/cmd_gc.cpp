#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/context.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/ops/care/collect_garbage.h"
#include "core/text/wording.h"
#include "onnx_io/model_reader.h"

namespace strata::cli {
namespace {

class GcCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "gc [options]",
            .summary =
                "Free what no version needs, such as an interrupted add left; says what "
                "would go unless --yes is given.",
            .examples = {"gc", "gc --yes", "gc --recode"},
            .details =
                "What pulls have fetched stays, those that run and those of transfer list. Parts "
                "that no pull of that list goes on with are freed, too. Whole models that no name "
                "leads to are named and stay: verify --repair gives them a name, --unnamed frees "
                "them. A removed version stays while others are differences to it. --recode codes "
                "those anew, where that frees bytes; without --yes, too, to tell how many. Lossy "
                "ones keep what they stand on."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &dryRun_,
                   .help = "say what would go, also with --yes"});
    arguments.add({.spelling = "--unnamed",
                   .target = &unnamed_,
                   .help = "free whole models that no name leads to, too"});
    arguments.add({.spelling = "--recode",
                   .target = &recode_,
                   .help = "code anew what stands on removed versions, and free those"});
  }

  Outcome run(Context& context) override {
    const bool isDryRun = dryRun_ || !context.global().yes;
    STRATA_ATTEMPT(Store* const store, context.openStore());
    const GarbageOptions options{.dryRun = isDryRun,
                                 .unnamedToo = unnamed_,
                                 .recode = recode_,
                                 .memoryBytes = context.config().byteCount("memory"),
                                 .device = recode_ ? context.device() : nullptr,
                                 .reader = [](const auto& path) { return openModel(path); }};
    const auto report = collectGarbage(*store, options, context.stopToken(),
                                       context.progress(Context::JsonProgress::None));
    context.endProgress();
    if (!report) return problem(report.error());
    print(context.output(), *report, isDryRun);
    return ExitCode::Done;
  }

 private:
  void print(Output& output, const GarbageReport& report, bool isDryRun) const {
    Json freed = Json::array();
    for (const StoredObject& object : report.freed) {
      freed.push_back({{"object", toHex(object.digest)}, {"bytes", object.byteCount}});
      output.essential(toHex(object.digest));
    }
    Json setAside = Json::array();
    for (const std::filesystem::path& ref : report.setAside) setAside.push_back(ref.string());
    output.document({{"objects", std::move(freed)},
                     {"freed_bytes", report.freedBytes},
                     {"parts", report.freedParts},
                     {"part_bytes", report.freedPartBytes},
                     {"recoded", recodedJson(report.recoded)},
                     {"written_bytes", report.writtenBytes},
                     {"kept_objects", report.keptObjects},
                     {"kept_bytes", report.keptBytes},
                     {"held_objects", report.heldObjects},
                     {"held_bytes", report.heldBytes},
                     {"held_parts", report.heldParts},
                     {"held_part_bytes", report.heldPartBytes},
                     {"parity_objects", report.parityObjects},
                     {"parity_bytes", report.parityBytes},
                     {"unnamed", toJson(report.unnamed)},
                     {"baseless", toJson(report.baseless)},
                     {"unknown_objects", report.unknownObjects},
                     {"unknown_bytes", report.unknownBytes},
                     {"set_aside", std::move(setAside)},
                     {"dry_run", isDryRun}});
    printRecoded(output, report, isDryRun);
    const bool isNothing = report.freed.empty() && report.freedParts == 0;
    output.line(
        isNothing
            ? fmt::format("Nothing to free: {}, {}, all needed.",
                          wordCount(report.keptObjects, "object"), wordBytes(report.keptBytes))
            : fmt::format("{} {}; {} needed, {}", isDryRun ? "Would free" : "Freed",
                          freedText(report), report.keptObjects, wordBytes(report.keptBytes)));
    if (!report.recoded.empty()) {
      const std::uint64_t gone = report.freedBytes + report.freedPartBytes;
      output.line(fmt::format("{} {} by recoding: {} less in all",
                              isDryRun ? "Would write" : "Wrote", wordBytes(report.writtenBytes),
                              wordBytes(gone - std::min(gone, report.writtenBytes))));
    }
    if (report.heldObjects + report.heldParts > 0) {
      output.line(output.advised(
          fmt::format("Kept for pulls that are not over: {}, {}: strata transfer list",
                      amountText(report.heldObjects, report.heldParts),
                      wordBytes(report.heldBytes + report.heldPartBytes))));
    }
    if (report.parityObjects > 0) {
      output.line(output.advised(fmt::format(
          "Kept for parity, which brings back what is lost by them: {}, {}: strata verify "
          "--repair",
          wordCount(report.parityObjects, "object"), wordBytes(report.parityBytes))));
    }
    if (report.standingVersions > 0) {
      output.line(output.advised(fmt::format(
          "{} {}, {}, for what stands on {}: strata gc --recode", isDryRun ? "Would keep" : "Kept",
          wordCount(report.standingVersions, "removed version"), wordBytes(report.standingBytes),
          report.standingVersions == 1 ? "it" : "them")));
    }
    printUnnamed(output, report);
    printUnknown(output, report);
    if (isDryRun && !isNothing)
      output.advice(fmt::format(
          "Nothing was changed: strata gc{} --yes frees them.",
          fmt::format("{}{}", recode_ ? " --recode" : "", unnamed_ ? " --unnamed" : "")));
  }

  static Json recodedJson(const std::vector<RecodedVersion>& recoded) {
    Json all = Json::array();
    for (const RecodedVersion& one : recoded) {
      all.push_back({{"ref", one.version.label()},
                     {"parent", orNull(one.parentLabel)},
                     {"former_parent", orNull(one.formerParentLabel)},
                     {"bytes_before", one.bytesBefore},
                     {"bytes_after", one.bytesAfter}});
    }
    return all;
  }

  void printRecoded(Output& output, const GarbageReport& report, bool isDryRun) const {
    for (const RecodedVersion& one : report.recoded) {
      output.line(printable(
          fmt::format("{} {}  {} -> {}  base {}, before {}", isDryRun ? "Would recode" : "Recoded",
                      one.version.label(), wordBytes(one.bytesBefore), wordBytes(one.bytesAfter),
                      one.parentLabel.empty() ? "none" : one.parentLabel, one.formerParentLabel)));
    }
    if (recode_ && report.recoded.empty()) {
      output.line("Nothing to recode: it would free no bytes.");
    }
  }

  void printUnnamed(Output& output, const GarbageReport& report) const {
    printModels(output, report.unnamed, "whole model", "that no name leads to");
    if (!unnamed_ && !report.unnamed.empty()) {
      output.advice("strata verify --repair gives them a name, strata gc --unnamed frees them.");
    }
    printModels(output, report.baseless, "model", "that no name leads to, without their base");
    if (!unnamed_ && !report.baseless.empty()) {
      output.advice("Add or pull their base again; or give them up: strata gc --unnamed.");
    }
  }

  void printModels(Output& output, const std::vector<UnnamedModel>& models, std::string_view kind,
                   std::string_view which) const {
    if (models.empty()) return;
    output.line(fmt::format("{} {} {}:", unnamed_ ? "Among them" : "Kept",
                            wordCount(models.size(), kind), which));
    for (const UnnamedModel& model : models) {
      output.line(printable(fmt::format("  {}  {}, {}", shortHex(model.contentDigest), model.format,
                                        wordBytes(model.originalBytes))));
    }
  }

  static void printUnknown(Output& output, const GarbageReport& report) {
    if (report.unknownObjects == 0) return;
    std::vector<std::string> refs;
    for (const std::filesystem::path& ref : report.setAside) refs.push_back(ref.string());
    output.line(printable(fmt::format("Kept {}, {}, which may belong to what was set aside: {}",
                                      wordCount(report.unknownObjects, "object"),
                                      wordBytes(report.unknownBytes), fmt::join(refs, ", "))));
    output.advice(
        "Add or pull its model again; or give it up: strata gc --unnamed frees these, too.");
  }

  /// "3 objects and 1 part"
  static std::string amountText(std::uint64_t objects, std::uint64_t parts) {
    if (parts == 0) return wordCount(objects, "object");
    if (objects == 0) return wordCount(parts, "part");
    return fmt::format("{} and {}", wordCount(objects, "object"), wordCount(parts, "part"));
  }
  static std::string freedText(const GarbageReport& report) {
    return fmt::format("{}, {}", amountText(report.freed.size(), report.freedParts),
                       wordBytes(report.freedBytes + report.freedPartBytes));
  }

  bool dryRun_ = false;
  bool unnamed_ = false;
  bool recode_ = false;
};

}  // namespace

std::unique_ptr<Command> makeGc() { return std::make_unique<GcCommand>(); }

}  // namespace strata::cli
