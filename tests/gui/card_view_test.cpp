// Model cards of strangers.
#include "gui/widgets/views/card_view.h"

#include <gtest/gtest.h>

#include <QUrl>

namespace strata::test {
namespace {

TEST(CardView, ShowsTextWithoutMetadataTagsCommentsAndImages) {
  EXPECT_EQ(gui::readableCard("---\nlicense: mit\n---\n# Title\n"), "# Title");
  EXPECT_EQ(gui::readableCard("---\nno end"), "---\nno end");
  EXPECT_EQ(gui::readableCard("a <!-- hidden\nstill --> b"), "a  b");
  EXPECT_EQ(gui::readableCard("<div align=\"center\"><b>x</b></div>"), "x");
  EXPECT_EQ(gui::readableCard("a vector<float> stays"), "a vector<float> stays");
  EXPECT_EQ(gui::readableCard("![a logo](file:///etc/passwd)"), "a logo");
  EXPECT_EQ(gui::readableCard("line\r\nline"), "line\nline");
}

TEST(CardView, LoadsNothing) {
  gui::CardView view;
  view.resize(400, 300);
  view.setCard(
      "![x][ref] <img src='file:///etc/hostname'> [a link](file:///etc/hostname)\n\n"
      "[ref]: file:///etc/hostname");
  (void)view.grab();  // lays it out and paints it
  const QVariant loaded =
      view.document()->resource(QTextDocument::ImageResource, QUrl("file:///etc/hostname"));
  EXPECT_EQ(loaded.toByteArray(), QByteArray());
  EXPECT_EQ(view.source(), QUrl()) << "a link opens nothing here";
}

TEST(CardView, TakesHostileTextsOfAnyShape) {
  gui::CardView view;
  for (const QString& unit : {QStringLiteral("> "), QStringLiteral("- "), QStringLiteral("**"),
                              QStringLiteral("["), QStringLiteral("<div "), QStringLiteral("|a"),
                              QStringLiteral("<!--"), QStringLiteral("![")}) {
    view.setCard(unit.repeated(20'000));
    EXPECT_LE(view.toPlainText().size(), 200'000) << unit.toStdString();
  }
}

}  // namespace
}  // namespace strata::test
