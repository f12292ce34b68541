#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cli/problem.h"
#include "cli/terminal.h"

namespace strata::cli {

/// Keys stay in the order in which they are written.
using Json = nlohmann::ordered_json;

/// What is not known is null, never an empty text.
inline Json orNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

template <typename T>
Json orNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Version of all JSON documents. Fields are added, never renamed or taken away.
inline constexpr int kJsonSchema = 1;

/// Who reads the output.
enum class OutputMode {
  Text,     ///< a person
  Machine,  ///< a program: JSON, one document, or a line for each event
  Quiet,    ///< a script: the essential value only
};

/// The two streams. Results go to stdout, messages to stderr; each function prints in its own mode
/// and does nothing in the others, so commands call all that they have.
class Output {
 public:
  Output(OutputMode mode, const Terminal& out, const Terminal& err);

  OutputMode mode() const noexcept { return mode_; }
  bool isText() const noexcept { return mode_ == OutputMode::Text; }
  bool isJson() const noexcept { return mode_ == OutputMode::Machine; }
  const Terminal& out() const noexcept { return out_; }
  const Terminal& err() const noexcept { return err_; }

  /// The store that the user named, if any: commands in what follows name it, too.
  void setStore(std::string folder) { store_ = std::move(folder); }
  /// A text of ours with the commands that it advises, as the user has to type them.
  std::string advised(std::string_view text) const;

  /// Text: a line of the result.
  void line(std::string_view text);
  /// Quiet: the one value that counts.
  void essential(std::string_view value);
  /// Json: the answer to a query. `schema` is put in front.
  void document(Json fields);
  /// Json: one event of a long job, "progress" or "result".
  void event(std::string_view type, Json fields);
  /// Text: a message on stderr.
  void note(std::string_view text);
  /// Text: a message on stderr that advises commands, such as "Next: strata list".
  void advice(std::string_view text) { note(printable(advised(text))); }
  /// All modes: a line on stderr.
  void warning(std::string_view text);
  /// All modes: why the command failed, on stderr. `exit` is what the program ends with.
  void failure(const Problem& problem, std::string_view fix, ExitCode exit);

  /// Writes out what is buffered. Fails with Io or NoSpace if stdout could not take everything.
  Result<void> finish();

 private:
  void print(std::FILE* stream, std::string_view text);

  OutputMode mode_;
  Terminal out_;
  Terminal err_;
  std::string store_;
  int failure_ = 0;  ///< errno of the first line that was not written
};

}  // namespace strata::cli
