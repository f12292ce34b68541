#include "gui/widgets/panes/credentials_pane.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/dialogs/login_dialog.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

/// What `strata auth` takes for a row: the remote's name, or "hf://".
QString wordFor(const CredentialRow& row) {
  return text(row.remote.name.empty() ? row.remote.url : row.remote.name);
}

QString stateText(const CredentialRow& row) {
  if (!row.problem.isEmpty()) return row.problem;
  if (row.status.sources.empty()) return CredentialsPane::tr("not logged in");
  QString words = text(row.status.sources.front());
  if (!row.status.isOurs) words += CredentialsPane::tr(" (read only)");
  return words;
}

RecordTable<CredentialRow>* makeTable(QObject* parent) {
  using Row = const CredentialRow&;
  return new RecordTable<CredentialRow>(
      {{CredentialsPane::tr("Server"),
        {},
        false,
        [](Row row) { return text(hub::name(row.service)) + QStringLiteral("://") + row.host; }},
       {CredentialsPane::tr("Remote"), CredentialsPane::tr("Of this store, by its name"), false,
        [](Row row) { return text(row.remote.name); }},
       {CredentialsPane::tr("Account"),
        {},
        false,
        [](Row row) { return text(row.status.account); }},
       {CredentialsPane::tr("From"),
        CredentialsPane::tr("Where the secret comes from; variables and files of other tools are "
                            "read only"),
        false, stateText}},
      parent);
}

}  // namespace

CredentialsPane::CredentialsPane(Workbench& bench, Banner& banner, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      banner_(banner),
      table_(makeTable(this)),
      view_(new TableView(tr("Credentials"))),
      login_(new QPushButton(tr("Log in..."))),
      logout_(new QPushButton(tr("Log out"))),
      check_(new QPushButton(tr("Check"))) {
  setFocusProxy(view_);
  view_->setRecords(table_);
  view_->setWideColumn(3);
  view_->setMinimumHeight(130);
  view_->setMaximumHeight(180);
  check_->setToolTip(tr("Ask the server whose the secret is"));
  auto* line = new QHBoxLayout;
  for (QPushButton* button : {login_, logout_, check_}) line->addWidget(button);
  line->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  line->addStretch();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(view_);
  column->addLayout(line);
  connect(view_, &TableView::rowChanged, this, &CredentialsPane::updateButtons);
  connect(login_, &QPushButton::clicked, this, &CredentialsPane::askForLogin);
  connect(logout_, &QPushButton::clicked, this, &CredentialsPane::logout);
  connect(check_, &QPushButton::clicked, this, &CredentialsPane::check);
  updateButtons();
}

const CredentialRow* CredentialsPane::current() const {
  const int row = view_->currentRow();
  return row < 0 ? nullptr : &table_->row(row);
}

QStringList CredentialsPane::commands() const {
  if (current() == nullptr) return {};
  QStringList all;
  for (const char* verb : {"login", "logout", "status"}) {
    all << bench_.command(QStringLiteral("auth"))
               .word(QLatin1String(verb))
               .word(wordFor(*current()))
               .text();
  }
  return all;
}

void CredentialsPane::load() {
  auto* job = credentialsJob(bench_.storeFolder());
  connect(job, &Job::failed, &banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] { showRows(job->report()); });
  bench_.read(job);
}

void CredentialsPane::showRows(std::vector<CredentialRow> rows) {
  const int kept = view_->currentRow();
  table_->setRows(std::move(rows));
  view_->fitColumns();
  if (table_->rowCount() > 0) view_->selectRow(std::clamp(kept, 0, table_->rowCount() - 1));
  updateButtons();
  emit shown();
}

void CredentialsPane::askForLogin() {
  if (current() == nullptr) return;
  const CredentialRow row = *current();
  auto* dialog = new LoginDialog(row, this);
  connect(
      dialog, &LoginDialog::loginRequested, this,
      [this, dialog, row](const hub::Credential& credential) { login(dialog, row, credential); });
  dialog->open();
}

void CredentialsPane::login(LoginDialog* dialog, const CredentialRow& row,
                            const hub::Credential& credential) {
  auto* job = loginJob(bench_.storeFolder(), row.remote, credential);
  connect(job, &Job::failed, dialog, &LoginDialog::showProblem);
  connect(job, &Job::finished, dialog, &QDialog::accept);
  connect(job, &Job::finished, this, [this, job, host = row.host] {
    const hub::LoginReport& report = job->report();
    banner_.showNotice(Banner::Kind::Good,
                       report.account.empty()
                           ? tr("Logged in to %1").arg(host)
                           : tr("Logged in to %1 as %2").arg(host, text(report.account)),
                       tr("kept in %1").arg(text(report.place)));
    load();
  });
  bench_.read(job);
}

void CredentialsPane::logout() {
  if (current() == nullptr) return;
  auto* job = logoutJob(bench_.storeFolder(), current()->remote);
  connect(job, &Job::failed, &banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job, host = current()->host] {
    const hub::LogoutReport& report = job->report();
    banner_.showNotice(
        Banner::Kind::Good,
        report.wasThere ? tr("Logged out of %1").arg(host)
                        : tr("Nothing was kept for %1").arg(host),
        report.stillFrom ? tr("still used: %1").arg(text(*report.stillFrom)) : QString());
    load();
  });
  bench_.read(job);
}

void CredentialsPane::check() {
  if (current() == nullptr) return;
  auto* job = checkLoginJob(bench_.storeFolder(), current()->remote);
  connect(job, &Job::failed, &banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job, host = current()->host] {
    const QString account = text(job->report().account);
    banner_.showNotice(Banner::Kind::Good, account.isEmpty()
                                               ? tr("%1 has a credential").arg(host)
                                               : tr("%1 knows you as %2").arg(host, account));
  });
  bench_.read(job);
}

void CredentialsPane::updateButtons() {
  const CredentialRow* row = current();
  login_->setEnabled(row != nullptr);
  logout_->setEnabled(row != nullptr && row->status.isOurs);
  check_->setEnabled(row != nullptr && !row->status.sources.empty());
}

}  // namespace strata::gui
