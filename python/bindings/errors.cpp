#include "python/bindings/errors.h"

#include "core/exit_code.h"

namespace strata::python {
namespace {

struct Row {
  ErrorCode code;
  const char* name;
};

constexpr Row kRows[] = {
    {ErrorCode::InvalidArgument, "InvalidArgument"},
    {ErrorCode::NotFound, "NotFound"},
    {ErrorCode::Unsupported, "Unsupported"},
    {ErrorCode::CorruptData, "CorruptData"},
    {ErrorCode::BaseMismatch, "BaseMismatch"},
    {ErrorCode::LimitExceeded, "LimitExceeded"},
    {ErrorCode::NoSpace, "NoSpace"},
    {ErrorCode::NoStore, "NoStore"},
    {ErrorCode::StoreLocked, "StoreLocked"},
    {ErrorCode::FormatTooNew, "FormatTooNew"},
    {ErrorCode::LoginRequired, "LoginRequired"},
    {ErrorCode::Io, "Io"},
    {ErrorCode::Network, "Network"},
    {ErrorCode::Device, "Device"},
    {ErrorCode::Evaluator, "Evaluator"},
    {ErrorCode::Cancelled, "Cancelled"},
    {ErrorCode::Internal, "Internal"},
};

const char* nameOf(ErrorCode code) noexcept {
  for (const Row& row : kRows) {
    if (row.code == code) return row.name;
  }
  return "Internal";
}

[[noreturn]] void raise(const nb::object& exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

}  // namespace

nb::object textOf(std::string_view text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

void throwError(const Error& error) {
  const nb::object make = nb::module_::import_("strata._errors").attr("from_core");
  raise(make(nameOf(error.code), textOf(error.message)));
}

void throwArrayError(const std::string& name, const std::string& what, const std::string& fix) {
  const nb::object make = nb::module_::import_("strata._errors").attr("of_array");
  raise(make(textOf(name), textOf(what), textOf(fix)));
}

nb::dict exitCodes() {
  nb::dict codes;
  for (const Row& row : kRows) codes[row.name] = static_cast<int>(exitCode(row.code));
  return codes;
}

}  // namespace strata::python
