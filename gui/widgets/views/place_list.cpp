#include "gui/widgets/views/place_list.h"

#include <QAccessible>
#include <QItemSelectionModel>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <algorithm>

#include "gui/models/wording.h"
#include "gui/widgets/look/icons.h"

namespace strata::gui {
namespace {

enum ItemRole {
  PlaceRole = Qt::UserRole,
  WordsRole,   ///< the name without a count
  RemoteRole,  ///< of a row below Remotes: the remote's name
};

/// "2\u2191 1\u2193": two versions to push, one to pull; empty where both sides have the same.
QString arrows(const RemoteDifference& difference) {
  QStringList parts;
  if (difference.toPush > 0) parts << QStringLiteral("%1\u2191").arg(difference.toPush);
  if (difference.toPull > 0) parts << QStringLiteral("%1\u2193").arg(difference.toPull);
  return parts.join(u' ');
}

}  // namespace

PlaceList::PlaceList(QWidget* parent) : QListView(parent), places_(new QStandardItemModel(this)) {
  // In the order of Place.
  const std::pair<QString, QString> rows[] = {
      {tr("Library"), QStringLiteral("library")},  {tr("Tagged"), QStringLiteral("tag")},
      {tr("Unchecked"), QStringLiteral("verify")}, {tr("Compare"), QStringLiteral("compare")},
      {tr("Tune"), QStringLiteral("profile")},     {tr("Remotes"), QStringLiteral("remotes")},
      {tr("Hub"), QStringLiteral("search")},       {tr("Transfers"), QStringLiteral("transfers")},
      {tr("Storage"), QStringLiteral("storage")},  {tr("History"), QStringLiteral("history")},
      {tr("Settings"), QStringLiteral("settings")}};
  int place = 0;
  for (const auto& [words, name] : rows) {
    auto* item = new QStandardItem(icon(name), words);
    item->setEditable(false);
    item->setData(place++, PlaceRole);
    item->setData(words, WordsRole);
    places_->appendRow(item);
  }
  itemOf(Place::Unchecked)
      ->setToolTip(tr("Versions that were neither verified nor added lately, and damaged ones: the "
                      "setting verify.days says how long a check counts"));
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
            if (!row.isValid()) return;
            const QString remote = row.data(RemoteRole).toString();
            if (remote.isEmpty())
              return emit chosen(static_cast<Place>(row.data(PlaceRole).toInt()));
            emit remoteChosen(remote);
          });
}

Place PlaceList::current() const {
  return static_cast<Place>(currentIndex().data(PlaceRole).toInt());
}

QStandardItem* PlaceList::itemOf(Place place) const {
  for (int row = 0; row < places_->rowCount(); ++row) {
    QStandardItem* const item = places_->item(row);
    if (item->data(PlaceRole).toInt() == static_cast<int>(place)) return item;
  }
  return nullptr;  // not reached: every place has its row
}

void PlaceList::show(Place place) {
  // The row of a remote is one of Remotes.
  if (currentIndex().isValid() && current() == place) return;
  const QSignalBlocker quiet(selectionModel());
  setCurrentIndex(itemOf(place)->index());
  viewport()->update();
}

void PlaceList::choose(Place place) { setCurrentIndex(itemOf(place)->index()); }

void PlaceList::setStoreOpen(bool isOpen) {
  for (int row = 0; row < places_->rowCount(); ++row) {
    QStandardItem* const item = places_->item(row);
    const auto place = static_cast<Place>(item->data(PlaceRole).toInt());
    item->setEnabled(isOpen || place == Place::Library || place == Place::Settings);
  }
}

void PlaceList::setCount(Place place, qsizetype count) {
  QStandardItem* item = itemOf(place);
  const QString words = item->data(WordsRole).toString();
  item->setText(count < 0 ? words : QStringLiteral("%1  %2").arg(words).arg(count));
}

QStandardItem* PlaceList::makeRemote(const RemoteCount& count) const {
  const QString name = text(count.remote.name);
  const QString known = count.difference ? arrows(*count.difference) : QString();
  const QString indent(5, u' ');
  const int room = width() - iconSize().width() -
                   fontMetrics().horizontalAdvance(indent + QStringLiteral("  ") + known);
  auto* item = new QStandardItem(indent + fontMetrics().elidedText(name, Qt::ElideMiddle, room) +
                                 QStringLiteral("  ") + known);
  item->setEditable(false);
  item->setData(static_cast<int>(Place::Remotes), PlaceRole);
  item->setData(name, RemoteRole);
  QString words = tr("never asked");
  QString age;
  if (count.difference) {
    words = tr("%n version(s) to push", nullptr, static_cast<int>(count.difference->toPush)) +
            QStringLiteral(", ") +
            tr("%n to pull", nullptr, static_cast<int>(count.difference->toPull));
    const int tagsOut = static_cast<int>(count.difference->tagsToPush);
    const int tagsIn = static_cast<int>(count.difference->tagsToPull);
    if (tagsOut > 0) words += QStringLiteral(", ") + tr("%n tag(s) to push", nullptr, tagsOut);
    if (tagsIn > 0) words += QStringLiteral(", ") + tr("%n tag(s) to pull", nullptr, tagsIn);
    age = u'\n' + tr("as of %1").arg(dateText(count.difference->fetchedAt));
  }
  item->setData(name + QStringLiteral(": ") + words, Qt::AccessibleTextRole);
  item->setToolTip(name + QStringLiteral(": ") + text(count.remote.url) + u'\n' + words + age);
  return item;
}

void PlaceList::setRemotes(const std::vector<RemoteCount>& counts) {
  const Place shown = current();
  const QString remote = currentIndex().data(RemoteRole).toString();
  const QSignalBlocker quiet(selectionModel());
  const int first = itemOf(Place::Remotes)->row() + 1;
  while (!places_->item(first)->data(RemoteRole).toString().isEmpty()) places_->removeRow(first);
  QStandardItem* marked = itemOf(shown);
  int row = first;
  for (const RemoteCount& count : counts) {
    QStandardItem* const item = makeRemote(count);
    places_->insertRow(row++, item);
    if (item->data(RemoteRole).toString() == remote) marked = item;
  }
  setCurrentIndex(marked->index());
  viewport()->update();
}

void PlaceList::focusInEvent(QFocusEvent* event) {
  QListView::focusInEvent(event);
  // Screen readers are told of the list; of its current row once that is done.
  const auto tell = [this] {
    if (hasFocus()) QListView::currentChanged(currentIndex(), currentIndex());
  };
  if (QAccessible::isActive()) QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
}

}  // namespace strata::gui
