#pragma once

#include <QString>
#include <QTextBrowser>

namespace strata::gui {

/// A model card as somebody wrote it: Markdown without HTML, images and other things to load, so
/// that looking at it reaches for nothing.
class CardView final : public QTextBrowser {
  Q_OBJECT

 public:
  explicit CardView(QWidget* parent = nullptr);

  /// Cut at a bounded length.
  void setCard(const QString& markdown);

 signals:
  /// A link of the web was clicked.
  void linkRequested(const QUrl& link);

 protected:
  /// Nothing is loaded, whatever the text names.
  QVariant loadResource(int type, const QUrl& name) override;
};

/// The text of a card that is shown: without metadata in front, tags, comments and images.
QString readableCard(const QString& markdown);

}  // namespace strata::gui
