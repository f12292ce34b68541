#include "gui/widgets/views/column_menu.h"

#include <QHeaderView>
#include <QMenu>

namespace strata::gui {

void offerColumns(QHeaderView& header) {
  header.setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(
      &header, &QWidget::customContextMenuRequested, &header, [&header](const QPoint& place) {
        auto* menu = new QMenu(&header);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        for (int i = 1; i < header.count(); ++i) {
          const QString title = header.model()->headerData(i, Qt::Horizontal).toString();
          QAction* action = menu->addAction(title);
          action->setCheckable(true);
          action->setChecked(!header.isSectionHidden(i));
          QObject::connect(action, &QAction::toggled, &header,
                           [&header, i](bool isShown) { header.setSectionHidden(i, !isShown); });
        }
        menu->popup(header.mapToGlobal(place));
      });
}

}  // namespace strata::gui
