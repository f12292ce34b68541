#include "tests/gui/pseudo_locale.h"

namespace strata::test {

QString PseudoLocale::translate(const char* context, const char* source, const char*, int) const {
  const QString text = QString::fromUtf8(source);
  // Keys, file filters, rich text and Qt's own dialogs stay as they are.
  const bool isOurs = QByteArrayView(context).startsWith("strata::gui");
  const bool isPlain = !text.contains(u'<') && !text.contains(QStringLiteral("(*")) &&
                       !text.startsWith(QStringLiteral("Ctrl+")) &&
                       !text.startsWith(QStringLiteral("Alt+")) &&
                       !text.startsWith(QStringLiteral("Shift+")) && text != QStringLiteral("F6");
  if (!isOurs || !isPlain) return {};
  QString words;
  for (qsizetype i = 0; i < text.size(); ++i) {
    const bool isValue = i > 0 && text[i - 1] == u'%';  // %1 and %n
    const QChar c = text[i];
    words += isValue ? c : c == u'e' ? QChar(u'é') : c == u'o' ? QChar(u'ô') : c;
  }
  // Words of the length that long languages have, so that they wrap as those do.
  for (qsizetype i = 0; i < (2 * text.size() + 4) / 5; ++i) words += i % 8 == 7 ? u' ' : u'~';
  return u'[' + words + u']';
}

}  // namespace strata::test
