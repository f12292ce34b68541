#include <fmt/format.h>

#include "cli/context.h"
#include "cli/words/command.h"
#include "core/ops/versions/edit_source.h"

namespace strata::cli {
namespace {

std::string named(const std::string& url) {
  return url.empty() ? "no source" : "the source " + url;
}

class SourceCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "source REF URL",
            .summary = "Say where a base can be fetched that came from a file.",
            .examples =
                {"source base hf://org/base@9f3a27c0d1e2b3a4958677869504132231405f6e/model.onnx",
                 "source base https://example.org/base.onnx", "source base \"\""},
            .details =
                "push --no-base tells receivers of it. Nothing is asked there now: what they fetch "
                "counts only with the content of REF. An empty URL takes the source away. import "
                "and add of a URL record it themselves."};
  }

  void declare(Arguments& arguments) override {
    arguments.add(versionArgument(options_.reference));
    arguments.add({.spelling = "URL",
                   .target = &options_.url,
                   .help = "of a repository's files at a commit, or of a file",
                   .isRequired = true});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    STRATA_TRY(const TextReport report, editSource(*store, options_));
    Output& output = context.output();
    const std::string label = report.version.label();
    output.document({{"version", label},
                     {"source", orNull(report.version.sourceUrl)},
                     {"former", orNull(report.former)},
                     {"changed", report.hasChanged}});
    output.essential(label);
    const std::string before =
        report.hasChanged ? ", before " + named(report.former) : std::string{};
    output.line(printable(fmt::format("{} {} {}{}", label, report.hasChanged ? "has now" : "has",
                                      named(report.version.sourceUrl), before)));
    return ExitCode::Done;
  }

 private:
  SourceOptions options_;
};

}  // namespace

std::unique_ptr<Command> makeSource() { return std::make_unique<SourceCommand>(); }

}  // namespace strata::cli
