#include "gui/models/columns/diff_columns.h"

#include <fmt/format.h>

#include <QCoreApplication>

#include "core/text/wording.h"
#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::DiffTable)
};

using Row = const DiffRow&;

QString storedCell(const std::optional<std::uint64_t>& bytes) {
  return bytes ? bytesText(*bytes) : QStringLiteral("-");
}

QVariant storedValue(const std::optional<std::uint64_t>& bytes) {
  return bytes ? QVariant(static_cast<double>(*bytes)) : QVariant(-1.0);
}

std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(b) - static_cast<std::int64_t>(a);
}

QString changeOf(std::uint64_t a, std::uint64_t b) {
  const double share = a == 0 ? 0 : static_cast<double>(difference(a, b)) / static_cast<double>(a);
  return numberText(wordBytesChange(difference(a, b))) +
         (a == 0 || a == b ? QString()
                           : QStringLiteral("  (%1)").arg(numberText(wordShareChange(share))));
}

QString numberCell(Row row, double number) {
  return row.comparable && row.hasNumbers ? errorText(number) : QStringLiteral("-");
}

QString fromBaseCell(const std::optional<double>& change) {
  return change ? errorText(*change) : QStringLiteral("-");
}

DiffFact pair(const QString& what, const QString& a, const QString& b) {
  return {what, a, b, a == b ? Words::tr("same") : Words::tr("differs")};
}

/// Says what wordChange() (core/ops/inspect/diff_models.h) does, row by row.
void addChange(const ModelChange& change, std::vector<DiffFact>& facts) {
  facts.push_back({Words::tr("Elements"), QString(), QString(),
                   change.isAny() ? Words::tr("%1 changed").arg(shareText(change.changedShare()))
                                  : Words::tr("no tensor in common")});
  facts.push_back({Words::tr("Weights"), QString(), QString(),
                   change.hasNoSize() ? Words::tr("no size")
                   : change.distance  ? Words::tr("%1 relative L2").arg(errorText(*change.distance))
                                      : Words::tr("unknown")});
  if (change.newWords > 0) {
    facts.push_back({Words::tr("No counterpart"), QString(), QString(),
                     Words::tr("%1 of the changes, without a counterpart in A")
                         .arg(shareText(change.newShare()))});
  }
  if (change.roundedWords == 0) return;
  const std::string types = fmt::format("{}", fmt::join(change.roundedTo, ", "));
  facts.push_back(
      {Words::tr("Rounding"), QString(), QString(),
       Words::tr("%1 of the changes, to %2").arg(shareText(change.roundedShare()), text(types))});
}

}  // namespace

DiffTable* makeDiffTable(QObject* parent) {
  auto* table = new DiffTable(
      {{Words::tr("Tensor"),
        {},
        false,
        [](Row row) { return text(row.name); },
        {},
        [](Row row) {
          const QString sources = text(wordSources(row));
          return sources.isEmpty() ? text(row.name) : text(row.name) + u'\n' + sources;
        }},
       {Words::tr("Shape"),
        {},
        true,
        [](Row row) { return text(wordShape(row.shapeB)); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.wordCount)); }},
       {Words::tr("Elements changed"),
        Words::tr("Share of elements that differ in any bit"),
        true,
        [](Row row) { return row.comparable ? shareText(row.changedShare()) : Words::tr("all"); },
        [](Row row) { return QVariant(row.changedShare()); },
        {},
        [](Row row) { return row.changedShare(); }},
       {Words::tr("||B-A|| / ||A||"),
        Words::tr("Relative L2 norm of the difference; - for integers and packed types"), true,
        [](Row row) {
          return row.hasDistance ? numberCell(row, row.relativeChange) : QStringLiteral("-");
        },
        [](Row row) { return QVariant(row.relativeChange); }},
       {Words::tr("Largest change"),
        Words::tr("Of one element, in value units; - for types without numbers"), true,
        [](Row row) { return numberCell(row, row.maxAbsChange); },
        [](Row row) { return QVariant(row.maxAbsChange); }},
       {Words::tr("A from base"), Words::tr("Relative L2 norm of what A changed of its base"), true,
        [](Row row) { return fromBaseCell(row.fromBaseA); },
        [](Row row) { return QVariant(row.fromBaseA.value_or(-1)); }},
       {Words::tr("B from base"), Words::tr("Relative L2 norm of what B changed of its base"), true,
        [](Row row) { return fromBaseCell(row.fromBaseB); },
        [](Row row) { return QVariant(row.fromBaseB.value_or(-1)); }},
       {Words::tr("Stored A"), Words::tr("Bytes in the store; - outside of it"), true,
        [](Row row) { return storedCell(row.storedBytesA); },
        [](Row row) { return storedValue(row.storedBytesA); }},
       {Words::tr("Stored B"), Words::tr("Bytes in the store; - outside of it"), true,
        [](Row row) { return storedCell(row.storedBytesB); },
        [](Row row) { return storedValue(row.storedBytesB); }},
       {Words::tr("Paired with"), Words::tr("Where the tensor of A has another name or shape"),
        false, [](Row row) { return text(wordSources(row)); }}},
      parent);
  table->setFilterText([](Row row) { return text(row.name) + u' ' + text(wordSources(row)); });
  return table;
}

DiffFactTable* makeDiffFactTable(QObject* parent) {
  using Fact = const DiffFact&;
  return new DiffFactTable({{QString(), {}, false, [](Fact fact) { return fact.what; }},
                            {Words::tr("A"), {}, true, [](Fact fact) { return fact.a; }},
                            {Words::tr("B"), {}, true, [](Fact fact) { return fact.b; }},
                            {Words::tr("Change"), {}, true, [](Fact fact) { return fact.change; }}},
                           parent);
}

std::vector<DiffFact> factsOf(const DiffReport& report) {
  std::vector<DiffFact> facts;
  facts.push_back({Words::tr("Model"), text(report.labelA), text(report.labelB),
                   report.identical ? Words::tr("the same bytes") : QString()});
  facts.push_back({Words::tr("Original"), bytesText(report.originalBytesA),
                   bytesText(report.originalBytesB),
                   changeOf(report.originalBytesA, report.originalBytesB)});
  if (report.versionA && report.versionB) {
    const VersionEntry& a = *report.versionA;
    const VersionEntry& b = *report.versionB;
    facts.push_back({Words::tr("Stored"), bytesText(a.storedBytes), bytesText(b.storedBytes),
                     changeOf(a.storedBytes, b.storedBytes)});
    facts.push_back({Words::tr("Ratio"), ratioText(a.ratio()), ratioText(b.ratio()), {}});
    facts.push_back(pair(Words::tr("Fidelity"), fidelityText(a), fidelityText(b)));
    facts.push_back({Words::tr("Added"), dateText(a.addedAt), dateText(b.addedAt), {}});
  }
  const auto tensors = report.changedTensors + report.equalTensors;
  facts.push_back({Words::tr("Tensors"), QString(), QString(),
                   Words::tr("%1 of %2 changed").arg(report.changedTensors).arg(tensors)});
  addChange(report.change, facts);
  if (!report.onlyInA.empty() || !report.onlyInB.empty()) {
    facts.push_back({Words::tr("Only on one side"),
                     Words::tr("%n tensor(s)", nullptr, static_cast<int>(report.onlyInA.size())),
                     Words::tr("%n tensor(s)", nullptr, static_cast<int>(report.onlyInB.size())),
                     {}});
  }
  return facts;
}

}  // namespace strata::gui
