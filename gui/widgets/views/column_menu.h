#pragma once

class QHeaderView;

namespace strata::gui {

/// Lets people hide and show columns from the header's context menu; the first one stays.
void offerColumns(QHeaderView& header);

}  // namespace strata::gui
