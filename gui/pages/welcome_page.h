#pragma once

#include <QWidget>

class QGridLayout;
class QLabel;
class QLineEdit;

namespace strata::gui {

class Banner;

/// What a new user sees: what Strata is for, and the ways to begin.
class WelcomePage final : public QWidget {
  Q_OBJECT

 public:
  explicit WelcomePage(const QString& defaultFolder, QWidget* parent = nullptr);

  /// Where a new store goes.
  QString folder() const;
  void setFolder(const QString& folder);
  Banner& banner() noexcept { return *banner_; }
  /// Whether there is no store yet, or one that cannot be opened.
  void setUnreadable(bool isUnreadable);

 signals:
  void createRequested(const QString& folder);
  /// Make the store, then get versions from a remote.
  void remoteRequested(const QString& folder);
  /// Make the store, then add this model as its first base.
  void beginWith(const QString& folder, const QString& model);
  void openRequested(const QString& folder);
  /// Make the store, then add the sample.
  void sampleRequested(const QString& folder);

 private:
  QGridLayout* makeWays();
  void chooseModel();
  void chooseStore();
  void chooseFolder();

  Banner* banner_;
  QLabel* title_;
  QLineEdit* folder_;
};

}  // namespace strata::gui
