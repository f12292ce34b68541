#include <fmt/format.h>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/remote_access.h"
#include "cli/version_view.h"
#include "core/ops/import_base.h"

namespace strata::cli {
namespace {

class ImportCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "import FILE --name NAME [options]",
            .summary = "Store a model in full, as a base that others are differences to.",
            .examples = {"import base.onnx --name base",
                         "import distilbert/ --name distilbert --license Apache-2.0",
                         "import base.safetensors --name base --effort best",
                         "import hf://org/model --name base"},
            .details =
                "The file is only read. FILE may be a folder with a model and its other "
                "files, or hf://ORG/REPO[@REVISION][/PATH]: fetched, checked, then stored."};
  }

  void declare(Arguments& arguments) override {
    arguments.add(modelFileArgument(path_));
    arguments.add({.spelling = "--name",
                   .target = &options_.name,
                   .value = "NAME",
                   .help = "what to call it",
                   .completes = Completes::Names,
                   .isRequired = true});
    arguments.add({.spelling = "--effort",
                   .target = &effort_,
                   .value = "LEVEL",
                   .help = "fast, default or best",
                   .choices = {"fast", "default", "best"}});
    arguments.add({.spelling = "--raw", .target = &options_.raw, .help = "keep the bytes as is"});
    arguments.add({.spelling = "--license",
                   .target = &options_.license,
                   .value = "SPDX",
                   .help = "the model's licence, such as Apache-2.0"});
    arguments.add({.spelling = "--source",
                   .target = &options_.sourceUrl,
                   .value = "URL",
                   .help = "where it comes from"});
    arguments.add(
        {.spelling = "-m,--note", .target = &options_.note, .value = "TEXT", .help = "a note"});
    arguments.add({.spelling = "--tag",
                   .target = &options_.tags,
                   .value = "TAG",
                   .help = "tag it; may be repeated"});
    arguments.add(followLinksArgument(followLinks_));
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &options_.dryRun,
                   .help = "code and measure, write nothing"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    const std::stop_token stop = context.stopToken();
    std::optional<hub::ModelFromHub> fetched;
    if (isRemoteUrl(path_)) {
      STRATA_ATTEMPT(fetched, fetchFromHub(context, *store, path_));
      fetched->describe(options_.sourceUrl, options_.license);
    }
    const std::string path = fetched ? fetched->path() : path_;
    STRATA_ATTEMPT(const std::unique_ptr<ModelSource> model, context.openModel(path, followLinks_));
    options_.effort =
        effortFromName(effort_.value_or(context.config().text("effort"))).value_or(Effort::Default);
    options_.memoryBytes = context.config().byteCount("memory");
    STRATA_TRY(const AddReport report, importBase(*store, *model, options_, stop,
                                                  context.progress(Context::JsonProgress::Events)));
    context.endProgress();
    if (fetched) fetched->drop();
    printAdded(context.output(), report, path_);
    if (report.outcome == AddReport::Outcome::Stored) {
      context.output().advice(fmt::format("Next: strata add NAME FILE --base {}", options_.name));
    }
    return ExitCode::Done;
  }

 private:
  std::string path_;
  bool followLinks_ = false;
  std::optional<std::string> effort_;
  ImportOptions options_;
};

}  // namespace

std::unique_ptr<Command> makeImport() { return std::make_unique<ImportCommand>(); }

}  // namespace strata::cli
