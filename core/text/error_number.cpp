#include "core/text/error_number.h"

#include <charconv>

namespace strata {

std::string_view errorNumber(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::InvalidArgument:
      return "STRATA-E201";
    case ErrorCode::NotFound:
      return "STRATA-E501";
    case ErrorCode::Unsupported:
      return "STRATA-E102";
    case ErrorCode::CorruptData:
      return "STRATA-E601";
    case ErrorCode::BaseMismatch:
      return "STRATA-E602";
    case ErrorCode::LimitExceeded:
      return "STRATA-E902";
    case ErrorCode::NoSpace:
      return "STRATA-E901";
    case ErrorCode::NoStore:
      return "STRATA-E1001";
    case ErrorCode::StoreLocked:
      return "STRATA-E1101";
    case ErrorCode::FormatTooNew:
      return "STRATA-E1201";
    case ErrorCode::LoginRequired:
      return "STRATA-E403";
    case ErrorCode::Io:
      return "STRATA-E101";
    case ErrorCode::Network:
      return "STRATA-E801";
    case ErrorCode::Device:
      return "STRATA-E103";
    case ErrorCode::Evaluator:
      return "STRATA-E104";
    case ErrorCode::Cancelled:
      return "STRATA-E13001";
    case ErrorCode::Internal:
      break;
  }
  return "STRATA-E199";
}

int errorDigits(ErrorCode code) noexcept {
  std::string_view digits = errorNumber(code);
  digits.remove_prefix(digits.find_first_of("0123456789"));
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace strata
