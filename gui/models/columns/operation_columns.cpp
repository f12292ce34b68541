#include "gui/models/columns/operation_columns.h"

#include <QCoreApplication>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::OperationTable)
};

using Where = VersionState::Where;

/// As the log has them; in English they are said as they are.
constexpr const char* kKinds[] = {QT_TRANSLATE_NOOP("strata::gui::OperationTable", "add"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "remove"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "prune"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "rename"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "tag"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "tag remove"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "note"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "source"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "trash restore"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "trash empty"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "recode"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "pull"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "gc"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "repair"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "undo"),
                                  QT_TRANSLATE_NOOP("strata::gui::OperationTable", "redo")};

QString stepText(const VersionStep& step, const VersionState& before, const VersionState& after) {
  QString what;
  if (before.where == Where::Absent) {
    what = Words::tr("new");
  } else if (before.where != after.where) {
    what = after.where == Where::Live ? Words::tr("out of the trash") : Words::tr("to the trash");
  } else if (before.manifestDigest != after.manifestDigest) {
    what = Words::tr("coded anew");
  } else if (before.note != after.note) {
    what = after.note.empty() ? Words::tr("no note")
                              : Words::tr("note \"%1\"").arg(text(after.note).simplified());
  } else {
    what = Words::tr("source");
  }
  return Words::tr("%1: %2").arg(text(step.label()), what);
}

QString stepText(const TagStep& step, const std::optional<TagRef>& before,
                 const std::optional<TagRef>& after) {
  const auto versionOf = [](const std::optional<TagRef>& tag) {
    return tag ? QStringLiteral("v%1").arg(tag->number) : Words::tr("none");
  };
  return Words::tr("tag %1: %2 instead of %3")
      .arg(text(step.name + ":" + step.tag), versionOf(after), versionOf(before));
}

}  // namespace

QString kindText(const Operation& operation) {
  for (const char* known : kKinds) {
    if (operation.kind == known) return Words::tr(known);
  }
  return text(operation.kind);
}

QString subjectText(const Operation& operation) {
  constexpr std::size_t kMostNamed = 3;
  const std::size_t count = operation.versions.size();
  if (!operation.renamedFrom.empty() && operation.reverted.empty()) {
    return Words::tr("%1 to %2").arg(text(operation.renamedFrom), text(operation.renamedTo));
  }
  // The log's own text names all of them, or says what was taken back.
  if (count <= kMostNamed || !operation.reverted.empty()) return text(operation.detail);
  QStringList named;
  for (std::size_t i = 0; i + 1 < kMostNamed; ++i) named << text(operation.versions[i].label());
  return Words::tr("%1 and %n more", nullptr, static_cast<int>(count - kMostNamed + 1))
      .arg(named.join(QStringLiteral(", ")));
}

QString operationText(const Operation& operation) {
  return Words::tr("%1 of %2", "an operation and what it was about")
      .arg(kindText(operation), subjectText(operation));
}

QStringList changeTexts(const Operation& operation, Sense sense) {
  const bool isBack = sense == Sense::Back;
  QStringList lines;
  for (const VersionStep& step : operation.versions) {
    VersionState before = step.before;
    if (before.where == Where::Absent && sense != Sense::Done) before.where = Where::Trash;
    lines << (isBack ? stepText(step, step.after, before) : stepText(step, before, step.after));
  }
  for (const TagStep& step : operation.tags) {
    lines << (isBack ? stepText(step, step.after, step.before)
                     : stepText(step, step.before, step.after));
  }
  if (!operation.renamedFrom.empty()) {
    const QString from = text(isBack ? operation.renamedTo : operation.renamedFrom);
    const QString to = text(isBack ? operation.renamedFrom : operation.renamedTo);
    lines << Words::tr("%1 is called %2").arg(from, to);
  }
  return lines;
}

OperationTable* makeOperationTable(QObject* parent) {
  using Row = const Operation&;
  auto* table = new OperationTable(
      {{Words::tr("No."), Words::tr("The number that undo and redo of the command line take"), true,
        [](Row row) { return QString::number(row.id); },
        [](Row row) { return QVariant(static_cast<qlonglong>(row.id)); }},
       {Words::tr("When"),
        {},
        false,
        [](Row row) { return dateText(row.at); },
        [](Row row) { return QVariant(static_cast<qlonglong>(row.at)); }},
       {Words::tr("Operation"), {}, false, [](Row row) { return kindText(row); }},
       {Words::tr("Of"),
        {},
        false,
        [](Row row) { return subjectText(row); },
        {},
        [](Row row) { return text(row.detail); }},
       {Words::tr("State"),
        {},
        false,
        [](Row row) { return row.isUndone ? Words::tr("taken back") : QString(); }}},
      parent);
  table->setFilterText(
      [](Row row) { return kindText(row) + u' ' + text(row.kind) + u' ' + text(row.detail); });
  return table;
}

}  // namespace strata::gui
