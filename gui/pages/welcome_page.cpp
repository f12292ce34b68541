#include "gui/pages/welcome_page.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/jobs/sample_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"

namespace strata::gui {
namespace {

QLabel* wrapped(const QString& text) {
  auto* label = new QLabel(text);
  label->setWordWrap(true);
  return label;
}

}  // namespace

WelcomePage::WelcomePage(const QString& defaultFolder, QWidget* parent)
    : QWidget(parent),
      banner_(new Banner),
      title_(new QLabel),
      folder_(new QLineEdit(defaultFolder)) {
  auto* sign = new QLabel;
  sign->setPixmap(icon(QStringLiteral("strata")).pixmap(QSize(72, 72), devicePixelRatioF()));
  setUnreadable(false);
  QFont large = title_->font();
  large.setPointSizeF(large.pointSizeF() * 1.6);
  large.setBold(true);
  title_->setFont(large);
  auto* intro =
      wrapped(tr("Strata keeps fine-tuned models as small differences to a shared base "
                 "model. What you restore has the same bytes as what you added."));

  auto* what =
      wrapped(tr("<b>What is a base?</b> The model that yours was tuned from, such as "
                 "the encoder you downloaded. It is stored in full, once; each fine-tune "
                 "of it then takes only what training changed."));
  auto* column = new QWidget;
  column->setMaximumWidth(820);
  auto* inside = new QVBoxLayout(column);
  inside->setSpacing(16);
  inside->addStretch(1);
  inside->addWidget(sign);
  inside->addWidget(title_);
  inside->addWidget(intro);
  inside->addSpacing(8);
  inside->addLayout(makeWays());
  inside->addSpacing(8);
  inside->addWidget(what);
  inside->addStretch(2);
  auto* middle = new QHBoxLayout;
  middle->addStretch(1);
  middle->addWidget(column, 10);
  middle->addStretch(1);
  auto* all = new QVBoxLayout(this);
  all->addLayout(middle, 1);
  all->addWidget(banner_);
}

void WelcomePage::setUnreadable(bool isUnreadable) {
  title_->setText(isUnreadable ? tr("This store was not opened") : tr("No models stored yet"));
}

QGridLayout* WelcomePage::makeWays() {
  auto* model = new QPushButton(icon(QStringLiteral("add")), tr("Choose a base model..."));
  auto* empty = new QPushButton(icon(QStringLiteral("storage")), tr("Make an empty store"));
  auto* open = new QPushButton(icon(QStringLiteral("folder")), tr("Open another store..."));
  auto* remote = new QPushButton(icon(QStringLiteral("pull")), tr("Get from a remote..."));
  auto* sample = new QPushButton(icon(QStringLiteral("library")), tr("Try with a small sample"));
  auto* change = new QPushButton(tr("Change..."));
  folder_->setAccessibleName(tr("Store folder"));
  model->setDefault(true);

  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(14);
  grid->setVerticalSpacing(12);
  const std::pair<QPushButton*, QString> ways[] = {
      {model, tr("or drop an .onnx or .safetensors file into this window")},
      {remote, tr("hf://org/repo   oci://host/repo   s3://bucket   file:///folder")},
      {empty, tr("and add models later, here or with the command strata")},
      {open, tr("a folder that strata has made before")},
      {sample, tr("a base and four fine-tunes, %1, that come with this program; no network")
                   .arg(bytesText(sampleBytes()))},
  };
  int row = 0;
  for (const auto& [button, hint] : ways) {
    button->setMinimumWidth(220);
    grid->addWidget(new QLabel(QString::number(row + 1)), row, 0);
    grid->addWidget(button, row, 1);
    grid->addWidget(wrapped(hint), row, 2);
    ++row;
  }
  auto* place = lineOf({folder_, change});
  grid->addWidget(new QLabel(tr("Store folder")), row, 1);
  grid->addLayout(place, row, 2);
  grid->setColumnStretch(2, 1);
  connect(model, &QPushButton::clicked, this, &WelcomePage::chooseModel);
  connect(empty, &QPushButton::clicked, this, [this] { emit createRequested(folder()); });
  connect(remote, &QPushButton::clicked, this, [this] { emit remoteRequested(folder()); });
  connect(open, &QPushButton::clicked, this, &WelcomePage::chooseStore);
  connect(sample, &QPushButton::clicked, this, [this] { emit sampleRequested(folder()); });
  connect(change, &QPushButton::clicked, this, &WelcomePage::chooseFolder);
  return grid;
}

QString WelcomePage::folder() const { return folder_->text().trimmed(); }

void WelcomePage::setFolder(const QString& folder) { folder_->setText(folder); }

void WelcomePage::chooseModel() {
  auto* dialog = new QFileDialog(
      this, tr("Choose a base model"), {},
      tr("Models (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](const QString& file) { emit beginWith(folder(), file); });
  dialog->open();
}

void WelcomePage::chooseStore() {
  auto* dialog = new QFileDialog(this, tr("Open a store"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  connect(dialog, &QFileDialog::fileSelected, this, &WelcomePage::openRequested);
  dialog->open();
}

void WelcomePage::chooseFolder() {
  auto* dialog = new QFileDialog(this, tr("Where the store goes"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  connect(dialog, &QFileDialog::fileSelected, this, &WelcomePage::setFolder);
  dialog->open();
}

}  // namespace strata::gui
