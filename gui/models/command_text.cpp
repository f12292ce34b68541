#include "gui/models/command_text.h"

#include <algorithm>

namespace strata::gui {

QString shellQuoted(const QString& word) {
  static const QString kPlain = QStringLiteral("-_./:=@%+,~");
  const bool isPlain = !word.isEmpty() && !word.startsWith(u'~') &&
                       std::all_of(word.begin(), word.end(), [](QChar c) {
                         return (c.unicode() < 128 && c.isLetterOrNumber()) || kPlain.contains(c);
                       });
  if (isPlain) return word;
  QString quoted = word;
  quoted.replace(u'\'', QStringLiteral("'\\''"));
  return u'\'' + quoted + u'\'';
}

CommandText::CommandText(const QString& store, const QString& command) {
  words_ << QStringLiteral("strata");
  if (!store.isEmpty()) words_ << QStringLiteral("-C") << shellQuoted(store);
  words_ << command;
}

CommandText& CommandText::word(const QString& word) {
  words_ << shellQuoted(word);
  return *this;
}

CommandText& CommandText::words(const QStringList& words) {
  for (const QString& one : words) word(one);
  return *this;
}

CommandText& CommandText::option(const QString& name, const QString& value) {
  if (!value.isEmpty()) words_ << name << shellQuoted(value);
  return *this;
}

CommandText& CommandText::flag(const QString& name, bool isSet) {
  if (isSet) words_ << name;
  return *this;
}

QString CommandText::text() const { return words_.join(u' '); }

}  // namespace strata::gui
