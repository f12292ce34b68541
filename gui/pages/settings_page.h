#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "gui/jobs/preferences.h"
#include "gui/jobs/settings_ops.h"
#include "gui/widgets/look/theme.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QScrollArea;

namespace strata::gui {

class Banner;
class CredentialsPane;
class TrustPane;
class Workbench;

/// The settings of core, which the command line shares, and those of the window. Changes are
/// written at once.
class SettingsPage final : public QWidget {
  Q_OBJECT

 public:
  SettingsPage(Workbench& bench, const Preferences& preferences, QWidget* parent = nullptr);

  /// Scrolls to the credentials.
  void showCredentials();
  TrustPane& trust() noexcept { return *trust_; }
  CredentialsPane& credentials() noexcept { return *credentials_; }
  Banner& banner() noexcept { return *banner_; }

 signals:
  void themeChosen(strata::gui::Theme theme);
  /// Whether charts are shown as tables.
  void tablesChosen(bool asTables);
  /// "de"; empty: as the desktop.
  void languageChosen(const QString& code);
  void shown();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QComboBox* makeLanguages(const QString& chosen);
  void load();
  QStringList commands() const;
  void showSettings(const std::vector<SettingValue>& values);
  QWidget* makeEditor(const SettingValue& value);
  void set(const std::string& key, const QString& value);

  Workbench& bench_;
  Banner* banner_;
  QScrollArea* scroll_;
  QWidget* shared_;
  QFormLayout* form_ = nullptr;
  TrustPane* trust_;
  CredentialsPane* credentials_;
  QLabel* store_;
  std::vector<SettingValue> values_;
};

}  // namespace strata::gui
