#include <fmt/format.h>
#include <unistd.h>

#include "cli/context.h"
#include "cli/cpu_work.h"
#include "cli/words/command.h"
#include "core/ops/inspect/cat_tensor.h"
#include "core/text/command_words.h"

namespace strata::cli {
namespace {

class CatCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "cat REF TENSOR",
            .summary = "Write the bytes of one tensor to stdout, as they lie in its file.",
            .examples = {"cat sst2 classifier.weight > weight.bin"},
            .details =
                "Little-endian words, row by row, without a header; show --tensors says "
                "type and shape. For NumPy: restore REF --tensor GLOB --format npy."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "REF",
                   .target = &reference_,
                   .help = "the version",
                   .completes = Completes::References,
                   .isRequired = true});
    arguments.add({.spelling = "TENSOR",
                   .target = &tensor_,
                   .help = "the tensor's whole name",
                   .isRequired = true});
  }

  Outcome run(Context& context) override {
    if (context.output().isJson()) return usage("cat and --json cannot share stdout");
    if (::isatty(STDOUT_FILENO) == 1) {
      return usage(
          "a tensor is not for a terminal: send stdout to a file or program",
          fmt::format("strata cat {} {} > FILE", shellWord(reference_), shellWord(tensor_)));
    }
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    DescriptorSink sink(STDOUT_FILENO, "standard output");
    const std::stop_token stop = context.stopToken();
    auto sent = catTensor(*store, reference_, tensor_, sink, stop,
                          context.progress(Context::JsonProgress::None));
    if (sent) return ExitCode::Done;
    return problem(withTensors(std::move(sent).error(), *store));
  }

 private:
  /// Where the version is known but not the tensor, a list of its tensors helps.
  Problem withTensors(Error error, const Store& store) const {
    const bool isKnown = store.resolve(reference_).has_value();
    Problem cause(std::move(error));
    cause.adviceByCode = cause.error.code != ErrorCode::NoSpace;
    if (cause.error.code == ErrorCode::NotFound && isKnown) {
      cause.fix = fmt::format("strata show {} --tensors", reference_);
    }
    return cause;
  }

  std::string reference_;
  std::string tensor_;
};

}  // namespace

std::unique_ptr<Command> makeCat() { return std::make_unique<CatCommand>(); }

}  // namespace strata::cli
