#pragma once

#include <QTranslator>

namespace strata::gui {

/// The English of the sources with its plurals: "%n version(s)" is "1 version" or "2 versions".
class EnglishPlurals final : public QTranslator {
  Q_OBJECT

 public:
  using QTranslator::QTranslator;

  bool isEmpty() const override { return false; }
  QString translate(const char* context, const char* source, const char* disambiguation,
                    int count) const override;
};

}  // namespace strata::gui
