#include "gui/widgets/banner.h"

#include <QAccessible>
#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMetaMethod>
#include <QPushButton>
#include <QToolButton>
#include <utility>

#include "gui/charts/chart.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/views/capped_text.h"

namespace strata::gui {
namespace {

QString wordsFor(Remedy remedy) {
  switch (remedy) {
    case Remedy::VerifyStore:
      return Banner::tr("Verify store");
    case Remedy::FreeSpace:
      return Banner::tr("Show storage");
    case Remedy::OpenStore:
      return Banner::tr("Open another store...");
    case Remedy::LogIn:
      return Banner::tr("Credentials...");
    case Remedy::None:
      break;
  }
  return {};
}

/// As much of a text as a banner shows: the first lines and some thousand letters.
QString beginningOf(const QString& text) {
  constexpr qsizetype kMostLines = 200;
  constexpr qsizetype kMostLetters = 20'000;
  const QStringList lines = text.split(u'\n');
  QString beginning = lines.mid(0, kMostLines).join(u'\n');
  if (beginning.size() > kMostLetters) return beginning.left(kMostLetters) + QStringLiteral("...");
  if (lines.size() <= kMostLines) return text;
  return beginning + u'\n' +
         Banner::tr("... and %n more line(s)", nullptr,
                    static_cast<int>(lines.size() - kMostLines));
}

}  // namespace

Banner::Banner(QWidget* parent)
    : QFrame(parent),
      icon_(new QLabel),
      text_(new CappedText(tr("Message"))),
      grid_(new QGridLayout),
      close_(new QToolButton) {
  setObjectName(QStringLiteral("banner"));
  setFrameShape(QFrame::NoFrame);
  close_->setIcon(icon(QStringLiteral("close")));
  close_->setAutoRaise(true);
  close_->setToolTip(tr("Hide"));
  close_->setAccessibleName(tr("Hide this message"));
  auto* all = new QHBoxLayout(this);
  all->setContentsMargins(10, 6, 6, 6);
  all->addWidget(icon_);
  all->addWidget(text_, 1);
  all->addLayout(grid_);
  all->addWidget(close_, 0, Qt::AlignTop);
  connect(close_, &QToolButton::clicked, this, &Banner::clear);
  hide();
}

void Banner::clear() {
  hide();
  for (QPushButton* button : std::exchange(buttons_, {})) {
    grid_->removeWidget(button);
    button->hide();
    button->deleteLater();
  }
}

QString Banner::text() const { return isHidden() ? QString() : text_->text(); }

void Banner::show(Kind kind, const QString& what, const QString& why) {
  clear();
  const ChartColors colors = ChartColors::from(QGuiApplication::palette());
  const QColor tone = kind == Kind::Trouble ? colors.alert
                      : kind == Kind::Good  ? colors.third
                                            : colors.main;
  // The kind is told by the icon, too.
  const QString name = kind == Kind::Trouble ? QStringLiteral("warning")
                       : kind == Kind::Good  ? QStringLiteral("ok")
                                             : QStringLiteral("info");
  icon_->setPixmap(icon(name).pixmap(QSize(20, 20), devicePixelRatioF()));
  setStyleSheet(
      QStringLiteral("#banner { background: rgba(%1,%2,%3,38); border-left: 4px solid %4; }")
          .arg(tone.red())
          .arg(tone.green())
          .arg(tone.blue())
          .arg(tone.name()));
  QString words = QStringLiteral("<b>%1</b>").arg(what.toHtmlEscaped());
  const QString shown = beginningOf(why);
  if (!shown.isEmpty()) {
    words +=
        QStringLiteral("<br>%1").arg(shown.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
  }
  text_->setText(words, Qt::RichText);
  if (shown != why) {
    addAction(tr("Copy all"),
              [all = what + u'\n' + why] { QGuiApplication::clipboard()->setText(all); });
  }
  setVisible(true);
  QAccessibleEvent alert(this, QAccessible::Alert);
  QAccessible::updateAccessibility(&alert);
}

void Banner::showNotice(Kind kind, const QString& what, const QString& why) {
  show(kind, what, why);
}

void Banner::showProblem(const Problem& problem) {
  QString why = problem.why;
  if (!problem.advice.isEmpty()) why += u'\n' + problem.advice;
  show(Kind::Trouble, tr("%1  [%2]").arg(problem.what, problem.number), why);
  addAction(tr("Copy report"),
            [report = problem.report()] { QGuiApplication::clipboard()->setText(report); });
  const Remedy remedy = problem.remedy;
  static const QMetaMethod kRequested = QMetaMethod::fromSignal(&Banner::remedyRequested);
  if (remedy == Remedy::None || !isSignalConnected(kRequested)) return;
  addAction(wordsFor(remedy), [this, remedy] { emit remedyRequested(remedy); });
}

void Banner::addAction(const QString& text, std::function<void()> act) {
  auto* button = new QPushButton(text);
  connect(button, &QPushButton::clicked, this, [act = std::move(act)] { act(); });
  buttons_.prepend(button);
  placeButtons();
}

void Banner::placeButtons() {
  constexpr int kInARow = 2;  // more would leave the text no room in small windows
  for (int i = 0; i < buttons_.size(); ++i) {
    grid_->addWidget(buttons_[i], i / kInARow, i % kInARow);
  }
}

}  // namespace strata::gui
