#pragma once

#include <QTranslator>

namespace strata::test {

/// English made longer by 40 % and with accents, so that texts which are cut, or not translated at
/// all, are seen: "[Réstôré... ~~~]".
class PseudoLocale final : public QTranslator {
 public:
  using QTranslator::QTranslator;

  bool isEmpty() const override { return false; }
  QString translate(const char* context, const char* source, const char* disambiguation,
                    int count) const override;
};

}  // namespace strata::test
