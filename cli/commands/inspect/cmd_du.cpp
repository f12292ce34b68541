#include <fmt/format.h>

#include "cli/context.h"
#include "cli/views/table.h"
#include "cli/words/command.h"
#include "core/ops/inspect/disk_usage.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class DuCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "du [GLOB]",
            .summary = "What each version takes on the disk, alone and shared with others.",
            .examples = {"du", "du 'sst2*'"},
            .details =
                "OWN is what deleting the version for good frees. SHARED is what others need, too: "
                "all of a version that others are differences to. It counts once in the sum. "
                "Parents stand in lines of their own, unless they were removed."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "GLOB",
                   .target = &glob_,
                   .help = "only versions whose name or name:vN matches",
                   .completes = Completes::References});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    STRATA_TRY(const DiskUsage usage, diskUsage(*store, glob_.value_or("")));
    print(context.output(), usage);
    return ExitCode::Done;
  }

 private:
  static void print(Output& output, const DiskUsage& usage) {
    Json rows = Json::array();
    Table table({{"VERSION", Align::Left, true},
                 {"OWN", Align::Right},
                 {"SHARED", Align::Right},
                 {"MODEL", Align::Right}});
    for (const VersionUsage& one : usage.versions) {
      const VersionEntry& version = one.version;
      rows.push_back({{"ref", version.label()},
                      {"own_bytes", one.ownBytes},
                      {"shared_bytes", one.sharedBytes},
                      {"original_bytes", version.originalBytes}});
      output.essential(version.label());
      table.addRow({version.label(), wordBytes(one.ownBytes),
                    one.sharedBytes == 0 ? "-" : wordBytes(one.sharedBytes),
                    wordBytes(version.originalBytes)});
    }
    output.document({{"versions", std::move(rows)},
                     {"totals",
                      {{"own_bytes", usage.ownBytes},
                       {"shared_bytes", usage.sharedBytes},
                       {"trash_bytes", usage.trashBytes},
                       {"kept_bytes", usage.keptBytes},
                       {"store_bytes", usage.storeBytes}}}});
    if (usage.versions.empty()) return output.note("No versions.");
    table.print(output);
    output.line(fmt::format(
        "{}: {}, of which {} shared; the store {}, of which {} in the trash",
        wordCount(usage.versions.size(), "version"), wordBytes(usage.ownBytes + usage.sharedBytes),
        wordBytes(usage.sharedBytes), wordBytes(usage.storeBytes), wordBytes(usage.trashBytes)));
    if (usage.keptBytes > 0) {
      output.line(fmt::format("{} of removed versions stay: others are differences to them",
                              wordBytes(usage.keptBytes)));
    }
  }

  std::optional<std::string> glob_;
};

}  // namespace

std::unique_ptr<Command> makeDu() { return std::make_unique<DuCommand>(); }

}  // namespace strata::cli
