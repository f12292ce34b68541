#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace strata::gui {

/// What the window remembers of itself from one run to the next. What both programs go by stands in
/// the settings files of core (core/config).
struct Preferences {
  QString store;        ///< that was open last; empty: the usual one
  QString theme;        ///< "system", "light", "dark", "contrast"
  QString language;     ///< "de"; empty: as the desktop
  bool tables = false;  ///< charts begin as tables
  QByteArray geometry;
  QByteArray columns;  ///< of the library

  /// Reads the file; missing values are empty. Not for the UI thread once the window is shown.
  static Preferences load();
  /// Writes the file; on a worker.
  void save() const;
};

}  // namespace strata::gui
