#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "cli/checkpoint_tools.h"
#include "cli/context.h"
#include "cli/views/field_view.h"
#include "cli/views/report_file.h"
#include "cli/views/table.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "cli/words/quality_options.h"
#include "core/ops/inspect/bench_field.h"
#include "core/ops/inspect/bench_version.h"
#include "core/ops/versions/write_report.h"
#include "core/store/objects/probe.h"
#include "core/text/json_text.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

constexpr std::uint64_t kMostRounds = 1000;
constexpr std::uint64_t kMostEarlierBytes = 64'000'000;

/// One line of the table and one member of the JSON.
struct Work {
  const char* key;
  const char* words;
  bool takesMemory;  ///< that is worth telling
  BenchTimes BenchReport::*times;
};
constexpr std::array<Work, 4> kWorks{{{"memcpy", "memcpy", false, &BenchReport::copy},
                                      {"plain_file", "plain file", false, &BenchReport::write},
                                      {"restore", "restore", true, &BenchReport::restore},
                                      {"add", "add", true, &BenchReport::add}}};

double speedOf(const BenchReport& report, const Work& work) {
  const double seconds = (report.*work.times).median();
  return seconds <= 0 ? 0 : static_cast<double>(report.version.originalBytes) / seconds;
}

/// What an earlier run with --json said.
struct Earlier {
  nlohmann::json result;

  /// Bytes a second; 0 where it did not say.
  double speedOf(const Work& work) const {
    const nlohmann::json& speed = anyMember(anyMember(result, work.key), "bytes_per_second");
    return speed.is_number() ? speed.get<double>() : 0;
  }
};

/// Reads the last result among the lines of `path`. Fails with NotFound, CorruptData, Io.
Result<Earlier> readEarlier(const std::string& path) {
  std::error_code status;
  const auto byteCount = std::filesystem::file_size(path, status);
  if (status) return fail(ErrorCode::NotFound, path + ": " + status.message());
  if (byteCount > kMostEarlierBytes) {
    return fail(ErrorCode::CorruptData, path + ": is no output of strata bench --json");
  }
  std::ifstream file(path);
  Earlier earlier;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    STRATA_TRY(nlohmann::json event, parseJson(line, path));
    if (textMember(event, "type") == "result") earlier.result = std::move(event);
  }
  if (earlier.speedOf(kWorks.back()) <= 0) {
    return fail(ErrorCode::CorruptData, path + ": holds no result of strata bench --json");
  }
  return earlier;
}

std::string secondsText(double seconds) {
  return seconds < 10 ? fmt::format("{:.3f} s", seconds) : wordElapsed(seconds);
}

class BenchCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .usage = "bench [REF] [options] | bench --field FILE --base BASE",
        .summary =
            "Measure how fast this machine restores and adds a stored version, and how small "
            "it is.",
        .examples = {"bench", "bench sst2:v2 --repeat 5", "bench sst2 --json > before.json",
                     "bench sst2 --compare before.json", "bench sst2 -j 1 --effort fast",
                     "bench --field tuned.onnx --base base.onnx --plot field.svg",
                     "bench --field out --run --base base.safetensors"},
        .details =
            "Without REF, the version added last. Each round copies as many bytes in memory "
            "and into a file. Then it restores the version and codes the restored model again "
            "as add does, with all checks. Medians count. The store is not changed. Files are "
            "in memory where they fit, so that no disk is measured, and are removed. A lossy "
            "version is quantized again with the settings that it was stored with. With --field "
            "the published systems are tried on a model of yours beside Strata's own "
            "profiles, in a store of its own that is removed. Each is coded by Strata, with "
            "the settings of its paper where that names any. --evaluator scores what lossy "
            "ones restore to. With --run, FILE is a trainer's folder: its finished checkpoints "
            "are stored in their order, each as a difference to the one before."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "REF",
                   .target = &options_.reference,
                   .help = "a version",
                   .completes = Completes::References});
    arguments.add({.spelling = "--repeat",
                   .target = &rounds_,
                   .value = "N",
                   .help = "rounds, 3 if not given"});
    arguments.add({.spelling = "--effort",
                   .target = &effort_,
                   .value = "LEVEL",
                   .help = "of add; as the version was stored if not given",
                   .choices = {"fast", "default", "best"}});
    arguments.add({.spelling = "--work",
                   .target = &place_,
                   .value = "DIR",
                   .help = "write files there: measures its disk, too",
                   .completes = Completes::Folders});
    arguments.add({.spelling = "--compare",
                   .target = &compare_,
                   .value = "FILE",
                   .help = "beside what an earlier run with --json said",
                   .completes = Completes::Files});
    arguments.add({.spelling = "--field",
                   .target = &field_,
                   .value = "FILE",
                   .help = "a model: try the published systems on it",
                   .completes = Completes::Files});
    arguments.add({.spelling = "--run",
                   .target = &isRun_,
                   .help = "of --field: all checkpoints in that folder, one after the other"});
    arguments.add({.spelling = "--base",
                   .target = &base_,
                   .value = "BASE",
                   .help = "of --field: what it was tuned from, a file or a version",
                   .completes = Completes::Files});
    arguments.add({.spelling = "--evaluator",
                   .target = &evaluator_,
                   .value = "CMD",
                   .help = "of --field: program that scores models; see tools/evaluators"});
    declareEvaluatorTimeout(arguments, timeout_);
    arguments.add({.spelling = "--plot",
                   .target = &plot_,
                   .value = "FILE.svg",
                   .help = "of --field: draw the table",
                   .completes = Completes::Files});
    arguments.add(
        {.spelling = "-f,--force", .target = &force_, .help = "replace a drawing of that name"});
  }

  Outcome run(Context& context) override {
    if (rounds_ && (*rounds_ == 0 || *rounds_ > kMostRounds)) {
      return usage(fmt::format("--repeat {}: 1 to {} rounds", *rounds_, kMostRounds));
    }
    std::error_code status;
    if (!place_.empty() && !std::filesystem::is_directory(place_, status)) {
      return usage("--work " + place_ + ": is no folder");
    }
    if (!field_.empty()) return benchTheField(context);
    if (const std::string_view idle = optionOfField(); !idle.empty()) {
      return usage(fmt::format("{} is for --field FILE", idle));
    }
    std::optional<Earlier> earlier;
    if (!compare_.empty()) {
      auto read = readEarlier(compare_);
      if (!read) return problem({std::move(read).error(), "strata bench --json > FILE"});
      earlier = *std::move(read);
    }
    STRATA_ATTEMPT(Store* const store, context.openStore());
    if (rounds_) options_.rounds = static_cast<unsigned>(*rounds_);
    if (effort_) options_.effort = effortFromName(*effort_);
    options_.place = place_;
    options_.memoryBytes = context.config().byteCount("memory");
    options_.device = context.device();
    options_.open = openerOf(context);
    const std::stop_token stop = context.stopToken();
    auto report =
        benchVersion(*store, options_, stop, context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!report) return problem(withAdvice(std::move(report).error()));
    print(context.output(), *report, earlier ? &*earlier : nullptr);
    return ExitCode::Done;
  }

 private:
  Problem withAdvice(Error error) const {
    const bool isEmpty = error.code == ErrorCode::NotFound && options_.reference.empty();
    return {std::move(error), isEmpty ? "strata import FILE --name NAME" : ""};
  }

  static ModelOpener openerOf(Context& context) {
    return [&](const std::filesystem::path& path) -> Result<std::unique_ptr<ModelSource>> {
      auto model = context.openModel(path.string(), false);
      if (!model) return fail(std::move(model).error().error);
      return *std::move(model);
    };
  }

  std::string_view optionOfField() const {
    if (!base_.empty()) return "--base";
    if (evaluator_) return "--evaluator";
    if (timeout_) return "--evaluator-timeout";
    if (plot_) return "--plot";
    if (isRun_) return "--run";
    return force_ ? "--force" : "";
  }

  Outcome benchTheField(Context& context) {
    if (!options_.reference.empty() || rounds_ || effort_ || !compare_.empty()) {
      return usage("--field FILE goes with --base, --evaluator, --plot and --work alone");
    }
    if (base_.empty()) return usage("--field needs --base BASE: a file or a version");
    if (timeout_ && !evaluator_) return usage("--evaluator-timeout needs --evaluator, too");
    if (auto free = checkReportFile(plot_, force_); !free) return problem(std::move(free).error());
    FieldOptions options;
    std::error_code status;
    options.modelPath = std::filesystem::absolute(field_, status);
    if (std::filesystem::exists(base_, status)) {
      options.baseFile = base_;
    } else {
      STRATA_ATTEMPT(options.store, context.openStore());
      options.baseReference = base_;
    }
    options.place = place_;
    if (evaluator_) {
      STRATA_TRY(const std::chrono::seconds timeout, evaluatorTimeout(timeout_));
      options.evaluator = EvaluatorOptions{*evaluator_, timeout};
    }
    options.memoryBytes = context.config().byteCount("memory");
    options.device = context.device();
    options.open = openerOf(context);
    const std::stop_token stop = context.stopToken();
    STRATA_ATTEMPT(const auto models, modelsOfField(context, options));
    std::uint64_t modelBytes = 0;
    for (const auto& one : models) modelBytes += originalBytes(one->description());
    for (std::size_t i = 0; i + 1 < models.size(); ++i) options.before.push_back(models[i].get());
    options.onRow = [&](const FieldRow& row) {
      context.output().note(printable(rowText(row, modelBytes)));
    };
    auto report =
        benchField(*models.back(), options, stop, context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!report) return problem({std::move(report).error(), ""});
    if (plot_) {
      auto written = writeReport(*plot_, fieldSvg(*report));
      if (!written) return problemAt(std::move(written).error(), *plot_);
    }
    printField(context.output(), *report);
    context.output().event("result", toJson(*report));
    return ExitCode::Done;
  }

  /// The model, or the checkpoints of a run, of which the newest is what is scored.
  Attempt<std::vector<std::unique_ptr<ModelSource>>> modelsOfField(Context& context,
                                                                   FieldOptions& options) const {
    std::vector<std::filesystem::path> paths{field_};
    if (isRun_) {
      auto found = finishedCheckpoints(field_, checkpointTools());
      if (!found) return problemAt(std::move(found).error(), field_);
      paths = *std::move(found);
      if (paths.size() < 2) {
        return problem(ErrorCode::NotFound,
                       fmt::format("{}: has {}, and a run takes two at least", field_,
                                   wordCount(paths.size(), "finished checkpoint")));
      }
      std::error_code status;
      options.modelPath = std::filesystem::absolute(paths.back(), status);
    }
    std::vector<std::unique_ptr<ModelSource>> models;
    for (const std::filesystem::path& path : paths) {
      STRATA_ATTEMPT(auto model, context.openModel(path.string(), false));
      models.push_back(std::move(model));
    }
    return models;
  }

  static Json timesJson(const BenchReport& report, const Work& work, const Earlier* earlier) {
    const BenchTimes& times = report.*work.times;
    const double speed = speedOf(report, work);
    Json fields{{"seconds", times.seconds},
                {"median_seconds", times.median()},
                {"bytes_per_second", speed},
                {"share_of_memcpy", speed / speedOf(report, kWorks.front())}};
    if (work.takesMemory) fields["peak_bytes"] = times.peakBytes;
    if (earlier != nullptr) fields["bytes_per_second_before"] = earlier->speedOf(work);
    return fields;
  }

  static void print(Output& output, const BenchReport& report, const Earlier* earlier) {
    Json fields{{"version", toJson(report.version)},
                {"effort", name(report.effort)},
                {"threads", report.threads},
                {"coded_bytes", report.codedBytes}};
    for (const Work& work : kWorks) fields[work.key] = timesJson(report, work, earlier);
    output.event("result", std::move(fields));
    output.essential(fmt::format("{:.0f}", speedOf(report, kWorks[2])));
    const VersionEntry& version = report.version;
    output.line(printable(fmt::format(
        "{}  {}, {}{}", version.label(), sizeText(version), fidelity(version),
        report.parentLabel.empty() ? std::string() : ", a difference to " + report.parentLabel)));
    printTable(output, report, earlier);
    output.line(fmt::format("add at effort {} makes {}; {}, medians of {}", name(report.effort),
                            wordBytes(report.codedBytes), wordCount(report.threads, "thread"),
                            wordCount(report.copy.seconds.size(), "round")));
    const nlohmann::json none;
    const nlohmann::json& before =
        earlier == nullptr ? none : anyMember(earlier->result, "version");
    const auto hash = textMember(before, "hash");
    if (hash && *hash != toHex(version.contentDigest)) {
      output.note(printable(fmt::format("What is compared with was measured of another model: {}.",
                                        textMember(before, "ref").value_or(*hash))));
    }
  }

  static void printTable(Output& output, const BenchReport& report, const Earlier* earlier) {
    Table table({{"WHAT"},
                 {"SPEED", Align::Right},
                 {"OF MEMCPY", Align::Right},
                 {"MEDIAN", Align::Right},
                 {"FASTEST", Align::Right},
                 {"SLOWEST", Align::Right},
                 {"MEMORY", Align::Right},
                 {earlier == nullptr ? "" : "BEFORE", Align::Right},
                 {earlier == nullptr ? "" : "CHANGE", Align::Right}});
    const double copySpeed = speedOf(report, kWorks.front());
    for (const Work& work : kWorks) {
      const BenchTimes& times = report.*work.times;
      const double speed = speedOf(report, work);
      const double before = earlier == nullptr ? 0 : earlier->speedOf(work);
      table.addRow({work.words, wordRate(speed), fmt::format("{:.3f}", speed / copySpeed),
                    secondsText(times.median()), secondsText(times.fastest()),
                    secondsText(times.slowest()),
                    work.takesMemory ? wordBytes(times.peakBytes) : "-",
                    before > 0 ? wordRate(before) : std::string(),
                    before > 0 ? wordShareChange(speed / before - 1) : std::string()});
    }
    table.print(output);
  }

  BenchOptions options_;
  std::optional<std::uint64_t> rounds_;
  std::optional<std::string> effort_;
  std::string place_;
  std::string compare_;
  std::string field_;
  std::string base_;
  std::optional<std::string> evaluator_;
  std::optional<std::string> timeout_;
  std::optional<std::string> plot_;
  bool force_ = false;
  bool isRun_ = false;
};

}  // namespace

std::unique_ptr<Command> makeBench() { return std::make_unique<BenchCommand>(); }

}  // namespace strata::cli
