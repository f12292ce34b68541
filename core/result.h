#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace strata {

/// What kind of failure a caller can act on. The exit codes of both programs follow from it
/// (core/exit_code.h); the wording of the message never decides anything.
enum class ErrorCode {
  InvalidArgument,  ///< the caller asked for something that cannot be
  NotFound,         ///< a reference, file or object does not exist
  Unsupported,      ///< well formed, but of a kind that Strata does not read
  CorruptData,      ///< bytes break their format or do not match their digest
  BaseMismatch,     ///< a delta was about to be applied to the wrong parent
  LimitExceeded,    ///< our own memory ceiling would be passed
  NoSpace,          ///< the disk is full
  NoStore,          ///< there is no store at the given place
  StoreLocked,      ///< another process writes to the store
  FormatTooNew,     ///< written by a newer Strata
  LoginRequired,    ///< credentials are missing or refused
  Io,               ///< the operating system refused a file operation
  Network,          ///< the network or a server failed; worth a retry
  Device,           ///< an accelerator failed
  Evaluator,  ///< the user's evaluator failed; the message has its last lines on further lines
  Cancelled,  ///< the user asked to stop
  Internal,   ///< a bug of ours
};

/// A failure as a value: a code for the program and a message for the person. Messages are lower
/// case, without full stop, and name the thing, what was expected and what was found.
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;

  /// The same failure with the name of the thing it happened to in front: `name: message`.
  [[nodiscard]] Error within(std::string_view name) const {
    return Error{code, std::string(name) + ": " + message};
  }
};

template <typename T>
using Result = tl::expected<T, Error>;

/// Makes a failed Result of any type.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

/// Passes the error of one Result on as the error of another.
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace strata

#define STRATA_JOIN_(a, b) a##b
#define STRATA_JOIN(a, b) STRATA_JOIN_(a, b)
#define STRATA_TRY_VALUE_(name, declaration, expression)     \
  auto name = (expression);                                  \
  if (!name) return ::strata::fail(std::move(name).error()); \
  declaration = std::move(*name)
#define STRATA_TRY_VOID_(name, expression) \
  if (auto name = (expression); !name) return ::strata::fail(std::move(name).error())
#define STRATA_TRY_2_(declaration, expression) \
  STRATA_TRY_VALUE_(STRATA_JOIN(tried_, __LINE__), declaration, expression)
#define STRATA_TRY_1_(expression) STRATA_TRY_VOID_(STRATA_JOIN(tried_, __LINE__), expression)
#define STRATA_TRY_PICK_(one, two, name, ...) name

/// `STRATA_TRY(const Footer footer, parseFooter(file));` or `STRATA_TRY(file.sync());`:
/// returns the error from the enclosing function, else goes on with the value.
#define STRATA_TRY(...) STRATA_TRY_PICK_(__VA_ARGS__, STRATA_TRY_2_, STRATA_TRY_1_, )(__VA_ARGS__)
