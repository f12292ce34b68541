#pragma once

#include <QScrollArea>
#include <QString>

class QLabel;

namespace strata::gui {

/// A text for people that takes the height it needs, up to kMostLines lines; from there on it
/// scrolls. However long it is, the window stays as it was.
class CappedText final : public QScrollArea {
  Q_OBJECT

 public:
  static constexpr int kMostLines = 8;

  /// `name` is what a screen reader calls it.
  explicit CappedText(const QString& name, QWidget* parent = nullptr);

  /// Plain or rich text, as `format` says.
  void setText(const QString& text, Qt::TextFormat format);
  QString text() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();

  QLabel* label_;
};

}  // namespace strata::gui
