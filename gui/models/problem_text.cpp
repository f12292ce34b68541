#include "gui/models/problem_text.h"

#include <QCoreApplication>

#include "core/text/error_number.h"
#include "gui/models/wording.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::Problem)
};

QString adviceFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotFound:
      return Words::tr("It may have been removed or renamed since; refresh the list.");
    case ErrorCode::Unsupported:
      return Words::tr("Strata reads ONNX and safetensors files, and folders with them.");
    case ErrorCode::CorruptData:
    case ErrorCode::BaseMismatch:
      return Words::tr(
          "Check the store to see what else is damaged. Adding the same model again "
          "repairs a damaged version.");
    case ErrorCode::LimitExceeded:
      return Words::tr("Raise the memory ceiling in the settings.");
    case ErrorCode::NoSpace:
      return Words::tr("Free disk space, or empty the trash of the store; nothing was lost.");
    case ErrorCode::NoStore:
      return Words::tr("Make a store there, or open another one.");
    case ErrorCode::StoreLocked:
      return Words::tr("Try again when the other program has finished. Reading goes on meanwhile.");
    case ErrorCode::FormatTooNew:
      return Words::tr("Install the Strata version that wrote it, or a newer one.");
    case ErrorCode::LoginRequired:
      return Words::tr("Log in with: strata auth login REMOTE");
    case ErrorCode::Network:
      return Words::tr("Check the connection and try again; what was transferred is kept.");
    case ErrorCode::Evaluator:
      return Words::tr("Its last lines stand above. Run the evaluator by hand to see more.");
    case ErrorCode::Internal:
      return Words::tr("This is a bug in Strata; please report it.");
    default:
      return {};
  }
}

}  // namespace

QString Problem::report() const {
  QString all = what + u'\n' + why;
  if (!advice.isEmpty()) all += u'\n' + advice;
  return all + u'\n' + number;
}

Problem problemFrom(const QString& what, const Error& error) {
  return {error.code, what, text(error.message), adviceFor(error.code),
          text(errorNumber(error.code))};
}

Remedy remedyFor(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::CorruptData:
    case ErrorCode::BaseMismatch:
      return Remedy::VerifyStore;
    case ErrorCode::NoSpace:
      return Remedy::EmptyTrash;
    case ErrorCode::NoStore:
    case ErrorCode::FormatTooNew:
      return Remedy::OpenStore;
    case ErrorCode::StoreLocked:
    case ErrorCode::Network:
    case ErrorCode::Evaluator:
    case ErrorCode::Io:
      return Remedy::Retry;
    default:
      return Remedy::None;
  }
}

}  // namespace strata::gui
