#include "gui/widgets/look/open_outside.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QGuiApplication>

#include "gui/widgets/banner.h"

namespace strata::gui {
namespace {

struct OpenWords {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::OpenOutside)
};

}  // namespace

void openOutside(const QUrl& place, Banner& banner) {
  if (QDesktopServices::openUrl(place)) return;
  const QString shown = place.isLocalFile() ? place.toLocalFile() : place.toString();
  banner.showNotice(
      Banner::Kind::Trouble, OpenWords::tr("%1 could not be opened").arg(shown),
      OpenWords::tr("No program for it was found here. Desktops bring one in the package "
                    "xdg-utils."));
  banner.addAction(OpenWords::tr("Copy"),
                   [shown] { QGuiApplication::clipboard()->setText(shown); });
}

}  // namespace strata::gui
