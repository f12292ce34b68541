#pragma once

#include "gui/main_window.h"

namespace strata::gui {

/// What menus, keys and the context menu share.
struct MainWindow::Actions {
  QAction *add, *open, *create, *quit;
  QAction *copyHash, *filter, *undo, *redo;
  QAction *library, *tagged, *compareView, *storage, *history, *refresh, *back, *nextPane,
      *previousPane;
  QAction *details, *restore, *compare, *compareBase, *tag, *rename, *note;
  QAction *recode, *prune, *remove, *copyCommand;
  QAction *push, *pull, *transfers, *searchHubs;
  QAction *verify, *tune, *settings;
  QAction *sample, *keys, *about;
};

}  // namespace strata::gui
