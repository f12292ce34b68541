#include "gui/models/wording.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
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

QString bytesText(std::uint64_t byteCount) { return text(wordBytes(byteCount)); }

QString exactBytesText(std::uint64_t byteCount) {
  return Words::tr("%1 bytes").arg(QLocale().toString(static_cast<qulonglong>(byteCount)));
}

QString ratioText(double ratio) { return text(wordRatio(ratio)); }
QString shareText(double share) { return text(wordShare(share)); }
QString errorText(double error) { return text(wordError(error)); }

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

QString hashText(const Digest& digest) { return text(shortHex(digest)); }

QString labelText(const VersionEntry& version) { return text(version.label()); }

QString fidelityText(const VersionEntry& version) {
  if (!version.lossy) return Words::tr("exact");
  return version.profile.empty() ? Words::tr("lossy")
                                 : Words::tr("lossy (%1)").arg(text(version.profile));
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
