#include "gui/pages/page_stack.h"

#include <QTableView>
#include <QTreeView>
#include <algorithm>
#include <utility>

#include "gui/charts/chart.h"
#include "gui/jobs/preferences.h"
#include "gui/jobs/transfer_list.h"
#include "gui/pages/add_page.h"
#include "gui/pages/compare_page.h"
#include "gui/pages/history_page.h"
#include "gui/pages/hub_page.h"
#include "gui/pages/library_page.h"
#include "gui/pages/remotes_page.h"
#include "gui/pages/restore_page.h"
#include "gui/pages/settings_page.h"
#include "gui/pages/storage_page.h"
#include "gui/pages/transfers_page.h"
#include "gui/pages/tune_page.h"
#include "gui/pages/version_page.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/panes/summary_pane.h"
#include "gui/widgets/views/fact_list.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

/// What F6 walks through on a page, from its top: the box of a filter, lists and charts; the page
/// itself where it has none of them.
QList<QWidget*> panesOf(QWidget& page) {
  QList<QWidget*> panes;
  for (QWidget* one : page.findChildren<QWidget*>()) {
    const bool isPane =
        qobject_cast<FilterEdit*>(one) != nullptr || qobject_cast<QTableView*>(one) != nullptr ||
        qobject_cast<QTreeView*>(one) != nullptr || qobject_cast<Chart*>(one) != nullptr ||
        qobject_cast<FactList*>(one) != nullptr || qobject_cast<SummaryPane*>(one) != nullptr;
    if (isPane && one->isVisible()) panes << one;
  }
  const auto place = [&page](const QWidget* one) {
    const QPoint corner = one->mapTo(&page, QPoint());
    return std::pair(corner.y(), corner.x());
  };
  std::stable_sort(panes.begin(), panes.end(),
                   [&](const auto* one, const auto* other) { return place(one) < place(other); });
  return panes.isEmpty() ? QList<QWidget*>{&page} : panes;
}

}  // namespace

PageStack::PageStack(Workbench& bench, TransferList& transfers, const Preferences& preferences,
                     const QString& usualFolder)
    : welcome_(new WelcomePage(usualFolder)),
      library_(new LibraryPage(bench)),
      version_(new VersionPage(bench)),
      compare_(new ComparePage(bench)),
      add_(new AddPage(bench)),
      restore_(new RestorePage(bench)),
      tune_(new TunePage(bench)),
      remotes_(new RemotesPage(bench, transfers)),
      hub_(new HubPage(bench)),
      transfers_(new TransfersPage(bench, transfers)),
      storage_(new StoragePage(bench)),
      history_(new HistoryPage(bench)),
      settings_(new SettingsPage(bench, preferences)) {
  // In the order of Page.
  for (QWidget* page : std::initializer_list<QWidget*>{welcome_, library_, version_, compare_, add_,
                                                       restore_, tune_, remotes_, hub_, transfers_,
                                                       storage_, history_, settings_}) {
    addWidget(page);
  }
}

void PageStack::show(Page page) {
  constexpr qsizetype kMostSteps = 50;
  if (page != this->page()) before_ << this->page();
  if (before_.size() > kMostSteps) before_.removeFirst();
  setCurrentIndex(static_cast<int>(page));
}

bool PageStack::goBack(bool isStoreOpen) {
  const Page from = page();
  while (!before_.isEmpty()) {
    const Page last = before_.takeLast();
    const bool isThere =
        isStoreOpen ? last != Page::Welcome : last == Page::Welcome || last == Page::Settings;
    if (last == from || !isThere) continue;
    setCurrentIndex(static_cast<int>(last));  // the way back is not one to go back to
    return true;
  }
  return false;
}

void PageStack::focusNextPane(QWidget* first, int direction) {
  const QList<QWidget*> panes = QList<QWidget*>{first} + panesOf(*currentWidget());
  const QWidget* const focused = window()->focusWidget();
  qsizetype now = 0;
  for (qsizetype i = 0; i < panes.size(); ++i) {
    if (panes[i] == focused || (focused != nullptr && panes[i]->isAncestorOf(focused))) now = i;
  }
  QWidget* next = panes[(now + direction + panes.size()) % panes.size()];
  if (next->focusPolicy() == Qt::NoFocus) {
    for (QWidget* child : next->findChildren<QWidget*>()) {
      if (child->isVisible() && child->isEnabled() && (child->focusPolicy() & Qt::TabFocus) != 0) {
        next = child;
        break;
      }
    }
  }
  next->setFocus(Qt::TabFocusReason);
}

FilterEdit* PageStack::visibleFilter() const {
  const auto filters = currentWidget()->findChildren<FilterEdit*>();
  const auto found = std::find_if(filters.begin(), filters.end(),
                                  [](const FilterEdit* one) { return one->isVisible(); });
  return found == filters.end() ? nullptr : *found;
}

}  // namespace strata::gui
