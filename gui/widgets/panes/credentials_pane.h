#pragma once

#include <QPointer>
#include <QWidget>
#include <vector>

#include "gui/jobs/auth_ops.h"
#include "gui/models/columns/record_table.h"

class QPushButton;

namespace strata::gui {

class Banner;
class LoginDialog;
class TableView;
class Workbench;

/// The servers that want credentials, where each one's comes from, and `strata auth` for them.
class CredentialsPane final : public QWidget {
  Q_OBJECT

 public:
  /// Says what came of it in `banner`, which must outlive it.
  CredentialsPane(Workbench& bench, Banner& banner, QWidget* parent = nullptr);

  void load();

 signals:
  void shown();

 private:
  const CredentialRow* current() const;
  QStringList commands() const;
  void showRows(std::vector<CredentialRow> rows);
  void askForLogin();
  void login(LoginDialog* dialog, const CredentialRow& row, const hub::Credential& credential);
  void logout();
  void check();
  void updateButtons();

  Workbench& bench_;
  Banner& banner_;
  RecordTable<CredentialRow>* table_;
  TableView* view_;
  QPushButton* login_;
  QPushButton* logout_;
  QPushButton* check_;
};

}  // namespace strata::gui
