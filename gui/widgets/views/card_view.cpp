#include "gui/widgets/views/card_view.h"

#include <QRegularExpression>
#include <QTextDocument>

namespace strata::gui {
namespace {

constexpr qsizetype kMostCharacters = 100'000;

/// "---", YAML, "---" before the text.
QString withoutMetadata(const QString& markdown) {
  if (!markdown.startsWith(QStringLiteral("---\n"))) return markdown;
  const qsizetype end = markdown.indexOf(QStringLiteral("\n---"), 3);
  if (end < 0) return markdown;
  const qsizetype line = markdown.indexOf(u'\n', end + 1);
  return line < 0 ? QString() : markdown.mid(line + 1);
}

}  // namespace

QString readableCard(const QString& markdown) {
  // Only names that HTML has: "vector<float>" in a sentence stays.
  static const QRegularExpression kTag(
      QStringLiteral("</?(?:a|b|br|center|code|details|div|em|font|h[1-6]|hr|i|iframe|img|li|ol|p|"
                     "picture|pre|script|source|span|strong|style|sub|summary|sup|table|tbody|td|"
                     "th|thead|tr|u|ul|video)\\b[^<>]{0,2000}>"),
      QRegularExpression::CaseInsensitiveOption);
  static const QRegularExpression kComment(QStringLiteral("<!--[\\s\\S]{0,20000}?-->"));
  static const QRegularExpression kImage(
      QStringLiteral("!\\[([^\\]]{0,500})\\]\\([^)]{0,2000}\\)"));
  QString text = markdown;
  text.remove(u'\r');
  text = withoutMetadata(text).left(kMostCharacters);
  return text.remove(kComment).remove(kTag).replace(kImage, QStringLiteral("\\1")).trimmed();
}

CardView::CardView(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  setAccessibleName(tr("Model card"));
  setPlaceholderText(tr("Select a repository to read its model card."));
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    const bool isWeb =
        link.scheme() == QStringLiteral("https") || link.scheme() == QStringLiteral("http");
    if (isWeb) emit linkRequested(link);
  });
}

void CardView::setCard(const QString& markdown) {
  QTextDocument::MarkdownFeatures features(QTextDocument::MarkdownDialectGitHub);
  features |= QTextDocument::MarkdownNoHTML;
  document()->setMarkdown(readableCard(markdown), features);
}

QVariant CardView::loadResource(int, const QUrl&) {
  return QByteArray("");  // for nothing at all, QTextDocument would look for a file itself
}

}  // namespace strata::gui
