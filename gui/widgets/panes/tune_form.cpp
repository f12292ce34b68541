#include "gui/widgets/panes/tune_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "gui/models/command_text.h"
#include "gui/models/wording.h"
#include "gui/widgets/dialogs/choice_name.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"

namespace strata::gui {
namespace {

constexpr int kEditDelayMs = 150;  // after the last edit
constexpr int kStepsPerTwo = 10;   // slider places for a factor of two
constexpr int kAsProfile = -1;     // of a spin box: what the profile says

/// What a place of the slider multiplies steps by, as it is shown, used and written into commands.
QString stepText(int place) {
  return QString::number(std::exp2(place / double{kStepsPerTwo}), 'g', 3);
}

template <typename Edit>
Edit* named(Edit* edit, const QString& name) {
  edit->setAccessibleName(name);
  return edit;
}

}  // namespace

TuneForm::TuneForm(QWidget* parent) : QWidget(parent) {
  auto* form = new QFormLayout(this);
  form->setContentsMargins(2, 2, 10, 2);
  form->setVerticalSpacing(9);
  form->setLabelAlignment(Qt::AlignLeft);
  makeKnobs(*form);
  makeGoal(*form);
  makeKeeping(*form);
  joinEdits();
  updateButtons();
}

void TuneForm::makeKnobs(QFormLayout& form) {
  model_ = named(new QLineEdit, tr("Model"));
  model_->setPlaceholderText(tr("the fine-tuned model to find settings for"));
  auto* browse = new QPushButton(tr("Browse..."));
  profile_ = named(new QComboBox, tr("Profile to begin with"));
  step_ = named(new QSlider(Qt::Horizontal), tr("Step scale"));
  step_->setRange(-3 * kStepsPerTwo, 5 * kStepsPerTwo);
  stepText_ = new QLabel(QStringLiteral("x1"));
  stepText_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("x0.125 ")));
  rank_ = named(new QSpinBox, tr("Rank"));
  rank_->setRange(kAsProfile, static_cast<int>(lossySetting(&QuantizeRule::rank).most));
  rank_->setValue(kAsProfile);
  rank_->setSpecialValueText(tr("as the profile"));
  prune_ = named(new QDoubleSpinBox, tr("Prune"));
  prune_->setRange(kAsProfile, 100 * lossySetting(&QuantizeRule::pruneShare).most);
  prune_->setValue(kAsProfile);
  prune_->setSuffix(QStringLiteral(" %"));
  prune_->setSpecialValueText(tr("as the profile"));
  protect_ = named(new QLineEdit, tr("Protect"));
  protect_->setPlaceholderText(tr("*.norm.* embeddings.*"));
  protect_->setToolTip(tr("Tensors that are kept exactly: names with * and ?, between blanks"));
  protect_->setMinimumWidth(80);
  protectWorst_ = new QPushButton(tr("The worst"));
  protectWorst_->setAccessibleName(tr("Protect the worst"));
  protectWorst_->setToolTip(tr("Keep the tensors exactly that lose most in the preview"));
  connect(protectWorst_, &QPushButton::clicked, this, [this] { protect(worst_); });
  form.addRow(tr("Model"), lineOf({model_, browse}));
  form.addRow(tr("Profile"), profile_);
  form.addRow(tr("Step scale"), lineOf({step_, stepText_}));
  form.addRow(tr("Rank"), rank_);
  form.addRow(tr("Prune"), prune_);
  form.addRow(tr("Protect"), lineOf({protect_, protectWorst_}));
  step_->setToolTip(tr("Multiplies every step: coarser is smaller and worse"));
  rank_->setToolTip(tr("Components of low rank that are kept of each matrix's difference"));
  prune_->setToolTip(tr("Share of each tensor's differences that is set to zero"));
  makePreview(form);
  connect(browse, &QPushButton::clicked, this, [this] {
    auto* dialog = new QFileDialog(
        this, tr("A model to tune for"), {},
        tr("Models (*.onnx *.safetensors *.pt *.pth *.bin *.ckpt *.npz *.index.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
      setModel(file);
      emit model_->editingFinished();
    });
    dialog->open();
  });
}

void TuneForm::makePreview(QFormLayout& form) {
  live_ = new QCheckBox(tr("Preview as I edit"));
  live_->setChecked(true);
  live_->setToolTip(tr("Codes a sample of the weights after each edit: a hollow point"));
  measure_ = new QPushButton(tr("Measure fully"));
  measure_->setToolTip(tr("Codes the whole model with these settings: a solid point"));
  preview_ = new QLabel;
  preview_->setWordWrap(true);
  // Two sentences that wrap; a form gives a line of widgets the height of its hint alone.
  preview_->setMinimumHeight(4 * fontMetrics().lineSpacing());
  preview_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  preview_->setTextFormat(Qt::PlainText);
  preview_->setAccessibleName(tr("Preview"));
  copyPreview_ = named(new QToolButton, tr("Copy the preview as command"));
  copyPreview_->setIcon(icon(QStringLiteral("terminal")));
  copyPreview_->setToolTip(tr("Copy the preview as command"));
  auto* line = new QHBoxLayout;
  line->addWidget(preview_, 1);
  line->addWidget(copyPreview_);
  auto* measureRow = lineOf({measure_, live_});
  measureRow->addStretch();
  form.addRow(tr("Preview"), line);
  form.addRow(QString(), measureRow);
  connect(measure_, &QPushButton::clicked, this, &TuneForm::measureRequested);
  connect(copyPreview_, &QToolButton::clicked, this, &TuneForm::copyPreviewRequested);
}

void TuneForm::makeGoal(QFormLayout& form) {
  targetKind_ = new QComboBox;
  nameChoice(*targetKind_, tr("Kind of target"));
  targetKind_->addItem(tr("stored at most"), QStringLiteral("size"));
  targetKind_->addItem(tr("relative error at most"), QStringLiteral("error"));
  targetKind_->addItem(tr("points lost at most"), QStringLiteral("quality_loss"));
  target_ = named(new QLineEdit(QStringLiteral("20MB")), tr("Target"));
  evaluator_ = named(new QLineEdit, tr("Evaluator"));
  evaluator_->setPlaceholderText(tr("a command that scores a model"));
  budget_ = named(new QSpinBox, tr("Trials at most"));
  budget_->setRange(1, 1000);
  budget_->setValue(static_cast<int>(kUsualTrials));
  find_ = new QPushButton(icon(QStringLiteral("star")), tr("Find best"));
  find_->setDefault(true);
  stop_ = new QPushButton(tr("Stop"));
  auto* command = named(new QToolButton, tr("Copy as command"));
  command->setIcon(icon(QStringLiteral("terminal")));
  command->setToolTip(tr("Copy as command"));
  auto* findRow = lineOf({find_, stop_});
  findRow->addStretch();
  findRow->addWidget(command);
  form.addRow(tr("Target"), lineOf({targetKind_, target_}));
  form.addRow(tr("Evaluator"), evaluator_);
  form.addRow(tr("Trials"), budget_);
  form.addRow(QString(), findRow);
  connect(find_, &QPushButton::clicked, this, &TuneForm::findRequested);
  connect(stop_, &QPushButton::clicked, this, &TuneForm::stopRequested);
  connect(command, &QToolButton::clicked, this, &TuneForm::copyRequested);
}

void TuneForm::makeKeeping(QFormLayout& form) {
  settings_ = named(new QPlainTextEdit, tr("Settings of the selected trial"));
  settings_->setReadOnly(true);
  settings_->setTabChangesFocus(true);
  settings_->setPlaceholderText(tr("The settings of the selected trial appear here."));
  settings_->setMinimumHeight(90);
  saveName_ = named(new QLineEdit, tr("Name of the profile"));
  saveName_->setPlaceholderText(tr("name"));
  save_ = new QPushButton(tr("Save as profile"));
  form.addRow(tr("Settings"), settings_);
  form.addRow(tr("Save"), lineOf({saveName_, save_}));
  connect(save_, &QPushButton::clicked, this,
          [this] { emit saveRequested(saveName_->text().trimmed()); });
}

void TuneForm::joinEdits() {
  auto* delay = new QTimer(this);
  delay->setSingleShot(true);
  delay->setInterval(kEditDelayMs);
  connect(delay, &QTimer::timeout, this, [this] {
    if (live_->isChecked() && !state_.isSearching) emit edited();
  });
  const auto wait = [this, delay] {
    emit outdated();
    delay->start();
  };
  connect(step_, &QSlider::valueChanged, this, [this, wait](int value) {
    stepText_->setText(u'x' + numberText(stepText(value).toStdString()));
    wait();
  });
  connect(live_, &QCheckBox::toggled, this, wait);
  connect(model_, &QLineEdit::editingFinished, this, wait);
  connect(rank_, &QSpinBox::valueChanged, this, wait);
  connect(prune_, &QDoubleSpinBox::valueChanged, this, wait);
  connect(profile_, &QComboBox::currentIndexChanged, this, wait);
  connect(protect_, &QLineEdit::textChanged, this, wait);
  connect(targetKind_, &QComboBox::currentIndexChanged, this, [this](int kind) {
    const char* const usual[] = {"20MB", "0.02", "0.5"};
    target_->setText(numberText(usual[std::clamp(kind, 0, 2)]));
  });
  connect(target_, &QLineEdit::textChanged, this, &TuneForm::targetChanged);
  for (QLineEdit* edit : {model_, target_, evaluator_, saveName_}) {
    connect(edit, &QLineEdit::textChanged, this, &TuneForm::updateButtons);
  }
}

void TuneForm::setProfiles(const std::vector<Profile>& profiles) {
  const QString kept = profile_->currentText();
  const QSignalBlocker quiet(profile_);
  profile_->clear();
  for (const Profile& profile : profiles) {
    if (profile.isExact()) continue;
    profile_->addItem(text(profile.name));
    profile_->setItemData(profile_->count() - 1, text(profile.description), Qt::ToolTipRole);
  }
  const int place = profile_->findText(kept.isEmpty() ? QStringLiteral("balanced") : kept);
  profile_->setCurrentIndex(std::max(0, place));
  updateButtons();
}

void TuneForm::setModel(const QString& path) { model_->setText(path); }
QString TuneForm::model() const { return model_->text().trimmed(); }

void TuneForm::setTarget(const QString& kind, const QString& value) {
  targetKind_->setCurrentIndex(std::max(0, targetKind_->findData(kind)));
  target_->setText(value);
}

QString TuneForm::target() const {
  return targetKind_->currentData().toString() + u'=' + plainNumber(target_->text().trimmed());
}

TuneRequest TuneForm::request() const {
  TuneRequest wanted;
  wanted.path = model();
  wanted.profile = profile_->currentText();
  wanted.evaluator = evaluator_->text().trimmed();
  wanted.trials = static_cast<unsigned>(budget_->value());
  if (step_->value() != 0) wanted.stepScale = stepText(step_->value()).toDouble();
  if (rank_->value() >= 0) wanted.rule.rank = static_cast<unsigned>(rank_->value());
  if (prune_->value() >= 0) wanted.rule.pruneShare = prune_->value() / 100;
  wanted.hasRule = wanted.rule.rank || wanted.rule.pruneShare;
  wanted.protect = protectedGlobs();
  wanted.saveAs = saveName_->text().trimmed();
  return wanted;
}

QStringList TuneForm::protectedGlobs() const {
  return protect_->text().split(u' ', Qt::SkipEmptyParts);
}

void TuneForm::protect(const QStringList& globs) {
  QStringList all = protectedGlobs() + globs;
  all.removeDuplicates();
  protect_->setText(all.join(u' '));
}

CommandText TuneForm::begun(const QString& folder) const {
  const TuneRequest wanted = request();
  CommandText command(folder, QStringLiteral("tune"));
  command.word(wanted.path).option(QStringLiteral("--profile"), wanted.profile);
  if (wanted.stepScale) command.option(QStringLiteral("--step"), stepText(step_->value()));
  if (wanted.rule.rank)
    command.option(QStringLiteral("--rank"), QString::number(*wanted.rule.rank));
  if (wanted.rule.pruneShare) {
    command.option(QStringLiteral("--prune"), QString::number(prune_->value()));
  }
  for (const QString& glob : wanted.protect) {
    command.option(QStringLiteral("--protect-tensor"), glob);
  }
  return command;
}

QString TuneForm::commandLine(const QString& folder) const {
  return begun(folder)
      .option(QStringLiteral("--target"), target())
      .option(QStringLiteral("--evaluator"), evaluator_->text().trimmed())
      .option(QStringLiteral("--trials"), QString::number(budget_->value()))
      .option(QStringLiteral("--save"), saveName_->text().trimmed())
      .text();
}

QString TuneForm::previewCommand(const QString& folder) const {
  return begun(folder).flag(QStringLiteral("--estimate"), true).text();
}

bool TuneForm::isLive() const { return live_->isChecked(); }

void TuneForm::showPreview(const QString& text, const QStringList& worst) {
  worst_ = worst;
  updateButtons();
  preview_->setText(text);
  preview_->setAccessibleDescription(text);
}

void TuneForm::setState(const State& state) {
  state_ = state;
  updateButtons();
}

void TuneForm::showSettings(const QString& text) { settings_->setPlainText(text); }

void TuneForm::updateButtons() {
  const bool isBusy = state_.isSearching || state_.isMeasuring;
  const bool canStop = isBusy || state_.isPreviewing;
  const bool isReady = !model().isEmpty() && profile_->count() > 0;
  find_->setEnabled(isReady && !state_.isSearching && !target_->text().trimmed().isEmpty());
  measure_->setEnabled(isReady && !state_.isSearching);
  stop_->setEnabled(canStop);
  copyPreview_->setEnabled(isReady);
  protectWorst_->setEnabled(!worst_.isEmpty());
  save_->setEnabled(!saveName_->text().isEmpty() && state_.hasTrials && !isBusy);
}

}  // namespace strata::gui
