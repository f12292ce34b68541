#include "gui/models/parity_text.h"

#include <QCoreApplication>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::Parity)
};

}  // namespace

QString parityText(const ParityState& state) {
  if (!state.ratio && state.groups.empty()) return Words::tr("Parity: off");
  const QString setting =
      state.ratio ? QStringLiteral("%1/%2").arg(state.ratio->shards).arg(state.ratio->columns)
                  : Words::tr("off");
  QString words = Words::tr("Parity %1: %n object(s) (%2) are protected by %3 of parity", nullptr,
                            static_cast<int>(state.protectedObjects))
                      .arg(setting, bytesText(state.protectedBytes), bytesText(state.parityBytes));
  if (state.unprotectedObjects > 0) {
    words += Words::tr("; %n object(s) are not protected yet", nullptr,
                       static_cast<int>(state.unprotectedObjects));
  }
  if (!state.absentMembers.empty()) {
    words += Words::tr("; it protects less, as %n object(s) that it was computed of are not here",
                       nullptr, static_cast<int>(state.absentMembers.size()));
  }
  return words;
}

}  // namespace strata::gui
