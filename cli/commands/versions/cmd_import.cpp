#include <fmt/format.h>

#include "cli/context.h"
#include "cli/model_input.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "cli/words/reference_words.h"
#include "core/ops/versions/add_settings.h"
#include "core/ops/versions/import_base.h"
#include "core/text/command_words.h"

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
                "NAME must be free. The file is only read. FILE may be a folder with a model and "
                "its other "
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
    arguments.add(excludeArgument(folder_.exclude));
    arguments.add(followLinksArgument(folder_.followLinks));
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &options_.dryRun,
                   .help = "code and measure, write nothing"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    const std::stop_token stop = context.stopToken();
    STRATA_ATTEMPT(ModelInput input, ModelInput::open(context, *store, path_, folder_));
    input.describe(options_.sourceUrl, options_.license);
    applySettings(context.config(), effort_ ? effortFromName(*effort_) : std::nullopt, options_);
    auto imported = importBase(*store, input.model(), options_, stop,
                               context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!imported) {
      const bool isInUse = store->resolve(options_.name).has_value();
      const std::string add = "strata add " + shellWord(options_.name) + " " + shellPath(path_);
      return problem(std::move(imported).error(), ErrorCode::InvalidArgument, isInUse ? add : "");
    }
    const AddReport& report = *imported;
    input.drop();
    printAdded(context.output(), report, path_);
    if (report.outcome == AddReport::Outcome::Stored) {
      warnOfAlikeRemote(context, report.version.name);
      context.output().advice(
          fmt::format("Next: strata add NAME FILE --base {}", plainWord(context, options_.name)));
    }
    return ExitCode::Done;
  }

 private:
  std::string path_;
  FolderOptions folder_;
  std::optional<std::string> effort_;
  ImportOptions options_;
};

}  // namespace

std::unique_ptr<Command> makeImport() { return std::make_unique<ImportCommand>(); }

}  // namespace strata::cli
