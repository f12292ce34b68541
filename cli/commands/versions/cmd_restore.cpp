#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/context.h"
#include "cli/cpu_work.h"
#include "cli/remote_access.h"
#include "cli/transfer_run.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/ops/inspect/export_tensors.h"
#include "core/ops/versions/restore_converted.h"
#include "core/ops/versions/restore_partial.h"
#include "core/ops/versions/restore_version.h"
#include "core/store/store_location.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"
#include "onnx_io/checkpoint/finished_check.h"
#include "onnx_io/plain_arrays.h"
#include "onnx_io/safetensors/safetensors_copy.h"
#include "onnx_io/zip/patched_checksums.h"

namespace strata::cli {
namespace {

Json pathsOf(const std::vector<std::filesystem::path>& paths) {
  Json texts = Json::array();
  for (const auto& path : paths) texts.push_back(path.string());
  return texts;
}

/// Whether a path leads to what standard output is: our words may not follow the model's bytes.
bool isStandardOutput(const std::string& path) {
  struct stat named {};
  struct stat output {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 &&
         !S_ISDIR(named.st_mode) && named.st_dev == output.st_dev && named.st_ino == output.st_ino;
}

class RestoreCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .usage = "restore REF -o FILE [options]",
        .summary = "Rebuild a stored model, byte for byte.",
        .examples = {"restore sst2 -o sst2.onnx", "restore sst2:v1 -o old.onnx --backup",
                     "restore bert -o bert/", "restore sst2 -o - | sha256sum",
                     "restore sst2 --tensor 'encoder.*' --format npy -o tensors/",
                     "restore run:step-500 --weights-only --format safetensors -o 500.safetensors",
                     "restore run --partial 'embed.*' -o out/checkpoint-600/model.safetensors"},
        .details =
            "The file gets its name only when all of it is written and its checksums match. "
            "Files below 256 KiB, and versions of earlier programs, have their SHA-256 "
            "compared. A fifo or device is written into, block by checked block. "
            "--format safetensors writes the tensors of any version as one file, in the "
            "shapes and under the names that PyTorch or NumPy show them by; what the "
            "format has no type for is left out, a warning says so, and the exit code is 3."};
  }

  void declare(Arguments& arguments) override {
    arguments.add(versionArgument(options_.reference));
    arguments.add({.spelling = "-o,--output",
                   .target = &target_,
                   .value = "FILE",
                   .help = "where to; a folder for models of several files; - for stdout",
                   .completes = Completes::Files,
                   .isRequired = true});
    arguments.add(
        {.spelling = "-f,--force", .target = &options_.force, .help = "replace what exists"});
    arguments.add({.spelling = "--backup",
                   .target = &options_.backup,
                   .help = "replace what exists, and keep it as NAME.bak"});
    arguments.add({.spelling = "--verify,!--no-verify",
                   .target = &verify_,
                   .help = "compare the SHA-256 of each file, or its checksums alone "
                           "(default)"});
    arguments.add({.spelling = "--weights-only",
                   .target = &options_.weightsOnly,
                   .help = "of a checkpoint: leave out the optimizer and its like"});
    arguments.add({.spelling = "--tensor",
                   .target = &globs_,
                   .value = "GLOB",
                   .help = "only these tensors; may be repeated"});
    arguments.add({.spelling = "--partial",
                   .target = &partial_,
                   .value = "GLOB",
                   .help = "write only these tensors into FILE, a checkpoint that exists; may be "
                           "repeated"});
    arguments.add({.spelling = "--format",
                   .target = &format_,
                   .value = "NAME",
                   .help = "npy: each tensor of --tensor as a file; safetensors: all in one file",
                   .choices = {"npy", "safetensors"}});
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &options_.dryRun,
                   .help = "say what would be written"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    STRATA_ATTEMPT(options_.reference, storedReference(context, options_.reference));
    // Before anything is fetched for it.
    const bool isToStdout = target_ == "-" || isStandardOutput(target_);
    if (const auto isFree = refuseInsideStore(target_); !isFree && !isToStdout) {
      return problemAt(isFree.error(), target_);
    }
    if (!options_.dryRun) {
      const Outcome fetched = fetchAwaited(context, *store, options_.reference);
      if (!fetched) return fetched;
    }
    if (!partial_.empty()) return restoreInto(context, *store);
    if (format_ == "safetensors") return convert(context, *store);
    if (options_.weightsOnly && !globs_.empty()) {
      return usage("--weights-only and --tensor exclude each other");
    }
    if (!globs_.empty()) return exportNpy(context, *store);
    if (format_) return usage("--format npy is for --tensor only", "strata help restore");
    options_.verify = verify_ == 0 ? context.config().isOn("restore.verify") : verify_ > 0;
    options_.device = context.device();
    if (isToStdout && options_.weightsOnly) return usage("--weights-only is not for -o -");
    if (isToStdout) return writeToStdout(context, *store);
    options_.target = target_;
    const std::stop_token stop = context.stopToken();
    auto restored =
        restoreVersion(*store, options_, stop, context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!restored) return problemAt(withAdvice(std::move(restored).error(), *store), target_);
    print(context.output(), *restored);
    return ExitCode::Done;
  }

 private:
  /// Where a target exists already, the way on is a flag, if it leads anywhere.
  Problem withAdvice(Error error, const Store& store) const {
    if (error.code != ErrorCode::InvalidArgument || options_.force || options_.backup) {
      return withoutFolder(std::move(error));
    }
    RestoreOptions forced = options_;
    forced.backup = true;
    forced.dryRun = true;
    if (!restoreVersion(store, forced, {}, {})) return error;
    return {std::move(error),
            fmt::format("strata restore {} {}-o {} --backup", options_.reference,
                        options_.weightsOnly ? "--weights-only " : "", shellPath(target_))};
  }

  /// A missing folder is the user's to make; any other thing not found is in the store.
  Problem withoutFolder(Error error) const {
    const std::filesystem::path parent = std::filesystem::path(target_).parent_path();
    std::error_code status;
    const bool isThere = parent.empty() || std::filesystem::is_directory(parent, status);
    if (error.code != ErrorCode::NotFound || isThere) return error;
    Problem cause(std::move(error));
    cause.adviceByCode = false;
    if (!std::filesystem::exists(parent, status))
      cause.fix = "mkdir -p " + shellPath(parent.string());
    return cause;
  }

  Outcome writeToStdout(Context& context, const Store& store) {
    if (!context.output().isText() && context.output().isJson()) {
      return usage("-o - and --json cannot share stdout");
    }
    if (options_.dryRun) return usage("-n says what files would be written; -o - writes none");
    if (::isatty(STDOUT_FILENO) == 1) {
      return usage("a model is not for a terminal: send stdout to a file or program",
                   fmt::format("strata restore {} -o FILE", options_.reference));
    }
    DescriptorSink sink(STDOUT_FILENO, "standard output");
    const std::stop_token stop = context.stopToken();
    auto restored =
        restoreToSink(store, options_, sink, stop, context.progress(Context::JsonProgress::None));
    if (restored) return ExitCode::Done;
    Problem cause(std::move(restored).error());
    cause.adviceByCode = cause.error.code != ErrorCode::NoSpace;
    return problem(std::move(cause));
  }

  void print(Output& output, const RestoreReport& report) const {
    output.event("result", {{"version", toJson(report.version)},
                            {"dry_run", options_.dryRun},
                            {"verified", report.comparedSha256 && !options_.dryRun},
                            {"files", pathsOf(report.files)},
                            {"backups", pathsOf(report.backups)},
                            {"bytes", report.writtenBytes},
                            {"free_bytes", report.freeBytes},
                            {"seconds", report.seconds}});
    output.essential(target_);
    if (!report.modesAreKnown) {
      output.warning(
          fmt::format("the manifest of {} is damaged, so its files' permissions are not "
                      "known: they are yours alone",
                      report.version.label()));
    }
    std::error_code status;
    const bool isIntoFolder =
        report.files.size() == 1 && std::filesystem::is_directory(target_, status);
    const std::string what =
        fmt::format("{}  {}", isIntoFolder ? report.files.front().string() : target_,
                    wordBytes(report.writtenBytes));
    if (options_.dryRun) {
      output.line(printable(fmt::format("Would write {} in {}, {} free", what,
                                        wordCount(report.files.size(), "file"),
                                        wordBytes(report.freeBytes))));
      for (const auto& file : report.files) output.line("  " + printable(file.string()));
      output.line("Nothing was written.");
      return;
    }
    const std::string check =
        fmt::format("{}, {}", fidelity(report.version),
                    report.comparedSha256 ? "hash matches" : "checksums match");
    output.line(printable(fmt::format("Restored {}  from {}", what, report.version.label())));
    output.line(fmt::format("  {}, {}", check, wordElapsed(report.seconds)));
    for (const auto& file : report.backups) output.line("  kept " + printable(file.string()));
  }

  static Json leftOutJson(const std::vector<LeftOutTensor>& tensors) {
    Json all = Json::array();
    for (const LeftOutTensor& one : tensors) {
      all.push_back({{"name", one.name}, {"reason", one.why}});
    }
    return all;
  }

  static void warnOfLeftOut(Output& output, const std::vector<LeftOutTensor>& tensors) {
    constexpr std::size_t kMostSaid = 8;
    const std::size_t said = std::min(kMostSaid, tensors.size());
    for (std::size_t i = 0; i < said; ++i) {
      output.warning(printable("left out: " + tensors[i].text()));
    }
    if (said == tensors.size()) return;
    output.warning(fmt::format("left out: {} more", tensors.size() - said));
  }

  Outcome exportNpy(Context& context, const Store& store) {
    if (target_ == "-") return usage("tensors are written as files; give a file or folder to -o");
    if (options_.dryRun || options_.backup) return usage("-n and --backup are not for --tensor");
    if (auto claimed = claimCpuWork(context, "restore --tensor"); !claimed) return claimed;
    const std::stop_token stop = context.stopToken();
    auto exported = exportTensors(store,
                                  {.reference = options_.reference,
                                   .globs = globs_,
                                   .target = target_,
                                   .force = options_.force,
                                   .arrays = plainArraysOf},
                                  stop, context.progress(Context::JsonProgress::Events));
    if (!exported) return problemAt(std::move(exported).error(), target_);
    context.endProgress();
    Output& output = context.output();
    const ExportReport& report = *exported;
    Json tensors = Json::array();
    for (const ExportedTensor& tensor : report.tensors) {
      tensors.push_back({{"name", tensor.name},
                         {"path", tensor.path.string()},
                         {"type", tensor.type},
                         {"npy_type", tensor.npyType},
                         {"bytes", tensor.byteCount}});
      output.essential(tensor.path.string());
      output.line(printable(fmt::format("{}  {}  {} as {}", tensor.path.string(),
                                        wordBytes(tensor.byteCount), tensor.type, tensor.npyType)));
    }
    warnOfLeftOut(output, report.leftOut);
    output.event("result", {{"version", toJson(report.version)},
                            {"tensors", std::move(tensors)},
                            {"left_out", leftOutJson(report.leftOut)}});
    return report.leftOut.empty() ? ExitCode::Done : ExitCode::Partly;
  }

  /// Tensors of the version into a file that exists.
  Outcome restoreInto(Context& context, const Store& store) {
    const bool hasOther = !globs_.empty() || format_ || options_.weightsOnly || options_.backup;
    if (hasOther) {
      return usage("--partial is without --tensor, --format, --weights-only and --backup");
    }
    if (target_ == "-") return usage("--partial writes into a file that exists; give it to -o");
    if (auto claimed = claimCpuWork(context, "restore --partial"); !claimed) return claimed;
    const std::stop_token stop = context.stopToken();
    auto restored = restorePartial(store,
                                   {.reference = options_.reference,
                                    .target = target_,
                                    .globs = partial_,
                                    .open = checkpointTools().open,
                                    .arrays = plainArraysOf,
                                    .checksums = patchedChecksums,
                                    .dryRun = options_.dryRun,
                                    .device = context.device()},
                                   stop, context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!restored) {
      Problem cause(std::move(restored).error());
      const bool isDamage = cause.error.code == ErrorCode::CorruptData;
      cause.adviceByCode = isDamage || !store.resolve(options_.reference).has_value();
      return problemAt(std::move(cause), target_);
    }
    printPartial(context.output(), *restored);
    return ExitCode::Done;
  }

  void printPartial(Output& output, const RestorePartialReport& report) const {
    Json tensors = Json::array();
    std::uint64_t bytes = 0;
    std::size_t changed = 0;
    for (const RestorePartialReport::Tensor& one : report.tensors) {
      tensors.push_back({{"name", one.name}, {"bytes", one.byteCount}, {"changed", one.isChanged}});
      bytes += one.byteCount;
      if (one.isChanged) ++changed;
      output.line(printable(fmt::format("{}  {} {}  {}", one.name, name(one.type),
                                        wordShape(one.shape), wordBytes(one.byteCount))));
    }
    output.event("result", {{"version", toJson(report.version)},
                            {"dry_run", options_.dryRun},
                            {"path", report.file.string()},
                            {"tensors", std::move(tensors)},
                            {"bytes", bytes},
                            {"seconds", report.seconds}});
    output.essential(report.file.string());
    const std::string what =
        fmt::format("{} {}, {}", report.file.string(), wordCount(report.tensors.size(), "tensor"),
                    wordBytes(bytes));
    if (options_.dryRun) {
      output.line(
          printable(fmt::format("Would write into {}  from {}", what, report.version.label())));
      output.line("Nothing was written.");
      return;
    }
    output.line(printable(fmt::format("Wrote into {}  from {}", what, report.version.label())));
    output.line(fmt::format("  {} changed, {}, {}", changed, fidelity(report.version),
                            wordElapsed(report.seconds)));
  }

  Outcome convert(Context& context, const Store& store) {
    if (target_ == "-") return usage("--format safetensors writes a file; give one to -o");
    if (options_.dryRun || options_.backup) {
      return usage("-n and --backup are not for --format safetensors");
    }
    if (auto claimed = claimCpuWork(context, "restore --format"); !claimed) return claimed;
    const std::stop_token stop = context.stopToken();
    auto restored =
        restoreConverted(store,
                         {.reference = options_.reference,
                          .target = target_,
                          .choice = {.globs = globs_, .weightsOnly = options_.weightsOnly},
                          .convert = copyAsSafetensors,
                          .force = options_.force},
                         stop, context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!restored) return problemAt(withoutFolder(std::move(restored).error()), target_);
    const ConvertedTensors& written = restored->written;
    Output& output = context.output();
    output.event("result", {{"version", toJson(restored->version)},
                            {"path", target_},
                            {"tensors", written.tensorCount},
                            {"left_out", leftOutJson(written.leftOut)},
                            {"bytes", written.byteCount},
                            {"seconds", restored->seconds}});
    output.essential(target_);
    warnOfLeftOut(output, written.leftOut);
    output.line(printable(fmt::format(
        "Wrote {}  {} in {}, {}  from {}", target_, wordCount(written.tensorCount, "tensor"),
        wordBytes(written.byteCount), fidelity(restored->version), restored->version.label())));
    return written.leftOut.empty() ? ExitCode::Done : ExitCode::Partly;
  }

  RestoreOptions options_;
  std::string target_;
  std::vector<std::string> globs_;
  std::vector<std::string> partial_;
  std::optional<std::string> format_;
  int verify_ = 0;
};

}  // namespace

std::unique_ptr<Command> makeRestore() { return std::make_unique<RestoreCommand>(); }

}  // namespace strata::cli
