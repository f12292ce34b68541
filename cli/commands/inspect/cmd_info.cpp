#include <fmt/format.h>
#include <sys/utsname.h>

#include <thread>

#include "cli/context.h"
#include "cli/views/parity_view.h"
#include "cli/views/table.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "cli/words/help.h"
#include "core/config/user_folders.h"
#include "core/ops/inspect/list_objects.h"
#include "core/ops/inspect/store_info.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

std::string systemName() {
  utsname names{};
  if (::uname(&names) != 0) return "unknown";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

Json storeJson(const InfoReport& report, const std::string& folder) {
  Json libraries = Json::object();
  for (const auto& [name, version] : report.libraries) libraries[name] = version;
  return {{"store", folder},
          {"id", report.id},
          {"store_format", report.storeFormat},
          {"catalog_schema", report.catalogSchema},
          {"archive_format", report.archiveFormat},
          {"totals", toJson(report.totals)},
          {"names", report.nameCount},
          {"tags", report.tagCount},
          {"objects", report.objectCount},
          {"trashed", report.trashedVersions},
          {"trash_bytes", report.trashBytes},
          {"temporary_bytes", report.temporaryBytes},
          {"parity", parityJson(report.parity)},
          {"free_bytes", report.freeBytes},
          {"locked_by", report.lockedBy.empty() ? Json(nullptr) : Json(report.lockedBy)},
          {"lock_left_by", report.lockLeftBy.empty() ? Json(nullptr) : Json(report.lockLeftBy)},
          {"libraries", std::move(libraries)}};
}

class InfoCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "info [--redact] [--objects]",
            .summary = "The program, the store and how they are; for bug reports.",
            .examples = {"info", "info --redact", "info --objects"}};
  }

  void declare(Arguments& arguments) override {
    arguments.add(
        {.spelling = "--redact", .target = &redact_, .help = "without your home folder's name"});
    arguments.add({.spelling = "--objects",
                   .target = &objects_,
                   .help = "also each object of the store, and which versions need it"});
  }

  Outcome run(Context& context) override {
    Output& output = context.output();
    STRATA_ATTEMPT(const std::filesystem::path folder, context.storeFolder());
    std::optional<InfoReport> report;
    std::uint64_t uncheckedCount = 0;
    std::string trouble;
    std::vector<ObjectRow> objects;
    if (auto opened = context.openStore(); opened) {
      STRATA_TRY(report, storeInfo(**opened));
      STRATA_TRY(uncheckedCount, countUnchecked(**opened, checkedLatelySince(context.config())));
      if (objects_) {
        STRATA_TRY(objects, listObjects(**opened));
      }
    } else if (opened.error().error.code == ErrorCode::NoStore) {
      const std::string advice = output.advised(context.adviceFor(opened.error()));
      trouble = advice.starts_with("strata ") ? "none here; make one with: " + advice : "none here";
    } else {
      trouble = opened.error().error.message;
    }
    hidden_ = {folder.string(), context.userConfigFile().parent_path().string()};
    const std::string store = shown(folder.string());
    Json fields{{"version", STRATA_VERSION},
                {"system", systemName()},
                {"cores", std::thread::hardware_concurrency()},
                {"config_file", shown(context.userConfigFile().string())}};
    fields["store"] = report ? storeJson(*report, store) : Json(nullptr);
    if (report) fields["store"]["unchecked_versions"] = uncheckedCount;
    fields["trouble"] = trouble.empty() ? Json(nullptr) : Json(shown(trouble));
    if (objects_) fields["objects"] = objectsJson(objects);
    output.document(std::move(fields));
    output.essential(store);
    printField(output, "program",
               fmt::format("{}, {}, {} cores", versionText(), systemName(),
                           std::thread::hardware_concurrency()));
    printField(output, "settings", shown(context.userConfigFile().string()));
    printField(output, "store", store);
    if (report) printStore(output, *report);
    if (uncheckedCount > 0) {
      printField(output, "unchecked",
                 fmt::format("{} not checked for {} days", wordCount(uncheckedCount, "version"),
                             context.config().text("verify.days")));
    }
    printField(output, "trouble", shown(trouble));
    if (report) noteUnprotected(output, report->parity);
    if (!objects.empty()) printObjects(output, objects);
    return ExitCode::Done;
  }

 private:
  static Json objectsJson(const std::vector<ObjectRow>& objects) {
    Json rows = Json::array();
    for (const ObjectRow& object : objects) {
      rows.push_back(
          {{"digest", toHex(object.digest)},
           {"kind", object.isManifest ? "manifest" : "pack"},
           {"bytes", object.byteCount},
           {"here", !object.isAwaited},
           {"checked", object.checkedAt == 0 ? Json(nullptr) : Json(isoDate(object.checkedAt))},
           {"used_by", object.usedBy},
           {"trashed_by", object.trashedBy}});
    }
    return rows;
  }

  static void printObjects(Output& output, const std::vector<ObjectRow>& objects) {
    Table table({{"OBJECT"},
                 {"KIND"},
                 {"SIZE", Align::Right},
                 {},
                 {"CHECKED"},
                 {"USED BY", Align::Left, true}});
    for (const ObjectRow& object : objects) {
      table.addRow({shortHex(object.digest), object.isManifest ? "manifest" : "pack",
                    wordBytes(object.byteCount), object.isAwaited ? "not here" : "",
                    object.checkedAt == 0 ? "never" : wordDate(object.checkedAt),
                    fmt::format("{}", fmt::join(object.usedBy, ", "))});
    }
    table.print(output);
  }

  /// `text` without the places of this machine, if that is wished: the home folder as "~", and of
  /// folders elsewhere the last part alone.
  std::string shown(std::string text) const {
    if (!redact_) return text;
    replaceAll(text, environment("HOME"), "~");
    for (const std::string& folder : hidden_) {
      const std::filesystem::path path = folder;
      if (path.is_absolute()) replaceAll(text, folder, ".../" + path.filename().string());
    }
    return text;
  }

  static void replaceAll(std::string& text, const std::string& what, const std::string& by) {
    if (what.size() < 2) return;
    for (std::size_t place = text.find(what); place != std::string::npos;
         place = text.find(what, place + by.size())) {
      text.replace(place, what.size(), by);
    }
  }

  static void printField(Output& output, std::string_view key, const std::string& value) {
    if (!value.empty()) output.line(fmt::format("{:<9} {}", key, printable(value)));
  }

  static void printStore(Output& output, const InfoReport& report) {
    const StoreTotals& totals = report.totals;
    printField(output, "models",
               fmt::format("{}, {}, {}, {}", wordCount(totals.baseCount, "base"),
                           wordCount(totals.versionCount, "version"),
                           wordCount(report.nameCount, "name"), wordCount(report.tagCount, "tag")));
    printField(output, "size", totalsText(totals));
    if (totals.awaitedVersions != 0) {
      printField(output, "not here",
                 fmt::format("{} of {} versions, {} in {} to fetch", totals.awaitedVersions,
                             totals.versionCount + totals.baseCount, wordBytes(totals.awaitedBytes),
                             wordCount(totals.awaitedPacks, "pack")));
    }
    printField(
        output, "objects",
        fmt::format("{}, {} free on this disk", report.objectCount, wordBytes(report.freeBytes)));
    printField(output, "parity", parityText(report.parity));
    printField(output, "trash",
               fmt::format("{}, {}", wordCount(report.trashedVersions, "version"),
                           wordBytes(report.trashBytes)));
    printField(output, "format",
               fmt::format("store {}, catalog {}, archive {}", report.storeFormat,
                           report.catalogSchema, report.archiveFormat));
    std::string libraries;
    for (const auto& [name, version] : report.libraries) {
      libraries += fmt::format("{}{} {}", libraries.empty() ? "" : ", ", name, version);
    }
    printField(output, "libraries", libraries);
    if (report.temporaryBytes > 0) {
      printField(output, "unfinished", wordBytes(report.temporaryBytes) + " of temporary files");
    }
    printField(output, "locked by", report.lockedBy);
    if (!report.lockLeftBy.empty()) {
      printField(output, "left by", report.lockLeftBy + "; the next add cleans up after it");
    }
  }

  bool redact_ = false;
  std::vector<std::string> hidden_;  ///< folders of this machine
  bool objects_ = false;
};

}  // namespace

std::unique_ptr<Command> makeInfo() { return std::make_unique<InfoCommand>(); }

}  // namespace strata::cli
