#include "gui/widgets/place_list.h"

#include <QItemSelectionModel>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <algorithm>

#include "gui/widgets/icons.h"

namespace strata::gui {

PlaceList::PlaceList(QWidget* parent) : QListView(parent), places_(new QStandardItemModel(this)) {
  // In the order of Place.
  const std::pair<QString, QString> rows[] = {
      {tr("Library"), QStringLiteral("library")},     {tr("Tagged"), QStringLiteral("tag")},
      {tr("Compare"), QStringLiteral("compare")},     {tr("Tune"), QStringLiteral("profile")},
      {tr("Remotes"), QStringLiteral("remotes")},     {tr("Hub"), QStringLiteral("search")},
      {tr("Transfers"), QStringLiteral("transfers")}, {tr("Storage"), QStringLiteral("storage")},
      {tr("Settings"), QStringLiteral("settings")}};
  for (const auto& [words, name] : rows) {
    auto* item = new QStandardItem(icon(name), words);
    item->setEditable(false);
    item->setData(words, Qt::UserRole);
    places_->appendRow(item);
  }
  setAccessibleName(tr("Places"));
  setModel(places_);
  setIconSize(QSize(20, 20));
  setSpacing(2);
  setFrameShape(QFrame::NoFrame);
  // Room for the longest name and a count.
  setFixedWidth(std::max(
      150, sizeHintForColumn(0) + fontMetrics().horizontalAdvance(QStringLiteral("  000000"))));
  connect(selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& row) {
            if (row.isValid()) emit chosen(static_cast<Place>(row.row()));
          });
}

Place PlaceList::current() const { return static_cast<Place>(std::max(0, currentIndex().row())); }

void PlaceList::show(Place place) {
  const QSignalBlocker quiet(selectionModel());
  setCurrentIndex(places_->index(static_cast<int>(place), 0));
  viewport()->update();
}

void PlaceList::choose(Place place) { setCurrentIndex(places_->index(static_cast<int>(place), 0)); }

void PlaceList::setCount(Place place, qsizetype count) {
  QStandardItem* item = places_->item(static_cast<int>(place));
  const QString words = item->data(Qt::UserRole).toString();
  item->setText(count < 0 ? words : QStringLiteral("%1  %2").arg(words).arg(count));
}

}  // namespace strata::gui
