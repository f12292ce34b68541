#include "gui/models/columns/object_columns.h"

#include <QCoreApplication>
#include <map>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::ObjectTable)
};

using Row = const ObjectState&;

QString users(const ObjectRow& object) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> shown = object.usedBy;
  const std::size_t count = shown.size();
  if (count > kShown) shown.resize(kShown);
  QString all = joined(shown, QStringLiteral(", "));
  if (count > kShown) all += Words::tr(" and %n more", nullptr, static_cast<int>(count - kShown));
  if (!object.trashedBy.empty()) {
    const QString trashed = joined(object.trashedBy, QStringLiteral(", "));
    all += (all.isEmpty() ? QString() : QStringLiteral("; ")) + Words::tr("trash: %1").arg(trashed);
  }
  return all.isEmpty() ? Words::tr("nothing") : all;
}

QString stateText(Row row) {
  if (!row.damage.isEmpty()) return Words::tr("DAMAGED: %1").arg(row.damage);
  if (row.isAwaited) return Words::tr("not here yet");
  return row.isChecked || row.object.checkedAt != 0 ? Words::tr("ok")
                                                    : Words::tr("not checked yet");
}

QString checkText(Row row) {
  return row.object.checkedAt == 0 ? QString() : agoText(row.object.checkedAt);
}

}  // namespace

ObjectTable* makeObjectTable(QObject* parent) {
  auto* table = new ObjectTable(
      {{Words::tr("Object"),
        Words::tr("The first digits of its SHA-256"),
        false,
        [](Row row) { return hashText(row.object.digest); },
        {},
        [](Row row) { return text(toHex(row.object.digest)); }},
       {Words::tr("Kind"), Words::tr("A pack holds coded tensors, a manifest lists them"), false,
        [](Row row) { return row.object.isManifest ? Words::tr("manifest") : Words::tr("pack"); }},
       {Words::tr("Size"),
        {},
        true,
        [](Row row) { return bytesText(row.object.byteCount); },
        [](Row row) { return QVariant(static_cast<qulonglong>(row.object.byteCount)); },
        [](Row row) { return exactBytesText(row.object.byteCount); }},
       {Words::tr("Used by"),
        Words::tr("Versions whose manifests name it"),
        false,
        [](Row row) { return users(row.object); },
        {},
        [](Row row) { return joined(row.object.usedBy, QStringLiteral(", ")); }},
       {Words::tr("Last check"), Words::tr("When a version that needs it was last found sound"),
        false, checkText,
        [](Row row) { return QVariant(static_cast<qlonglong>(row.object.checkedAt)); },
        [](Row row) { return dateText(row.object.checkedAt); }},
       {Words::tr("State"), Words::tr("What the last check found"), false, stateText}},
      parent);
  table->setFilterText([](Row row) {
    return text(toHex(row.object.digest)) + u' ' + joined(row.object.usedBy, QStringLiteral(" ")) +
           u' ' + stateText(row);
  });
  table->setMark([](Row row) { return !row.damage.isEmpty(); });
  return table;
}

std::vector<ObjectState> objectStates(const std::vector<ObjectRow>& objects,
                                      const VerifyReport* report) {
  std::map<Digest, QString> damages;
  if (report != nullptr) {
    for (const Damage& damage : report->damages) damages[damage.digest] = text(damage.reason);
  }
  std::vector<ObjectState> states;
  states.reserve(objects.size());
  for (const ObjectRow& object : objects) {
    const auto found = damages.find(object.digest);
    const bool isAbsent = report != nullptr && report->absentPacks.contains(object.digest);
    states.push_back({object, found == damages.end() ? QString() : found->second, report != nullptr,
                      object.isAwaited || isAbsent});
  }
  return states;
}

}  // namespace strata::gui
