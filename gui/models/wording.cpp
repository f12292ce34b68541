#include "gui/models/wording.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

#include "core/text/printable.h"
#include "core/text/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::Wording)
};

}  // namespace

QString text(std::string_view utf8) { return exactText(printable(utf8, Lines::Kept)); }

QString numberText(std::string_view words) {
  static const QRegularExpression kPoint(QStringLiteral("(?<=\\d)\\.(?=\\d)"));
  return text(words).replace(kPoint, QLocale().decimalPoint());
}

QString decimalText(double value, int digits) {
  return numberText(QString::number(value, 'f', digits).toStdString());
}

QString shortNumberText(double value) {
  return numberText(QString::number(value, 'g', 3).toStdString());
}

QString plainNumber(QString typed) {
  return typed.replace(QLocale().decimalPoint(), QStringLiteral("."));
}

QString bytesText(std::uint64_t byteCount) { return numberText(wordBytes(byteCount)); }

QString exactBytesText(std::uint64_t byteCount) {
  return Words::tr("%1 bytes").arg(QLocale().toString(static_cast<qulonglong>(byteCount)));
}

QString ratioText(double ratio) { return numberText(wordRatio(ratio)); }
QString shareText(double share) { return numberText(wordShare(share)); }
QString errorText(double error) { return numberText(wordError(error)); }
QString changeText(const VersionEntry& version) { return numberText(wordChangeOf(version)); }

QString dateText(std::int64_t seconds) {
  return seconds == 0 ? QString() : text(wordDate(seconds));
}

QString agoText(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  const std::int64_t age = QDateTime::currentSecsSinceEpoch() - seconds;
  if (age < kMinute) return Words::tr("just now");
  if (age < kHour) return Words::tr("%1 min ago").arg(age / kMinute);
  if (age < kDay) return Words::tr("%1 h ago").arg(age / kHour);
  if (age < 30 * kDay) return Words::tr("%1 d ago").arg(age / kDay);
  return dateText(seconds).section(u' ', 0, 0);
}

QString plainName(QString text) {
  for (QChar& c : text) {
    const bool isPlain =
        c.unicode() < 128 && (c.isLetterOrNumber() || c == u'-' || c == u'_' || c == u'.');
    if (!isPlain) c = u'-';
  }
  return text;
}

QString remoteUrl(const QString& typed) {
  QString path = typed;
  if (path == u'~' || path.startsWith(QStringLiteral("~/"))) path.replace(0, 1, QDir::homePath());
  if (!path.startsWith(u'/')) return typed;
  return QStringLiteral("file://") + path.replace(u'%', QStringLiteral("%25"));
}

QString hashText(const Digest& digest) { return text(shortHex(digest)); }

QString labelText(const VersionEntry& version) { return text(version.label()); }

QString fidelityText(const VersionEntry& version) {
  if (!version.lossy) return Words::tr("exact");
  return version.profile.empty() ? Words::tr("lossy")
                                 : Words::tr("lossy (%1)").arg(text(version.profile));
}

QString storedText(const VersionEntry& version, const std::optional<TakenBytes>& taken) {
  if (!taken) return bytesText(version.storedBytes);
  return taken->own > 0 ? bytesText(taken->own)
                        : Words::tr("shares %1").arg(bytesText(taken->shared));
}

QString storedRatioText(const VersionEntry& version, const std::optional<TakenBytes>& taken) {
  if (!taken) return ratioText(version.ratio());
  if (taken->own == 0) return QStringLiteral("-");
  return ratioText(static_cast<double>(version.originalBytes) / static_cast<double>(taken->own));
}

QString hereText(const AwaitedAmount& awaited) {
  if (awaited.isHere()) return Words::tr("yes");
  if (awaited.byteCount == 0) return Words::tr("no");
  return Words::tr("no, %1").arg(bytesText(awaited.byteCount));
}

QString awaitedText(const AwaitedAmount& awaited) {
  if (awaited.isHere()) return {};
  if (awaited.byteCount == 0) return Words::tr("not here");
  return Words::tr("not here, %1 to fetch").arg(bytesText(awaited.byteCount));
}

QString awaitedHint(const AwaitedAmount& awaited) {
  if (awaited.isHere()) return {};
  return Words::tr("Pulled without its packs: %1 have to be fetched before it can be restored")
      .arg(exactBytesText(awaited.byteCount));
}

QString verifiedText(const VersionEntry& version, std::int64_t damagedAt) {
  if (damagedAt != 0) return Words::tr("DAMAGED, found %1").arg(agoText(damagedAt));
  return version.checkedAt == 0 ? Words::tr("not yet") : agoText(version.checkedAt);
}

QString verifiedHint(const VersionEntry& version, std::int64_t damagedAt) {
  if (damagedAt != 0) return dateText(damagedAt) + u'\n' + damagedHint();
  if (version.checkedAt != 0) return dateText(version.checkedAt);
  return Words::tr("Nobody has verified it since it was added, which decodes what it stores");
}

QString damagedHint() {
  return Words::tr(
      "The last check found that it cannot be restored. Repair it on the page Storage, or add the "
      "same model again.");
}

QString totalsText(const StoreTotals& totals) {
  QString words = Words::tr("%1 on disk for %2 of models (%3)")
                      .arg(bytesText(totals.objectBytes), bytesText(totals.originalBytes),
                           ratioText(totals.storeRatio()));
  if (totals.awaitedPacks == 0) return words;
  return Words::tr("%1, %2 of packs not here").arg(words, bytesText(totals.awaitedBytes));
}

QString tagsText(const std::vector<std::string>& tags) {
  if (tags.empty()) return {};
  if (tags.size() == 1) return text(tags.front());
  return QStringLiteral("%1 +%2").arg(text(tags.front())).arg(tags.size() - 1);
}

QString exactTypesText(const ExactTypes& types) {
  if (types.tensorCount == 0) return {};
  const std::vector<std::string> names(types.names.begin(), types.names.end());
  return Words::tr("%n tensor(s) of types that are not quantized: %1", nullptr,
                   static_cast<int>(types.tensorCount))
      .arg(joined(names, QStringLiteral(", ")));
}

QString joined(const std::vector<std::string>& texts, const QString& separator) {
  QStringList list;
  for (const std::string& one : texts) list << text(one);
  return list.join(separator);
}

}  // namespace strata::gui
