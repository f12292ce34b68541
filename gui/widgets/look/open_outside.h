#pragma once

#include <QUrl>

namespace strata::gui {

class Banner;

/// Shows a page of the web, or a folder, with the desktop's own program. Where there is none, the
/// banner says so and offers what is to be opened for copying.
void openOutside(const QUrl& place, Banner& banner);

}  // namespace strata::gui
