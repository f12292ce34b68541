#include "core/evaluate/evaluator.h"

#include <fmt/format.h>

#include <optional>

#include "core/evaluate/child_process.h"
#include "core/text/command_words.h"

namespace strata {

struct Evaluator::State {
  EvaluatorOptions options;
  std::vector<std::string> words;
  std::filesystem::path referencePath;
  std::optional<ChildProcess> process = {};
  std::uint64_t nextId = 1;
  Evaluation reference = {};

  /// Starts the program where it is not running and lets it score the unquantized model.
  Result<void> run(const std::stop_token& stop);
  Result<Evaluation> ask(const std::filesystem::path& model, bool isReference,
                         const std::stop_token& stop);
  Result<Answer> exchange(const std::filesystem::path& model, bool isReference,
                          const std::stop_token& stop);
  /// The error with the program's name in front and its last lines behind.
  Error described(const Error& error);
};

Error Evaluator::State::described(const Error& error) {
  Error full = error.within("evaluator " + words.front());
  if (!process) return full;
  for (const std::string& line : process->lastErrorLines()) full.message += "\n" + line;
  return full;
}

Result<Answer> Evaluator::State::exchange(const std::filesystem::path& model, bool isReference,
                                          const std::stop_token& stop) {
  const std::uint64_t id = nextId++;
  STRATA_TRY(process->writeLine(requestLine(model, id, isReference), options.timeout, stop));
  STRATA_TRY(const std::string line, process->readLine(options.timeout, stop));
  return parseAnswer(line, id);
}

Result<Evaluation> Evaluator::State::ask(const std::filesystem::path& model, bool isReference,
                                         const std::stop_token& stop) {
  auto answer = exchange(model, isReference, stop);
  if (!answer) {
    // Whatever it says next would not fit the next question.
    const Error error = described(answer.error());
    process.reset();
    return fail(answer.error().code == ErrorCode::Cancelled ? answer.error() : error);
  }
  if (!answer->evaluation) {
    return fail(described({ErrorCode::Evaluator, "cannot score it: " + answer->refusal}));
  }
  return *std::move(answer->evaluation);
}

Result<void> Evaluator::State::run(const std::stop_token& stop) {
  if (process) return {};
  auto started = ChildProcess::start(words, options.passedSecrets);
  if (!started) return fail(described(started.error()));
  process.emplace(std::move(*started));
  auto scored = ask(referencePath, true, stop);
  if (!scored) {
    process.reset();
    return fail(scored.error());
  }
  reference = std::move(*scored);
  return {};
}

Result<std::unique_ptr<Evaluator>> Evaluator::start(const EvaluatorOptions& options,
                                                    std::filesystem::path reference,
                                                    const std::stop_token& stop) {
  STRATA_TRY(std::vector<std::string> words, commandWords(options.command));
  std::unique_ptr<State> state(new State{options, std::move(words), std::move(reference)});
  STRATA_TRY(state->run(stop));
  return std::unique_ptr<Evaluator>(new Evaluator(std::move(state)));
}

Evaluator::Evaluator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Evaluator::~Evaluator() = default;

const Evaluation& Evaluator::reference() const noexcept { return state_->reference; }

Result<Evaluation> Evaluator::evaluate(const std::filesystem::path& model,
                                       const std::stop_token& stop) {
  STRATA_TRY(state_->run(stop));
  return state_->ask(model, false, stop);
}

}  // namespace strata
