#include <fmt/format.h>

#include "cli/context.h"
#include "cli/views/table.h"
#include "cli/views/time_text.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/ops/versions/trash.h"
#include "core/store/objects/lineage_check.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class TrashListCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "trash list",
            .summary = "Removed versions that can come back, last removed first.",
            .examples = {"trash list"}};
  }

  void declare(Arguments&) override {}

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    STRATA_TRY(const TrashReport report, listTrash(*store));
    Output& output = context.output();
    Json versions = Json::array();
    Table table({{"VERSION", Align::Left, true},
                 {"HASH"},
                 {"STORED", Align::Right},
                 {"REMOVED"},
                 {"KEPT UNTIL"},
                 {"TAGS"},
                 {"NOTE", Align::Left, true}});
    for (const VersionEntry& version : report.versions) {
      const std::int64_t until = keptUntil(version, context.config());
      versions.push_back(toJson(version));
      versions.back()["kept_until"] = isoDate(until);
      output.essential(version.label());
      table.addRow({version.label(), shortHex(version.contentDigest),
                    wordBytes(version.storedBytes), wordDate(version.removedAt), wordDate(until),
                    tagsText(version), version.note});
    }
    output.document({{"versions", std::move(versions)}, {"freeable_bytes", report.freeableBytes}});
    if (report.versions.empty()) {
      output.note("The trash is empty.");
      return ExitCode::Done;
    }
    table.print(output);
    output.line(fmt::format("{}, {} would be freed", wordCount(report.versions.size(), "version"),
                            wordBytes(report.freeableBytes)));
    return ExitCode::Done;
  }
};

class TrashRestoreCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "trash restore REF...",
            .summary = "Bring removed versions back under their names, numbers and tags.",
            .examples = {"trash restore sst2:v1", "trash restore 'sst2*'"}};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "REF...",
                   .target = &references_,
                   .help = "versions in the trash; * and ? stand for any characters and for one",
                   .isRequired = true});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    auto restored = restoreFromTrash(*store, references_);
    if (!restored) {
      return problemOfReturn(std::move(restored).error(), ErrorCode::NotFound, "strata trash list");
    }
    Output& output = context.output();
    output.document(
        {{"restored", labelsOf(restored->versions)}, {"lost_tags", restored->lostTags}});
    for (const VersionEntry& version : restored->versions) {
      output.essential(version.label());
      output.line("Brought back " + version.label());
    }
    for (const std::string& tag : restored->lostTags) {
      output.line(printable(fmt::format("  tag {} is another version's by now", tag)));
    }
    return ExitCode::Done;
  }

 private:
  std::vector<std::string> references_;
};

class TrashEmptyCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "trash empty [REF...] [options]",
            .summary = "Delete removed versions for good and free their space; asks first.",
            .examples = {"trash empty --dry-run", "trash empty sst2:v1",
                         "trash empty --older-than 30d --yes", "trash empty --expired"},
            .details =
                "A version that others are differences to can no longer come back, and they "
                "restore as before. Its space is freed with the last of them. A snapshot stays "
                "where it alone mends the damaged version that lacks its optimizer (exit 6)."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "REF...",
                   .target = &references_,
                   .help = "only these; * and ? stand for any characters and for one"});
    arguments.add({.spelling = "--older-than",
                   .target = &olderThan_,
                   .value = "AGE",
                   .help = "only what was removed before: 14d, or a date"});
    arguments.add({.spelling = "--expired",
                   .target = &expired_,
                   .help = "only what is older than the setting trash.days"});
    arguments.add({.spelling = "--accept-lost",
                   .target = &acceptLost_,
                   .help = "also snapshots that would mend a damaged version"});
    arguments.add({.spelling = "-n,--dry-run", .target = &dryRun_, .help = "say what would go"});
  }

  Outcome run(Context& context) override {
    STRATA_TRY(const std::optional<std::int64_t> before, moment(context.config()));
    STRATA_ATTEMPT(Store* const store, context.openStore());
    LineageCheck check(*store);
    EmptyTrashOptions options{.removedBeforeSeconds = before,
                              .references = references_,
                              .acceptLost = acceptLost_,
                              .dryRun = true,
                              .check = &check};
    const auto sink = context.progress(Context::JsonProgress::None);
    auto preview = emptyTrash(*store, options, context.stopToken(), sink);
    context.endProgress();
    if (!preview) {
      return problem(std::move(preview).error(), ErrorCode::NotFound, "strata trash list");
    }
    if (dryRun_ || (preview->versions.empty() && preview->objectCount == 0)) {
      return print(context.output(), *preview, true);
    }
    STRATA_ATTEMPT(
        const bool isWanted,
        context.confirm(fmt::format("{} in the trash of {} will be deleted for good, {}",
                                    wordCount(preview->versions.size(), "version"),
                                    store->folder().string(), wordBytes(preview->freedBytes))));
    if (!isWanted) return problem(ErrorCode::Cancelled, "the trash is as it was");
    options.dryRun = false;
    STRATA_TRY(const EmptyTrashReport report,
               emptyTrash(*store, options, context.stopToken(), sink));
    context.endProgress();
    return print(context.output(), report, false);
  }

 private:
  Result<std::optional<std::int64_t>> moment(const Config& config) const {
    if (expired_ && olderThan_) {
      return fail(ErrorCode::InvalidArgument, "--expired and --older-than exclude each other");
    }
    if (expired_) {
      return expiredBefore(config);
    }
    if (!olderThan_) return std::nullopt;
    const auto parsed = parseMoment(*olderThan_, secondsNow());
    if (!parsed) return fail(parsed.error().within("--older-than"));
    return *parsed;
  }

  static ExitCode print(Output& output, const EmptyTrashReport& report, bool isDryRun) {
    Json held = Json::array();
    for (const EmptyTrashReport::Held& one : report.held) {
      held.push_back({{"ref", one.label}, {"mends", one.damaged}});
    }
    output.document({{"deleted", labelsOf(report.versions)},
                     {"kept", labelsOf(report.needed)},
                     {"held", std::move(held)},
                     {"dry_run", isDryRun},
                     {"objects", report.objectCount},
                     {"freed_bytes", report.freedBytes}});
    for (const VersionEntry& version : report.versions) {
      output.essential(version.label());
      output.line(fmt::format("{} {}", isDryRun ? "Would delete" : "Deleted", version.label()));
    }
    for (const VersionEntry& version : report.needed) {
      output.line(fmt::format("  the model of {} stays: other versions are differences to it",
                              version.label()));
    }
    if (report.versions.empty() && report.objectCount == 0) {
      output.line("Nothing to delete.");
    } else {
      output.line(fmt::format("{} {}", wordBytes(report.freedBytes),
                              isDryRun ? "would be freed" : "freed"));
    }
    for (const EmptyTrashReport::Held& one : report.held) {
      output.warning(printable(fmt::format(
          "{} stays in the trash: {}, which lacks its optimizer, is damaged, and it mends that",
          one.label, one.damaged)));
    }
    if (report.held.empty()) return ExitCode::Done;
    output.advice(
        "Mend first: strata verify --repair; strata trash empty --accept-lost deletes it "
        "unmended.");
    return ExitCode::Integrity;
  }

  std::vector<std::string> references_;
  std::optional<std::string> olderThan_;
  bool expired_ = false;
  bool acceptLost_ = false;
  bool dryRun_ = false;
};

}  // namespace

std::unique_ptr<Command> makeTrashList() { return std::make_unique<TrashListCommand>(); }
std::unique_ptr<Command> makeTrashRestore() { return std::make_unique<TrashRestoreCommand>(); }
std::unique_ptr<Command> makeTrashEmpty() { return std::make_unique<TrashEmptyCommand>(); }

}  // namespace strata::cli
