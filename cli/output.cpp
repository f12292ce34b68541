#include "cli/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "cli/words/advice.h"
#include "core/text/error_number.h"

namespace strata::cli {
namespace {

/// One line; text that is not UTF-8 is shown with replacement characters, never refused.
std::string oneLine(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Json withHeader(Json header, const Json& fields) {
  header.update(fields);
  return header;
}

}  // namespace

Output::Output(OutputMode mode, const Terminal& out, const Terminal& err)
    : mode_(mode), out_(out), err_(err) {}

void Output::print(std::FILE* stream, std::string_view text) {
  // Where both streams end in one file, the lines stand there in the order of this program.
  if (stream == stderr) std::fflush(stdout);
  ::flockfile(stream);  // lines of two threads stay whole
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fputc('\n', stream);
  ::funlockfile(stream);
}

std::string Output::advised(std::string_view text) const {
  return withStore(text, store_, Commands::All);
}

void Output::line(std::string_view text) {
  if (mode_ == OutputMode::Text) print(stdout, text);
}

void Output::essential(std::string_view value) {
  // Exact for scripts.
  if (mode_ == OutputMode::Quiet) print(stdout, out_.isTty ? printable(value) : value);
}

void Output::document(Json fields) {
  if (mode_ != OutputMode::Machine) return;
  print(stdout, oneLine(withHeader(Json{{"schema", kJsonSchema}}, fields)));
}

void Output::event(std::string_view type, Json fields) {
  if (mode_ != OutputMode::Machine) return;
  print(stdout, oneLine(withHeader(Json{{"type", type}, {"schema", kJsonSchema}}, fields)));
  if (std::fflush(stdout) != 0 && failure_ == 0) failure_ = errno;
}

void Output::note(std::string_view text) {
  if (mode_ == OutputMode::Text) print(stderr, text);
}

void Output::warning(std::string_view words) {
  const std::string text = withStore(words, store_, Commands::Quoted);
  if (mode_ == OutputMode::Machine) {
    print(stderr, oneLine({{"type", "warning"}, {"schema", kJsonSchema}, {"message", text}}));
  } else {
    print(stderr, tinted(err_, Tint::Warning, "Warning:") + " " + printable(text));
  }
}

void Output::failure(const Problem& problem, std::string_view fix, ExitCode exit) {
  const Error& error = problem.error;
  const std::string message = withStore(error.message, store_, Commands::Quoted);
  std::vector<std::string> details;
  for (const std::string& detail : problem.details) {
    details.push_back(withStore(detail, store_, Commands::Quoted));
  }
  if (mode_ == OutputMode::Machine) {
    Json fields{{"code", errorNumber(error.code)},
                {"exit", static_cast<int>(exit)},
                {"message", message},
                {"details", details},
                {"fix", advised(fix)}};
    print(stderr, oneLine(withHeader({{"type", "error"}, {"schema", kJsonSchema}}, fields)));
    return;
  }
  print(stderr,
        fmt::format("{} {}  {}", tinted(err_, Tint::Error, "Error:"), printable(message),
                    tinted(err_, Tint::Faint, fmt::format("[{}]", errorNumber(error.code)))));
  for (const std::string& detail : details) print(stderr, "  " + printable(detail));
  if (!fix.empty()) {
    print(stderr,
          fmt::format("  {} {}", tinted(err_, Tint::Strong, "Fix:"), printable(advised(fix))));
  }
}

Result<void> Output::finish() {
  if (std::fflush(stdout) != 0 && failure_ == 0) failure_ = errno;
  if (failure_ == 0 && std::ferror(stdout) == 0) return {};
  const int reason = failure_ == 0 ? EIO : failure_;
  return fail(reason == ENOSPC ? ErrorCode::NoSpace : ErrorCode::Io,
              std::string("standard output: ") + std::strerror(reason) +
                  "; what the command does is done, its words are lost");
}

}  // namespace strata::cli
