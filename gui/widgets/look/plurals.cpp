#include "gui/widgets/look/plurals.h"

namespace strata::gui {

QString EnglishPlurals::translate(const char*, const char* source, const char*, int count) const {
  if (count < 0) return {};  // no plural: the source itself
  QString words = QString::fromUtf8(source);
  return words.replace(QStringLiteral("(s)"), count == 1 ? QString() : QStringLiteral("s"));
}

}  // namespace strata::gui
