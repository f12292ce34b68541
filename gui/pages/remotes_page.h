#pragma once

#include <QComboBox>
#include <QPointer>
#include <QStringList>
#include <QWidget>

#include "gui/jobs/remote_ops.h"
#include "gui/models/columns/remote_columns.h"

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace strata::gui {

class Banner;
class PullPane;
class PushPane;
class TableView;
class TransferList;
class Workbench;

/// The remotes of the store: what each lists, what of it is here, what fetching the rest takes.
class RemotesPage final : public QWidget {
  Q_OBJECT

 public:
  RemotesPage(Workbench& bench, TransferList& transfers, QWidget* parent = nullptr);

  /// Says what pushing these versions to the chosen remote would send, and offers to.
  void push(const QStringList& labels);
  /// Makes a remote of the store the chosen one.
  void showRemote(const QString& name) { remote_->setCurrentText(name); }
  /// Says what pulling the chosen versions would fetch, and offers to.
  void pull();
  /// Offers to add a remote of this URL, or shows the one that has it; empty: asks for one.
  void offer(const QString& url);
  void addRemote(const QString& name, const QString& url);
  void fetch();
  Banner& banner() noexcept { return *banner_; }

 signals:
  void remotesChanged();
  /// A listing, kept or new, is shown.
  void listed();
  void planned();
  void transfersRequested();

 private:
  QWidget* makeBar();
  QWidget* makeNewRemote();
  QStringList commands() const;
  /// Labels of the chosen versions of the remote.
  QStringList chosen() const;
  void loadRemotes();
  void showRemotes(const RemoteList& list);
  void loadState();
  void follow(OpJob<RemoteState>* job);
  void showState(const RemoteState& state);
  /// Says what pulling would fetch, and offers to.
  void planPull(const TransferRequest& request);
  void showPullPlan(const TransferRequest& request, const PullReport& report);
  void showPushPlan(const QString& remote, const QStringList& labels, const PushReport& report);
  /// Asks the remote without a word about it.
  void refreshListing();
  /// Follows a dry run, until another one or another remote is wanted.
  void followPlan(Job* job);
  void updateButtons();

  Workbench& bench_;
  TransferList& transfers_;
  QPointer<Job> job_;
  QPointer<Job> planning_;
  Banner* banner_;
  QComboBox* remote_;
  QLabel* url_;
  QLabel* age_;
  QPushButton* fetch_;
  QPushButton* pull_;
  QPushButton* pushAll_;
  QPushButton* forget_;
  QProgressBar* progress_;
  QLineEdit* newName_;
  QLineEdit* newUrl_;
  QPushButton* add_;
  RemoteTable* table_;
  TableView* view_;
  PushPane* pushPane_;
  PullPane* pullPane_;
  QStackedWidget* middle_;  ///< the list of the remote, or what a push or pull would move
};

}  // namespace strata::gui
