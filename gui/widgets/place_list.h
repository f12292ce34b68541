#pragma once

#include <QListView>

class QStandardItemModel;

namespace strata::gui {

/// The rows of the sidebar.
enum class Place { Library, Tagged, Compare, Tune, Remotes, Hub, Transfers, Storage, Settings };

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
  /// A number beside the name; none below 0.
  void setCount(Place place, qsizetype count);

 signals:
  void chosen(strata::gui::Place place);

 private:
  QStandardItemModel* places_;
};

}  // namespace strata::gui
