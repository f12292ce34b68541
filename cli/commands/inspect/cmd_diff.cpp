#include <fmt/format.h>

#include <charconv>

#include "cli/context.h"
#include "cli/remote_access.h"
#include "cli/views/diff_view.h"
#include "cli/views/report_file.h"
#include "cli/words/command.h"
#include "core/store/refs/reference.h"
#include "core/text/command_words.h"

namespace strata::cli {
namespace {

/// "1%", "1 %" or "0.01" as a share.
Result<double> parseShare(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, status] = std::from_chars(text.data(), end, number);
  std::string_view rest(stopped, static_cast<std::size_t>(end - stopped));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  const bool isPercent = rest == "%";
  const double share = isPercent ? number / 100 : number;
  if (status != std::errc{} || (!rest.empty() && !isPercent) || !(share >= 0 && share <= 1)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--threshold: \"{}\" is not a share such as 1% or 0.01", text));
  }
  return share;
}

class DiffCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "diff A [B] [options]",
            .summary = "Compare two versions, or a version with a file, tensor by tensor.",
            .examples = {"diff sst2:v1 sst2:v2", "diff sst2 --tensors --threshold 1%",
                         "diff sst2 ./finetuned.onnx --exit-code",
                         "diff sst2:v1 sst2:v2 --output change.csv"},
            .details =
                "Without B, A is compared with its base. A path with a / is a file, or REMOTE/REF "
                "of a version that was pulled."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "A",
                   .target = &a_,
                   .help = "a version, or a model's file or folder",
                   .completes = Completes::References,
                   .isRequired = true});
    arguments.add({.spelling = "B",
                   .target = &b_,
                   .help = "the same; without it A's base",
                   .completes = Completes::References});
    arguments.add({.spelling = "--tensors", .target = &tensors_, .help = "a line for each tensor"});
    arguments.add({.spelling = "--tensor",
                   .target = &options_.globs,
                   .value = "GLOB",
                   .help = "only these tensors; may be repeated"});
    arguments.add({.spelling = "--threshold",
                   .target = &threshold_,
                   .value = "SHARE",
                   .help = "leave out tensors with fewer changed weights: 1%"});
    arguments.add(
        {.spelling = "--exit-code", .target = &exitCode_, .help = "exit 7 if they differ"});
    arguments.add(excludeArgument(exclude_));
    arguments.add(followLinksArgument(followLinks_));
    arguments.add({.spelling = "--output",
                   .target = &csv_,
                   .value = "FILE.csv",
                   .help = "write the tensors to a file",
                   .completes = Completes::Files});
    arguments.add({.spelling = "-f,--force", .target = &force_, .help = "replace that file"});
  }

  Outcome run(Context& context) override {
    if (threshold_) {
      STRATA_TRY(options_.threshold, parseShare(*threshold_));
    }
    if (auto free = checkReportFile(csv_, force_); !free) return problem(std::move(free).error());
    const std::stop_token stop = context.stopToken();
    STRATA_ATTEMPT(const DiffReport report, compare(context, stop));
    context.endProgress();
    Output& output = context.output();
    if (csv_) {
      auto written = writeCsv(*csv_, report);
      if (!written) return problemAt(std::move(written).error(), *csv_);
    }
    output.document(toJson(report));
    output.essential(report.identical ? "identical" : "different");
    if (output.isText()) {
      printSummary(output, report);
      if (tensors_ && !report.identical) printTensors(output, report, options_.threshold);
    }
    if (csv_) output.note(printable(fmt::format("Wrote {}", *csv_)));
    return exitCode_ && !report.identical ? ExitCode::NotMet : ExitCode::Done;
  }

 private:
  /// One side with what it borrows.
  struct Side {
    DiffSide side;
    std::unique_ptr<ModelSource> model;
  };

  Attempt<DiffReport> compare(Context& context, const std::stop_token& stop) {
    STRATA_ATTEMPT(Side a, openSide(context, a_));
    const auto json = Context::JsonProgress::None;
    if (b_.has_value()) {
      STRATA_ATTEMPT(Side b, openSide(context, *b_));
      STRATA_TRY(DiffReport report,
                 diffModels(a.side, b.side, options_, stop, context.progress(json)));
      return report;
    }
    if (a.side.store == nullptr) {
      return usage(fmt::format("{} is not in the store: name what to compare it with", a_),
                   fmt::format("strata diff {} REF", shellPath(a_)));
    }
    STRATA_TRY(DiffReport report,
               diffToBase(*a.side.store, a.side.reference, options_, stop, context.progress(json)));
    return report;
  }

  /// A version that the store or a remote has wins over a file of that name.
  Attempt<Side> openSide(Context& context, const std::string& text) const {
    Side side;
    std::error_code status;
    const bool exists = std::filesystem::exists(text, status);
    auto store = context.openStore();
    if (parseReference(text)) {
      if (!store && !exists) return problem(std::move(store).error());
      const auto found = store ? (*store)->resolve(text) : fail(ErrorCode::NotFound, "");
      if (found) {
        side.side.store = *store;
        side.side.reference = text;
        return side;
      }
      const bool isWord = text.find('/') == std::string::npos;
      if (isWord && !exists) return problem(found.error());
    }
    if (store && !exists) {
      STRATA_ATTEMPT(const std::string stored, storedReference(context, text));
      if (stored != text) {
        side.side.store = *store;
        side.side.reference = stored;
        return side;
      }
    }
    STRATA_ATTEMPT(side.model, context.openModel(text, followLinks_, exclude_));
    side.side.model = side.model.get();
    side.side.label = text;
    return side;
  }

  std::string a_;
  std::optional<std::string> b_;
  bool tensors_ = false;
  bool followLinks_ = false;
  std::vector<std::string> exclude_;
  bool exitCode_ = false;
  bool force_ = false;
  std::optional<std::string> threshold_;
  std::optional<std::string> csv_;
  DiffOptions options_;
};

}  // namespace

std::unique_ptr<Command> makeDiff() { return std::make_unique<DiffCommand>(); }

}  // namespace strata::cli
