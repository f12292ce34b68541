#include "gui/models/columns/hit_columns.h"

#include <QCoreApplication>
#include <QLocale>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::HitTable)
};

using Row = const FoundRow&;
using Kind = FoundModel::Kind;

QString kindText(Row hit) {
  switch (hit.kind) {
    case Kind::Strata:
      return Words::tr("versions");
    case Kind::Onnx:
      return QStringLiteral("ONNX");
    case Kind::Safetensors:
      return QStringLiteral("safetensors");
    case Kind::Candidate:
    case Kind::Other:
      break;
  }
  return Words::tr("other");
}

QString countText(const std::optional<std::uint64_t>& count) {
  return count ? QLocale().toString(static_cast<qulonglong>(*count)) : QString();
}

QVariant countValue(const std::optional<std::uint64_t>& count) {
  return count ? QVariant(static_cast<double>(*count)) : QVariant(-1.0);
}

}  // namespace

QString hitDetails(const FoundRow& hit) {
  if (hit.isGated) return Words::tr("gated: accept its terms on the web page");
  if (!hit.hasVersions()) return {};
  if (hit.versionCount == 0) return Words::tr("no versions that can be read");
  QString words = Words::tr("%n version(s) of %1", nullptr, hit.versionCount)
                      .arg(hit.names.join(QStringLiteral(", ")));
  if (hit.parentsAreHere) words += Words::tr("; the base is here");
  return words;
}

HitTable* makeHitTable(QObject* parent) {
  auto* table = new HitTable(
      {{Words::tr("Model"), {}, false, [](Row hit) { return hit.url; }},
       {Words::tr("Kind"), Words::tr("Versions as differences, or a plain model"), false, kindText},
       {Words::tr("To fetch"),
        Words::tr("Bytes that are not here: of the newest version of each name and its parents"),
        true, [](Row hit) { return hit.fetchBytes ? bytesText(*hit.fetchBytes) : QString(); },
        [](Row hit) { return countValue(hit.fetchBytes); }},
       {Words::tr("Downloads"),
        {},
        true,
        [](Row hit) { return countText(hit.downloads); },
        [](Row hit) { return countValue(hit.downloads); }},
       {Words::tr("Updated"), {}, false, [](Row hit) { return hit.updatedAt; }},
       {Words::tr("License"), {}, false, [](Row hit) { return hit.license; }},
       {Words::tr("Details"), {}, false, hitDetails, {}, hitDetails}},
      parent);
  table->setFilterText(
      [](Row hit) { return hit.url + u' ' + hit.license + u' ' + hitDetails(hit); });
  return table;
}

}  // namespace strata::gui
