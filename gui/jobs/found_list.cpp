#include "gui/jobs/found_list.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <algorithm>
#include <iterator>

#include "core/config/user_folders.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::FoundList)
};

constexpr const char* kKinds[] = {"strata", "candidate", "onnx", "safetensors", "other"};

QString filePath() { return QString::fromStdString((userFolders().state / "found.json").string()); }

/// Numbers are texts: those of JSON end at 2^53.
QJsonValue numberJson(const std::optional<std::uint64_t>& number) {
  return number ? QJsonValue(QString::number(*number)) : QJsonValue();
}

std::optional<std::uint64_t> numberOf(const QJsonValue& value) {
  bool isNumber = false;
  const qulonglong number = value.toString().toULongLong(&isNumber);
  return isNumber ? std::optional<std::uint64_t>(number) : std::nullopt;
}

QJsonObject toJson(const FoundRow& row) {
  return {{"url", row.url},
          {"kind", kKinds[static_cast<int>(row.kind)]},
          {"names", QJsonArray::fromStringList(row.names)},
          {"versions", row.versionCount},
          {"fetch_bytes", numberJson(row.fetchBytes)},
          {"downloads", numberJson(row.downloads)},
          {"updated", row.updatedAt},
          {"license", row.license},
          {"gated", row.isGated},
          {"parents_are_here", row.parentsAreHere}};
}

FoundRow rowOf(const QJsonObject& object) {
  FoundRow row{.url = object["url"].toString(),
               .versionCount = object["versions"].toInt(),
               .fetchBytes = numberOf(object["fetch_bytes"]),
               .downloads = numberOf(object["downloads"]),
               .updatedAt = object["updated"].toString(),
               .license = object["license"].toString(),
               .isGated = object["gated"].toBool(),
               .parentsAreHere = object["parents_are_here"].toBool()};
  const auto* const kind =
      std::find(std::begin(kKinds), std::end(kKinds), object["kind"].toString());
  if (kind != std::end(kKinds)) {
    row.kind = static_cast<FoundRow::Kind>(std::distance(std::begin(kKinds), kind));
  }
  for (const auto& name : object["names"].toArray()) row.names << name.toString();
  return row;
}

}  // namespace

FoundList FoundList::load() {
  FoundList list;
  QFile file(filePath());
  if (!file.open(QIODevice::ReadOnly) || file.size() > kMostBytes) return list;
  const QJsonObject kept = QJsonDocument::fromJson(file.readAll()).object();
  list.foundAt = static_cast<std::int64_t>(kept["found_at"].toDouble());
  list.request = {.place = kept["place"].toString(),
                  .words = kept["words"].toString(),
                  .license = kept["license"].toString(),
                  .onlyStrata = kept["only_strata"].toBool()};
  for (const auto& row : kept["models"].toArray()) {
    if (list.rows.size() == kMostRows) break;
    FoundRow found = rowOf(row.toObject());
    if (!found.url.isEmpty()) list.rows.push_back(std::move(found));
  }
  return list;
}

Result<void> FoundList::save() const {
  QJsonArray models;
  for (const FoundRow& row : rows) {
    if (models.size() == static_cast<qsizetype>(kMostRows)) break;
    models.append(toJson(row));
  }
  const QJsonObject kept{{"found_at", static_cast<double>(foundAt)},
                         {"place", request.place},
                         {"words", request.words},
                         {"license", request.license},
                         {"only_strata", request.onlyStrata},
                         {"models", models}};
  const QString path = filePath();
  QDir().mkpath(path.section(u'/', 0, -2));
  QSaveFile file(path);
  const QByteArray bytes = QJsonDocument(kept).toJson(QJsonDocument::Compact);
  if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) {
    return {};
  }
  return fail(ErrorCode::Io, (path + QStringLiteral(": ") + file.errorString()).toStdString());
}

OpJob<FoundList>* loadFoundJob() {
  return new OpJob<FoundList>(
      Words::tr("Reading what was found"), Words::tr("What was found cannot be read"),
      [](std::stop_token, const ProgressSink&) -> Result<FoundList> { return FoundList::load(); });
}

OpJob<bool>* keepFoundJob(const FoundList& list) {
  return new OpJob<bool>(Words::tr("Keeping what was found"),
                         Words::tr("What was found cannot be kept"),
                         [list](std::stop_token, const ProgressSink&) -> Result<bool> {
                           STRATA_TRY(list.save());
                           return true;
                         });
}

}  // namespace strata::gui
