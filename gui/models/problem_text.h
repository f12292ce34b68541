#pragma once

#include <QMetaType>
#include <QString>

#include "core/result.h"

namespace strata::gui {

/// What the window can do about a problem at the press of a button.
enum class Remedy { None, VerifyStore, FreeSpace, OpenStore, LogIn };

/// A failure as the window shows it beside its cause: what, why, and what to do.
struct Problem {
  ErrorCode code = ErrorCode::Internal;
  QString what;    ///< "sst2:v2 could not be restored"
  QString why;     ///< core's message; in other languages than its own with the kind in front
  QString advice;  ///< one sentence; may be empty
  QString number;  ///< "STRATA-E601"
  Remedy remedy = Remedy::None;

  /// All of it as text, for a bug report.
  QString report() const;
  /// The same where damage is not the store's: `whatToDo` is about a file or a remote.
  Problem ofForeignData(const QString& whatToDo) const;
};

/// Words a failure of core. `what` is the sentence that says what did not work.
Problem problemFrom(const QString& what, const Error& error);

}  // namespace strata::gui

Q_DECLARE_METATYPE(strata::gui::Problem)
