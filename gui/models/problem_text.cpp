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
      return Words::tr(
          "Strata reads ONNX, safetensors, PyTorch and .npz files, and folders with them.");
    case ErrorCode::BaseMismatch:
      return Words::tr(
          "Add the model that it was made from as a base, or have it pushed there, then try "
          "again.");
    case ErrorCode::CorruptData:
      return Words::tr(
          "Check the store to see what else is damaged. Adding the same model again "
          "repairs a damaged version.");
    case ErrorCode::NoSpace:
      return Words::tr("Free space on that disk; nothing was lost.");
    case ErrorCode::NoStore:
      return Words::tr("Make a store there, or open another one.");
    case ErrorCode::StoreLocked:
      return Words::tr("Try again when the other program has finished. Reading goes on meanwhile.");
    case ErrorCode::FormatTooNew:
      return Words::tr("Install the Strata version that wrote it, or a newer one.");
    case ErrorCode::LoginRequired:
      return Words::tr("Log in to the server again, with a credential that is allowed to do this.");
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

/// Core's message, with the kind of failure in front where the window does not speak core's
/// language: messages name things and numbers, and are worded in one language only. Of English
/// each of these texts is the message itself.
QString reasonFor(ErrorCode code, const QString& message) {
  switch (code) {
    case ErrorCode::InvalidArgument:
      return Words::tr("%1", "not possible").arg(message);
    case ErrorCode::NotFound:
      return Words::tr("%1", "not found").arg(message);
    case ErrorCode::Unsupported:
      return Words::tr("%1", "a kind of file that is not read").arg(message);
    case ErrorCode::CorruptData:
      return Words::tr("%1", "damaged").arg(message);
    case ErrorCode::BaseMismatch:
      return Words::tr("%1", "another base").arg(message);
    case ErrorCode::LimitExceeded:
      return Words::tr("%1", "too much memory").arg(message);
    case ErrorCode::NoSpace:
      return Words::tr("%1", "disk full").arg(message);
    case ErrorCode::NoStore:
      return Words::tr("%1", "no store").arg(message);
    case ErrorCode::StoreLocked:
      return Words::tr("%1", "store locked").arg(message);
    case ErrorCode::FormatTooNew:
      return Words::tr("%1", "newer format").arg(message);
    case ErrorCode::LoginRequired:
      return Words::tr("%1", "login needed").arg(message);
    case ErrorCode::Io:
      return Words::tr("%1", "file operation refused").arg(message);
    case ErrorCode::Network:
      return Words::tr("%1", "network").arg(message);
    case ErrorCode::Device:
      return Words::tr("%1", "accelerator").arg(message);
    case ErrorCode::Evaluator:
      return Words::tr("%1", "evaluator").arg(message);
    case ErrorCode::Internal:
      return Words::tr("%1", "bug").arg(message);
    case ErrorCode::Cancelled:
      break;
  }
  return message;
}

Remedy remedyFor(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::CorruptData:
      return Remedy::VerifyStore;
    case ErrorCode::NoSpace:
      return Remedy::FreeSpace;
    case ErrorCode::NoStore:
    case ErrorCode::FormatTooNew:
      return Remedy::OpenStore;
    case ErrorCode::LoginRequired:
      return Remedy::LogIn;
    default:
      return Remedy::None;
  }
}

}  // namespace

QString Problem::report() const {
  QString all = what + u'\n' + why;
  if (!advice.isEmpty()) all += u'\n' + advice;
  return all + u'\n' + number;
}

Problem Problem::ofForeignData(const QString& whatToDo) const {
  Problem problem = *this;
  if (code != ErrorCode::CorruptData) return problem;
  problem.advice = whatToDo;
  problem.remedy = Remedy::None;
  return problem;
}

Problem problemFrom(const QString& what, const Error& error) {
  return {error.code,
          what,
          reasonFor(error.code, text(error.message)),
          adviceFor(error.code),
          text(errorNumber(error.code)),
          remedyFor(error.code)};
}

}  // namespace strata::gui
