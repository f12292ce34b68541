#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/context.h"
#include "cli/cpu_work.h"
#include "cli/remote_access.h"
#include "cli/views/damage_advice.h"
#include "cli/views/damage_view.h"
#include "cli/views/parity_view.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/repair_here.h"
#include "core/ops/care/repair_store.h"
#include "core/ops/care/verify_store.h"
#include "core/store/store_settings.h"
#include "core/text/wording.h"
#include "hub/bundle/bundle_transport.h"

namespace strata::cli {
namespace {

std::string_view levelWord(VerifyOptions::Level level) noexcept {
  switch (level) {
    case VerifyOptions::Level::Quick:
      return "quick";
    case VerifyOptions::Level::Full:
      return "full";
    case VerifyOptions::Level::Rebuild:
      return "rebuild";
  }
  return "full";
}

class VerifyCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .usage = "verify [REF...] [options]",
        .summary = "Look for damage in the store, or in some versions and their parents.",
        .examples = {"verify", "verify sst2:v2 --rebuild", "verify --quick",
                     "verify --repair --from hub", "verify --rebuild-catalog"},
        .details =
            "Damage is reported to the end and exits 6. Without a level, --full. What a command "
            "that runs or was killed has not finished is no damage. Versions that were pulled "
            "with --lazy are counted apart until their packs are here; named as REF, they exit "
            "7."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "REF...",
                   .target = &options_.references,
                   .help = "versions; the whole store without them",
                   .completes = Completes::References});
    arguments.add({.spelling = "--quick",
                   .target = &quick_,
                   .help = "objects are there with their sizes, and the catalog agrees"});
    arguments.add({.spelling = "--full",
                   .target = &full_,
                   .help = "and every object matches its hash (default)"});
    arguments.add({.spelling = "--rebuild",
                   .target = &rebuild_,
                   .help = "and every version decodes to files with their hashes"});
    arguments.add({.spelling = "--rebuild-catalog",
                   .target = &rebuildCatalog_,
                   .help = "write the catalog anew from refs and manifests"});
    arguments.add(
        {.spelling = "--repair",
         .target = &repair_,
         .help = "write lost refs anew, bring damaged and missing objects back by "
                 "parity, mend snapshots by the trash, and fetch others from a remote or bundle"});
    arguments.add({.spelling = "--from",
                   .target = &from_,
                   .value = "REMOTE|FILE",
                   .help = "for --repair: its name or URL, or the FILE of a bundle; the default "
                           "remote without it",
                   .completes = Completes::Remotes});
  }

  Outcome run(Context& context) override {
    const int levels = (quick_ ? 1 : 0) + (full_ ? 1 : 0) + (rebuild_ ? 1 : 0);
    if (levels + (rebuildCatalog_ ? 1 : 0) > 1) {
      return usage("--quick, --full, --rebuild and --rebuild-catalog exclude each other",
                   "strata help verify");
    }
    if (!from_.empty() && !repair_) return usage("--from goes with --repair");
    if (repair_ && levels + (rebuildCatalog_ ? 1 : 0) > 0) {
      return usage("--repair takes no level: it hashes everything");
    }
    if (!rebuild_) {
      if (auto claimed = claimCpuWork(context, "verify without --rebuild"); !claimed)
        return claimed;
    }
    if (rebuildCatalog_) return writeCatalog(context);
    if (repair_) return repair(context);
    if (quick_) options_.level = VerifyOptions::Level::Quick;
    if (rebuild_) options_.level = VerifyOptions::Level::Rebuild;
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    noteRemotes(*store);
    options_.device = context.device();
    const std::stop_token stop = context.stopToken();
    STRATA_TRY(
        const VerifyReport report,
        verifyStore(*store, options_, stop, context.progress(Context::JsonProgress::Events)));
    context.endProgress();
    print(context.output(), report);
    if (report.notKept) {
      context.output().note(printable("When that was is not kept: " + report.notKept->message));
    }
    return exitOf(report);
  }

 private:
  /// Of versions that are not here only those are a miss that were asked for.
  ExitCode exitOf(const VerifyReport& report) const {
    if (!report.sound()) return ExitCode::Integrity;
    const bool isMissed = !options_.references.empty() && !report.absentVersions.empty();
    return isMissed ? ExitCode::NotMet : ExitCode::Done;
  }

  void print(Output& output, const VerifyReport& report) const {
    Json absent = Json::array();
    for (const AbsentVersion& version : report.absentVersions) {
      absent.push_back({{"ref", version.label}, {"fix", output.advised(version.pull)}});
    }
    Json damages = Json::array();
    for (const Damage& damage : report.damages) {
      damages.push_back({{"kind", name(damage.kind)},
                         {"hash", toHex(damage.digest)},
                         {"path", damage.path.string()},
                         {"bytes", damage.byteCount},
                         {"reason", damage.reason},
                         {"remote", orNull(damage.remote)},
                         {"versions", damage.versions}});
    }
    Json toAdd = Json::array();
    for (const MendingModel& model : report.toAdd) {
      toAdd.push_back({{"ref", model.label.empty() ? Json(nullptr) : Json(model.label)},
                       {"hash", toHex(model.contentDigest)},
                       {"lossy", model.lossy},
                       {"file", orNull(model.file)},
                       {"trashed", orNull(model.trashed)}});
    }
    output.event("result", {{"level", levelWord(options_.level)},
                            {"sound", report.sound()},
                            {"versions", report.versionCount},
                            {"bases", report.baseCount},
                            {"objects", report.objectCount},
                            {"bytes", report.checkedBytes},
                            {"damages", std::move(damages)},
                            {"damaged_versions", report.damagedVersions},
                            {"to_add", std::move(toAdd)},
                            {"not_here", std::move(absent)},
                            {"unfinished", report.unfinished},
                            {"foreign", texts(report.foreign)},
                            {"set_aside", texts(report.setAside)},
                            {"unnamed", toJson(report.unnamed)},
                            {"parity", report.parity ? parityJson(*report.parity) : Json(nullptr)},
                            {"rebuildable", report.rebuildable.size()},
                            {"rebuilt_objects", here_.parity.objectCount},
                            {"rebuilt_bytes", here_.parity.byteCount},
                            {"rebuilt_parity_files", here_.parity.shardCount},
                            {"made_anew", madeAnew()},
                            {"seconds", report.seconds}});
    for (const std::string& label : report.damagedVersions) output.essential(label);
    std::string line =
        fmt::format("Checked {} and {}, {} ({}), ", wordCount(report.versionCount, "version"),
                    wordCount(report.baseCount, "base"), wordCount(report.objectCount, "object"),
                    levelWord(options_.level));
    line += report.sound() ? "all sound"
            : report.damagedVersions.empty()
                ? "damage found"
                : fmt::format("{} damaged", report.damagedVersions.size());
    output.line(line);
    printDamages(output, report, remotes_);
    printAbsent(output, report);
    if (report.parity) noteUnprotected(output, *report.parity);
    if (!report.unfinished.empty()) {
      output.note(
          printable(fmt::format("Not finished, which the next command that writes settles: "
                                "{}",
                                fmt::join(report.unfinished, ", "))));
    }
    printUnnamed(output, report.unnamed);
    if (!report.setAside.empty()) {
      output.note(
          printable(fmt::format("Refs that a repair set aside, as they cannot be read; delete them "
                                "if nothing is missing: {}",
                                fmt::join(texts(report.setAside), ", "))));
    }
    if (!report.foreign.empty()) {
      output.note(printable(fmt::format("Not of this store, and left alone: {}",
                                        fmt::join(texts(report.foreign), ", "))));
    }
  }

  static void printUnnamed(Output& output, const std::vector<UnnamedModel>& models) {
    if (models.empty()) return;
    output.line(fmt::format("No name leads to {}:", wordCount(models.size(), "model")));
    for (const UnnamedModel& model : models) {
      output.line(printable(fmt::format("  {}  {}  {}", shortHex(model.contentDigest),
                                        wordBytes(model.originalBytes), model.format)));
    }
    output.advice("strata verify --repair gives them a name, strata gc --unnamed frees them.");
  }

  /// Of a change whose file was damaged.
  static void printFinished(Output& output, const std::vector<std::string>& labels) {
    if (labels.empty()) return;
    output.line(
        printable(fmt::format("Did as the catalog knows what a damaged change.json said: "
                              "{}",
                              fmt::join(labels, ", "))));
  }

  static std::vector<std::string> texts(const std::vector<std::filesystem::path>& paths) {
    std::vector<std::string> all;
    for (const std::filesystem::path& path : paths) all.push_back(path.string());
    return all;
  }

  static void printAbsent(Output& output, const VerifyReport& report) {
    constexpr std::size_t kMost = 8;
    const std::size_t count = report.absentVersions.size();
    if (count == 0) return;
    output.line(fmt::format("Not here yet: {}, pulled without packs", wordCount(count, "version")));
    for (std::size_t i = 0; i < std::min(count, kMost); ++i) {
      const AbsentVersion& version = report.absentVersions[i];
      output.line(printable(fmt::format("  {}  {}", version.label, output.advised(version.pull))));
    }
    if (count > kMost) output.line(fmt::format("  and {} more", count - kMost));
  }

  /// Those that advice names. A list that cannot be read is no reason not to check.
  void noteRemotes(const Store& store) {
    constexpr std::size_t kMost = 3;
    const auto list = RemoteList::load(store.folder());
    if (!list) return;
    for (const RemoteConfig& remote : list->remotes) {
      if (remotes_.size() < kMost) remotes_.push_back(remote.name);
    }
  }

  void printRebuilt(Output& output) const {
    const ParityRepairReport& parity = here_.parity;
    if (here_.parityFailure) {
      output.warning(
          printable("nothing was brought back by parity: " + here_.parityFailure->message));
    }
    if (parity.objectCount > 0) {
      output.line(fmt::format("Brought back {}, {}, by parity",
                              wordCount(parity.objectCount, "object"),
                              wordBytes(parity.byteCount)));
    }
    if (parity.shardCount > 0) {
      output.line(fmt::format("Wrote {} of parity anew", wordCount(parity.shardCount, "file")));
    }
  }

  Json madeAnew() const {
    Json pairs = Json::array();
    for (const MendedSnapshots::Pair& one : here_.snapshots.mended) {
      pairs.push_back({{"ref", one.label}, {"from", one.from}});
    }
    return pairs;
  }

  void printMendedSnapshots(Output& output) const {
    if (here_.snapshotFailure) {
      output.warning(printable("snapshots in the trash were not looked at: " +
                               here_.snapshotFailure->message));
    }
    for (const MendedSnapshots::Pair& one : here_.snapshots.mended) {
      output.line(
          printable(fmt::format("Made {} anew of {}, which is in the trash", one.label, one.from)));
    }
    for (const MendedSnapshots::Pair& one : here_.snapshots.failed) {
      output.warning(printable(
          fmt::format("{} could not be made anew of {}: {}", one.label, one.from, one.why)));
    }
  }

  Outcome repair(Context& context) {
    STRATA_ATTEMPT(const std::filesystem::path folder, context.storeFolder());
    const auto mended = mendSettings(folder, context.lockWait());  // openStore says what else is
    if (!mended && mended.error().code == ErrorCode::StoreLocked) return problem(mended.error());
    if (mended && *mended) context.output().line("Wrote store.toml anew");
    STRATA_ATTEMPT(Store* const store, context.openStore());
    noteRemotes(*store);
    Output& output = context.output();
    STRATA_TRY(here_, repairHere(*store, context.stopToken(),
                                 context.progress(Context::JsonProgress::Events)));
    context.endProgress();
    printRebuilt(output);
    const RecoverReport& recovered = here_.recovered;
    if (recovered.numbersMade) output.line("Made asked.json anew of the lists kept of remotes");
    for (const std::string& label : recovered.rewritten) {
      output.line(printable("Wrote its ref anew: " + label));
    }
    for (const std::string& label : recovered.madePrivate) {
      output.warning(printable(fmt::format(
          "{}: its manifest was lost, and its files' permissions with it: they are yours alone",
          label)));
    }
    for (const std::string& label : recovered.named) {
      output.line(printable(fmt::format("Gave a model without a name one: {}", label)));
    }
    printFinished(output, recovered.finished);
    printMendedSnapshots(output);
    for (const std::filesystem::path& ref : recovered.setAside) {
      output.line(printable(fmt::format("Set aside a ref that cannot be read: {}", ref.string())));
    }
    for (const std::filesystem::path& file : recovered.forgotten) {
      output.line(printable(fmt::format(
          "Set aside what was kept of a remote without a name: {}; whether it lost versions since "
          "is not known, and the next push or pull takes what it lists",
          file.string())));
    }
    if (from_.empty()) {
      options_.level = VerifyOptions::Level::Full;
      STRATA_TRY(const VerifyReport report,
                 verifyStore(*store, options_, context.stopToken(),
                             context.progress(Context::JsonProgress::Events)));
      context.endProgress();
      const auto list = RemoteList::load(store->folder());
      if (!list || withoutRemotes(report.damages).empty() || list->remotes.empty()) {
        print(output, report);
        return exitOf(report);
      }
    }
    STRATA_ATTEMPT(const OpenRemote remote, openSource(context, *store));
    const RepairOptions options{.references = options_.references,
                                .parallel = parallelTransfers(context)};
    auto repaired = repairStore(*store, *remote.transport, options, context.stopToken(),
                                context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!repaired) return problem(remoteProblem(std::move(repaired).error(), remote.config));
    for (const FailedTransfer& failure : repaired->failed) {
      output.warning(printable(failure.error.message));
    }
    if (repaired->objectCount > 0) {
      output.line(printable(fmt::format("Fetched {}, {} from {}",
                                        wordCount(repaired->objectCount, "object"),
                                        wordBytes(repaired->byteCount), remote.shown())));
    }
    print(output, repaired->after);
    return exitOf(repaired->after);
  }

  /// A remote, or a bundle. A file is one only where no remote has its name.
  Attempt<OpenRemote> openSource(Context& context, const Store& store) const {
    const auto list = RemoteList::load(store.folder());
    std::error_code status;
    if ((list && list->find(from_) != nullptr) ||
        !std::filesystem::is_regular_file(from_, status)) {
      return openRemote(context, from_);
    }
    const RemoteConfig config{.name = {}, .url = from_};
    auto bundle = hub::BundleTransport::open(from_);
    if (!bundle) return problem(remoteProblem(std::move(bundle).error(), config));
    return OpenRemote{config, *std::move(bundle)};
  }

  Outcome writeCatalog(Context& context) {
    if (!options_.references.empty()) return usage("--rebuild-catalog is for the whole store");
    STRATA_ATTEMPT(const std::filesystem::path folder, context.storeFolder());
    const std::stop_token stop = context.stopToken();
    const auto rebuilt = rebuildCatalog(
        folder, stop, context.progress(Context::JsonProgress::Events), context.lockWait());
    context.endProgress();
    if (!rebuilt) return problem(rebuilt.error(), ErrorCode::CorruptData, "strata verify --full");
    const RebuildReport& report = *rebuilt;
    Output& output = context.output();
    output.event("result", {{"level", "catalog"},
                            {"sound", report.problems.empty()},
                            {"versions", report.versionCount},
                            {"trashed", report.trashedCount},
                            {"tags", report.tagCount},
                            {"rescued", report.rescued},
                            {"finished", report.finished},
                            {"set_aside", texts(report.setAside)},
                            {"unnamed", toJson(report.unnamed)},
                            {"history_kept", report.lostHistory.empty()},
                            {"problems", report.problems}});
    output.essential(folder.string());
    output.line(fmt::format("Wrote the catalog anew: {}, {}, {} in the trash",
                            wordCount(report.versionCount, "version"),
                            wordCount(report.tagCount, "tag"), report.trashedCount));
    for (const std::string& label : report.rescued) {
      output.line(printable("  Wrote its ref anew: " + label));
    }
    printFinished(output, report.finished);
    for (const std::filesystem::path& file : report.setAside) {
      output.line(printable(fmt::format("Set aside a ref that cannot be read: {}", file.string())));
    }
    for (const std::string& text : report.problems) output.line("  " + printable(text));
    if (!report.lostHistory.empty()) {
      output.warning(printable("undo takes nothing of before back; " + report.lostHistory));
    }
    if (!report.problems.empty()) output.advice("What to do about these: strata verify");
    printUnnamed(output, report.unnamed);
    return report.problems.empty() ? ExitCode::Done : ExitCode::Integrity;
  }

  VerifyOptions options_;
  bool quick_ = false;
  bool full_ = false;
  bool rebuild_ = false;
  bool rebuildCatalog_ = false;
  bool repair_ = false;
  std::string from_;
  HereReport here_;                   ///< of --repair
  std::vector<std::string> remotes_;  ///< names that advice can give
};

}  // namespace

std::unique_ptr<Command> makeVerify() { return std::make_unique<VerifyCommand>(); }

}  // namespace strata::cli
