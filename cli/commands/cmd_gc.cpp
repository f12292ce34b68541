#include <fmt/format.h>

#include "cli/command.h"
#include "cli/context.h"
#include "core/ops/collect_garbage.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class GcCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "gc [options]",
            .summary =
                "Free what no version needs, such as an interrupted add left; says what "
                "would go unless --yes is given.",
            .examples = {"gc", "gc --yes"}};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &dryRun_,
                   .help = "say what would go, also with --yes"});
  }

  Outcome run(Context& context) override {
    const bool isDryRun = dryRun_ || !context.global().yes;
    STRATA_ATTEMPT(Store* const store, context.openStore());
    auto report = collectGarbage(*store, {.dryRun = isDryRun}, context.stopToken());
    if (!report) return problem({std::move(report).error(), "strata verify"});
    print(context.output(), *report, isDryRun);
    return ExitCode::Done;
  }

 private:
  static void print(Output& output, const GarbageReport& report, bool isDryRun) {
    Json freed = Json::array();
    for (const StoredObject& object : report.freed) {
      freed.push_back({{"object", toHex(object.digest)}, {"bytes", object.byteCount}});
      output.essential(toHex(object.digest));
    }
    output.document({{"objects", std::move(freed)},
                     {"freed_bytes", report.freedBytes},
                     {"kept_objects", report.keptObjects},
                     {"kept_bytes", report.keptBytes},
                     {"dry_run", isDryRun}});
    if (report.freed.empty()) {
      output.line(fmt::format("Nothing to free: {}, {}, all needed.",
                              wordCount(report.keptObjects, "object"),
                              wordBytes(report.keptBytes)));
      return;
    }
    output.line(fmt::format("{} {}, {}; {} needed, {}", isDryRun ? "Would free" : "Freed",
                            wordCount(report.freed.size(), "object"), wordBytes(report.freedBytes),
                            report.keptObjects, wordBytes(report.keptBytes)));
    if (isDryRun) output.note("Nothing was changed: strata gc --yes frees them.");
  }

  bool dryRun_ = false;
};

}  // namespace

std::unique_ptr<Command> makeGc() { return std::make_unique<GcCommand>(); }

}  // namespace strata::cli
