#include <fmt/format.h>

#include <algorithm>

#include "cli/context.h"
#include "cli/views/damage_view.h"
#include "cli/views/lineage_tree.h"
#include "cli/views/table.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/ops/inspect/list_versions.h"
#include "core/store/catalog/check_dates.h"
#include "core/text/suggest.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

using Damaged = const Damages&;

bool isDamaged(const ListRow& row, Damaged damaged) {
  return damagedAt(damaged, row.version).has_value();
}

/// A column of the list: its name for --columns, and its cell.
struct ListColumn {
  std::string_view name;
  Align align;
  std::string (*cell)(const ListRow& row, Damaged damaged);
};

std::string baseCell(const ListRow& row, Damaged) {
  return row.version.isBase() ? "(base)" : row.baseLabel;
}

const std::vector<ListColumn>& listColumns() {
  using Row = const ListRow&;
  static const std::vector<ListColumn> kColumns{
      {"name", Align::Left, [](Row row, Damaged) { return row.version.name; }},
      {"ref", Align::Left, [](Row row, Damaged) { return row.version.label(); }},
      {"version", Align::Left,
       [](Row row, Damaged) { return fmt::format("v{}", row.version.number); }},
      {"tags", Align::Left, [](Row row, Damaged) { return tagsText(row.version); }},
      {"original", Align::Right,
       [](Row row, Damaged) { return wordBytes(row.version.originalBytes); }},
      {"stored", Align::Right, [](Row row, Damaged) { return storedText(row.version, row.taken); }},
      {"ratio", Align::Right, [](Row row, Damaged) { return ratioText(row.version, row.taken); }},
      {"change", Align::Right, [](Row row, Damaged) { return wordChangeOf(row.version); }},
      {"fidelity", Align::Left,
       [](Row row, Damaged) { return std::string(fidelity(row.version)); }},
      {"base", Align::Left, baseCell},
      {"parent", Align::Left, [](Row row, Damaged) { return row.parentLabel; }},
      {"depth", Align::Right, [](Row row, Damaged) { return std::to_string(row.version.depth); }},
      {"date", Align::Left, [](Row row, Damaged) { return wordDate(row.version.addedAt); }},
      {"checked", Align::Left,
       [](Row row, Damaged) {
         return row.version.checkedAt == 0 ? "never" : wordDate(row.version.checkedAt);
       }},
      {"damaged", Align::Left,
       [](Row row, Damaged damaged) { return damagedText(damaged, row.version); }},
      {"hash", Align::Left, [](Row row, Damaged) { return shortHex(row.version.contentDigest); }},
      {"format", Align::Left, [](Row row, Damaged) { return row.version.format; }},
      {"effort", Align::Left, [](Row row, Damaged) { return row.version.effort; }},
      {"profile", Align::Left, [](Row row, Damaged) { return row.version.profile; }},
      {"tensors", Align::Right,
       [](Row row, Damaged) { return std::to_string(row.version.tensorCount); }},
      {"here", Align::Left,
       [](Row row, Damaged) { return row.awaited.isHere() ? "yes" : awaitedText(row.awaited); }},
      {"license", Align::Left, [](Row row, Damaged) { return row.version.license; }},
      {"note", Align::Left, [](Row row, Damaged) { return row.version.note; }},
  };
  return kColumns;
}

/// Where a version is lossy, damaged or not here, that is said.
std::string columnsFor(const std::vector<ListRow>& rows, Damaged damaged) {
  const auto any = [&](auto isSo) { return std::any_of(rows.begin(), rows.end(), isSo); };
  const bool isLossy = any([](const ListRow& row) { return row.version.lossy; });
  const bool isAwaited = any([](const ListRow& row) { return !row.awaited.isHere(); });
  const bool isBad = any([&](const ListRow& row) { return isDamaged(row, damaged); });
  // The change is the one to the parent.
  const bool isChain = any([](const ListRow& row) { return row.parentLabel != row.baseLabel; });
  return fmt::format("name,version,{}tags,original,stored,{}ratio,{}change,{}base,date",
                     isBad ? "damaged," : "", isAwaited ? "here," : "", isLossy ? "fidelity," : "",
                     isChain ? "parent," : "");
}

std::vector<std::string> columnNames() {
  std::vector<std::string> names;
  for (const ListColumn& column : listColumns()) names.emplace_back(column.name);
  return names;
}

Result<std::vector<const ListColumn*>> chooseColumns(std::string_view wish) {
  std::vector<const ListColumn*> chosen;
  while (!wish.empty()) {
    const std::size_t comma = std::min(wish.find(','), wish.size());
    const std::string_view name = wish.substr(0, comma);
    const auto& all = listColumns();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ListColumn& column) { return column.name == name; });
    if (found == all.end()) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("--columns: there is no column \"{}\"; there are {}", name,
                              fmt::join(columnNames(), ", ")));
    }
    chosen.push_back(&*found);
    wish.remove_prefix(std::min(comma + 1, wish.size()));
  }
  return chosen;
}

std::string capitals(std::string_view name) {
  std::string text(name);
  for (char& letter : text)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

class ListCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "list [GLOB] [options]",
            .summary = "Bases and variants in the store, with what they take.",
            .examples = {"list", "list --tree", "list 'sst*' --versions --sort date",
                         "list --filter 'ratio>10,tag=prod'", "ls --columns name,note,date",
                         "ls --versions --filter 'unchecked>30' --columns ref,checked"},
            .details = fmt::format(
                "CHANGE is the change to the parent, which stands beside it where it is not the "
                "base. A version that shares another's objects says so in STORED. "
                "Conditions of --filter are lossy, exact, or a field with < <= = != >= > and a "
                "value. The fields are {}. The columns are {}.",
                listFilterFields(), fmt::join(columnNames(), ", "))};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "GLOB",
                   .target = &options_.glob,
                   .help = "names, or versions as NAME:vN, with * and ?",
                   .completes = Completes::Names});
    arguments.add({.spelling = "--tree", .target = &tree_, .help = "as a tree of bases"});
    arguments.add({.spelling = "--versions",
                   .target = &options_.allVersions,
                   .help = "all versions, not the newest of each name only"});
    arguments.add({.spelling = "--sort",
                   .target = &sort_,
                   .value = "KEY",
                   .help = "name, size, date, ratio or change",
                   .choices = {"name", "size", "date", "ratio", "change"}});
    arguments.add({.spelling = "--filter",
                   .target = &options_.filter,
                   .value = "CONDITIONS",
                   .help = "such as 'lossy,ratio>10,stored<=20MB,tag=prod,date>=2026-03-01'"});
    arguments.add({.spelling = "--columns",
                   .target = &columns_,
                   .value = "NAMES",
                   .help = "what to show, joined by commas"});
  }

  Outcome run(Context& context) override {
    STRATA_TRY(auto columns, chooseColumns(columns_.value_or("")));
    if (tree_ && columns_) return usage("--tree and --columns exclude each other");
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    options_.sort = sortKey();
    const bool namesVersions = options_.glob.find(':') != std::string::npos;
    options_.allVersions = options_.allVersions || tree_ || namesVersions;
    auto listed = listVersions(*store, options_);
    if (!listed) {
      return problem(std::move(listed).error(), ErrorCode::InvalidArgument, "strata help list");
    }
    STRATA_TRY(damaged_, damagedManifests(store->folder()));
    if (!columns_) {
      STRATA_TRY(columns, chooseColumns(columnsFor(listed->rows, damaged_)));
    }
    print(context.output(), *listed, columns);
    return ExitCode::Done;
  }

 private:
  ListOptions::Sort sortKey() const {
    if (sort_ == "size") return ListOptions::Sort::Size;
    if (sort_ == "date") return ListOptions::Sort::Date;
    if (sort_ == "ratio") return ListOptions::Sort::Ratio;
    if (sort_ == "change") return ListOptions::Sort::Change;
    return ListOptions::Sort::Name;
  }

  void print(Output& output, const ListReport& report,
             const std::vector<const ListColumn*>& columns) const {
    Json versions = Json::array();
    for (const ListRow& row : report.rows) {
      versions.push_back(withDamage(toJson(row), damaged_, row.version));
      output.essential(options_.allVersions ? row.version.label() : row.version.name);
    }
    output.document({{"versions", std::move(versions)},
                     {"listed", report.listed ? toJson(*report.listed) : Json(nullptr)},
                     {"totals", toJson(report.totals)}});
    if (report.rows.empty()) {
      const bool isEmptyStore = report.totals.versionCount + report.totals.baseCount == 0;
      output.advice(isEmptyStore ? "No models stored yet. Next: strata import base.onnx --name base"
                    : options_.allVersions ? "No version matches."
                                           : "No newest version matches; with --versions all are "
                                             "looked at.");
      return;
    }
    tree_ ? printTree(output, report.rows) : printTable(output, report.rows, columns);
    if (report.listed) output.line(listedText(*report.listed));
    output.line((report.listed ? "The store: " : "") + totalsText(report.totals));
    const bool isBad = std::any_of(report.rows.begin(), report.rows.end(),
                                   [&](const ListRow& row) { return isDamaged(row, damaged_); });
    if (isBad) output.advice("The last check found versions damaged; strata verify says how.");
  }

  void printTable(Output& output, const std::vector<ListRow>& rows,
                  const std::vector<const ListColumn*>& columns) const {
    std::vector<Table::Column> heads;
    for (const ListColumn* column : columns) {
      const bool isElastic = column->name == "note" || column->name == "name" ||
                             column->name == "base" || column->name == "tags";
      heads.push_back({capitals(column->name), column->align, isElastic});
    }
    Table table(std::move(heads));
    for (const ListRow& row : rows) {
      std::vector<std::string> cells;
      for (const ListColumn* column : columns) cells.push_back(column->cell(row, damaged_));
      table.addRow(std::move(cells));
    }
    table.print(output);
  }

  void printTree(Output& output, const std::vector<ListRow>& rows) const {
    Table table({{}, {}, {}, {"", Align::Right}, {"", Align::Right}, {}, {}});
    for (const TreeLine& line : lineageTree(rows)) {
      const VersionEntry& version = line.row->version;
      const std::string change = version.isBase() ? "base" : "change " + changeText(*line.row);
      table.addRow({line.branch, fmt::format("v{}", version.number), tagsText(version),
                    storedText(version, line.row->taken),
                    version.isBase() ? "" : ratioText(version, line.row->taken),
                    change + (version.lossy ? fmt::format("  {}", fidelity(version)) : "") +
                        (isDamaged(*line.row, damaged_) ? "  DAMAGED" : ""),
                    awaitedText(line.row->awaited)});
    }
    table.print(output);
  }

  ListOptions options_;
  Damages damaged_;
  bool tree_ = false;
  std::string sort_ = "name";
  std::optional<std::string> columns_;
};

}  // namespace

std::unique_ptr<Command> makeList() { return std::make_unique<ListCommand>(); }

}  // namespace strata::cli
