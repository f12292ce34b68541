#include "gui/pages/settings_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

#include "core/config/settings.h"
#include "gui/models/setting_help.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/look/languages.h"
#include "gui/widgets/panes/credentials_pane.h"
#include "gui/widgets/panes/trust_pane.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

QLabel* heading(const QString& text) {
  auto* label = new QLabel(text);
  QFont bold = label->font();
  bold.setBold(true);
  bold.setPointSizeF(bold.pointSizeF() * 1.15);
  label->setFont(bold);
  return label;
}

QFormLayout* makeForm(QWidget* parent) {
  auto* form = new QFormLayout(parent);
  form->setLabelAlignment(Qt::AlignLeft);
  form->setFieldGrowthPolicy(QFormLayout::FieldsStayAtSizeHint);
  form->setHorizontalSpacing(24);
  form->setVerticalSpacing(8);
  return form;
}

}  // namespace

SettingsPage::SettingsPage(Workbench& bench, const Preferences& preferences, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      banner_(new Banner),
      scroll_(new QScrollArea),
      shared_(new QWidget),
      trust_(new TrustPane(bench, *banner_)),
      credentials_(new CredentialsPane(bench, *banner_)),
      store_(new QLabel) {
  auto* theme = new QComboBox;
  theme->setAccessibleName(tr("Theme"));
  theme->addItem(tr("As the desktop"), name(Theme::System));
  theme->addItem(tr("Light"), name(Theme::Light));
  theme->addItem(tr("Dark"), name(Theme::Dark));
  theme->addItem(tr("High contrast"), name(Theme::Contrast));
  theme->setCurrentIndex(std::max(0, theme->findData(name(themeFromName(preferences.theme)))));
  auto* tables = new QCheckBox(tr("as tables"));
  tables->setAccessibleName(tr("Charts as tables"));
  tables->setChecked(preferences.tables);
  connect(tables, &QCheckBox::toggled, this, &SettingsPage::tablesChosen);
  QComboBox* language = makeLanguages(preferences.language);
  store_->setTextInteractionFlags(Qt::TextSelectableByMouse);

  auto* own = new QWidget;
  QFormLayout* ownForm = makeForm(own);
  ownForm->setContentsMargins(0, 0, 0, 0);
  ownForm->addRow(tr("Language"), language);
  ownForm->addRow(tr("Theme"), theme);
  ownForm->addRow(tr("Charts"), tables);
  ownForm->addRow(tr("Store"), store_);
  auto* column = new QWidget;
  auto* inside = new QVBoxLayout(column);
  inside->setContentsMargins(20, 14, 20, 14);
  inside->setSpacing(12);
  inside->addWidget(heading(tr("This window")));
  inside->addWidget(own);
  inside->addSpacing(10);
  inside->addWidget(heading(tr("Shared with the command line")));
  auto* hint =
      new QLabel(tr("These stand in the settings file of the program strata; "
                    "\"strata config list\" shows the same."));
  hint->setWordWrap(true);
  auto* line = new QHBoxLayout;
  line->addWidget(hint, 1);
  line->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  inside->addLayout(line);
  inside->addWidget(shared_);
  inside->addSpacing(10);
  inside->addWidget(heading(tr("What this store says")));
  inside->addWidget(trust_);
  inside->addSpacing(10);
  inside->addWidget(heading(tr("Credentials")));
  inside->addWidget(credentials_);
  inside->addStretch(1);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setWidget(column);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(scroll_, 1);
  all->addWidget(banner_);
  form_ = makeForm(shared_);
  form_->setContentsMargins(0, 0, 0, 0);

  connect(trust_, &TrustPane::confirmed, this, [this] {
    load();
    bench_.session().refresh();
  });
  connect(theme, &QComboBox::activated, this,
          [this, theme] { emit themeChosen(themeFromName(theme->currentData().toString())); });
}

QComboBox* SettingsPage::makeLanguages(const QString& chosen) {
  auto* box = new QComboBox;
  box->setAccessibleName(tr("Language"));
  box->addItem(tr("As the desktop"), QString());
  for (const Language& language : languages()) box->addItem(language.name, language.code);
  box->setCurrentIndex(std::max(0, box->findData(chosen)));
  connect(box, &QComboBox::activated, this,
          [this, box] { emit languageChosen(box->currentData().toString()); });
  return box;
}

void SettingsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  load();
}

void SettingsPage::showCredentials() {
  credentials_->setFocus();
  const auto scroll = [this] { scroll_->ensureWidgetVisible(credentials_); };
  connect(this, &SettingsPage::shown, this, scroll,  // once all settings have their places
          static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
  load();
}

void SettingsPage::load() {
  const QString folder = bench_.storeFolder();
  store_->setText(folder.isEmpty() ? tr("none is open") : folder);
  auto* job = settingsJob(folder);
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] { showSettings(job->report()); });
  bench_.read(job);
  trust_->load(folder);
  credentials_->load();
}

QStringList SettingsPage::commands() const {
  const auto config = [this] { return bench_.command(QStringLiteral("config")); };
  QStringList all{config().words({QStringLiteral("list"), QStringLiteral("--origin")}).text()};
  for (const SettingValue& value : values_) {
    if (value.isDefault()) continue;
    all << config()
               .words({QStringLiteral("set"), text(value.key), value.value})
               .flag(QStringLiteral("--user"), true)
               .text();
  }
  return all;
}

void SettingsPage::showSettings(const std::vector<SettingValue>& values) {
  values_ = values;
  while (form_->rowCount() > 0) form_->removeRow(0);
  for (const SettingValue& value : values) {
    const auto setting = findSetting(value.key);
    if (!setting) continue;
    auto* line = new QWidget;
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(makeEditor(value));
    auto* help = new QLabel(settingHelp(**setting) +
                            (value.isDefault() ? QString() : tr("   (from %1)").arg(value.origin)));
    row->addWidget(help, 1);
    form_->addRow(text(value.key), line);
  }
  emit shown();
}

QWidget* SettingsPage::makeEditor(const SettingValue& value) {
  const Setting& setting = **findSetting(value.key);
  QWidget* editor = nullptr;
  if (setting.kind == SettingKind::YesOrNo) {
    auto* box = new QCheckBox;
    box->setChecked(value.value == QStringLiteral("true"));
    connect(box, &QCheckBox::toggled, this, [this, key = value.key](bool on) {
      set(key, on ? QStringLiteral("true") : QStringLiteral("false"));
    });
    editor = box;
  } else if (setting.kind == SettingKind::Choice) {
    auto* box = new QComboBox;
    box->addItems(text(setting.choices).split(u'|'));
    box->setCurrentText(value.value);
    connect(box, &QComboBox::textActivated, this,
            [this, key = value.key](const QString& chosen) { set(key, chosen); });
    editor = box;
  } else if (setting.kind == SettingKind::WholeNumber) {
    auto* box = new QSpinBox;
    box->setRange(0, 100'000);
    box->setValue(value.value.toInt());
    connect(box, &QSpinBox::editingFinished, this, [this, key = value.key, box, was = value.value] {
      const QString now = QString::number(box->value());
      if (now != was) set(key, now);
    });
    editor = box;
  } else {
    auto* box = new QLineEdit(value.value);
    connect(box, &QLineEdit::editingFinished, this,
            [this, key = value.key, box, was = value.value] {
              if (box->text() != was) set(key, box->text());
            });
    editor = box;
  }
  editor->setMinimumWidth(140);
  editor->setAccessibleName(text(value.key));
  editor->setAccessibleDescription(settingHelp(setting));
  return editor;
}

void SettingsPage::set(const std::string& key, const QString& value) {
  auto* job = setSettingJob(key, value);
  connect(job, &Job::failed, this, [this](const Problem& problem) {
    banner_->showProblem(problem);
    load();
  });
  connect(job, &Job::finished, this, [this, key, value] {
    banner_->clear();
    for (SettingValue& one : values_) {
      if (one.key == key) one = {key, value, tr("this window")};
    }
    bench_.session().refresh();  // some settings say what lists show
  });
  bench_.read(job);
}

}  // namespace strata::gui
