#pragma once

#include <QListView>
#include <vector>

#include "gui/jobs/remote_counts.h"

class QStandardItem;
class QStandardItemModel;

namespace strata::gui {

/// Where the window can be, as rows of the sidebar; those of remotes stand below Remotes.
enum class Place {
  Library,
  Tagged,
  Unchecked,
  Compare,
  Tune,
  Remotes,
  Hub,
  Transfers,
  Storage,
  History,
  Settings
};

/// The sidebar: where the window can be, and how much there is.
class PlaceList final : public QListView {
  Q_OBJECT

 public:
  explicit PlaceList(QWidget* parent = nullptr);

  Place current() const;
  /// Marks a place without asking for it.
  void show(Place place);
  /// Asks for a place, as a click does.
  void choose(Place place);
  /// Without a store there is nothing to see but in a few places.
  void setStoreOpen(bool isOpen);
  /// A number beside the name; none below 0.
  void setCount(Place place, qsizetype count);
  /// The rows below Remotes: what is to push to each remote, and to pull from it.
  void setRemotes(const std::vector<RemoteCount>& counts);

 signals:
  void chosen(strata::gui::Place place);
  void remoteChosen(const QString& name);

 protected:
  void focusInEvent(QFocusEvent* event) override;

 private:
  QStandardItem* itemOf(Place place) const;
  QStandardItem* makeRemote(const RemoteCount& count) const;

  QStandardItemModel* places_;
};

}  // namespace strata::gui
