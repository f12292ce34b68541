#include "cli/base_fetch.h"
#include "cli/context.h"
#include "cli/views/transfer_view.h"
#include "cli/words/command.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"
#include "core/store/store_location.h"
#include "hub/bundle/bundle_transport.h"

namespace strata::cli {
namespace {

Argument fileArgument(std::string& target, std::string help) {
  return {.spelling = "FILE",
          .target = &target,
          .help = std::move(help),
          .completes = Completes::Files,
          .isRequired = true};
}

class BundleCreateCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "bundle create FILE [REF...] [options]",
            .summary = "Write versions and their parents into one file, for another store.",
            .examples = {"bundle create models.tar sst2 qqp", "bundle create all.tar",
                         "bundle create small.tar sst2 --no-base"},
            .details =
                "The file is an uncompressed tar archive; unpacked it is a folder that can "
                "be a remote."};
  }
  void declare(Arguments& arguments) override {
    arguments.add(fileArgument(file_, "the new file"));
    arguments.add({.spelling = "REF...",
                   .target = &options_.references,
                   .help = "versions or patterns; all without them",
                   .completes = Completes::References});
    arguments.add({.spelling = "--no-base",
                   .target = &noBase_,
                   .help = "leave bases out: the other store has or fetches them"});
    arguments.add({.spelling = "--force", .target = &force_, .help = "replace FILE"});
  }
  Outcome run(Context& context) override {
    STRATA_TRY(refuseInsideStore(file_));
    STRATA_ATTEMPT(Store* const store, context.openStore());
    auto bundle = hub::BundleTransport::create(file_, force_);
    if (!bundle) {
      const bool exists = bundle.error().code == ErrorCode::InvalidArgument;
      return problemAt({std::move(bundle).error(), exists ? "the same command with --force" : ""},
                       file_);
    }
    options_.withBase = !noBase_;
    options_.parallel = 1;  // one file, written from front to back
    const std::stop_token stop = context.stopToken();
    auto report = pushVersions(*store, **bundle, options_, stop,
                               context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!report) {
      Error error = std::move(report).error();
      // The bundle is a file here: what a remote would lack is this disk's space.
      if (error.code == ErrorCode::Network) error.code = ErrorCode::NoSpace;
      return problemAt(std::move(error), file_);
    }
    return printPushed(context.output(), *report, file_, false);
  }

 private:
  std::string file_;
  PushOptions options_;
  bool noBase_ = false;
  bool force_ = false;
};

class BundleImportCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "bundle import FILE [REF...] [options]",
            .summary = "Take the versions of a bundle into this store.",
            .examples = {"bundle import models.tar", "bundle import models.tar sst2 -n"}};
  }
  void declare(Arguments& arguments) override {
    arguments.add(fileArgument(file_, "the bundle"));
    arguments.add({.spelling = "REF...",
                   .target = &options_.references,
                   .help = "versions of the bundle or patterns; all without them"});
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &options_.dryRun,
                   .help = "say what would be taken, take nothing"});
    arguments.add({.spelling = "--force-tag",
                   .target = &options_.forceTags,
                   .help = "take the bundle's tags, also those of other versions here"});
    arguments.add(fetchBasesArgument(fetchBases_));
  }
  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    auto bundle = hub::BundleTransport::open(file_);
    if (!bundle) return problem(ofBundle(std::move(bundle).error()));
    const std::stop_token stop = context.stopToken();
    options_.fetchBase = baseFetcher(context, *store, fetchBases_);
    auto report = pullVersions(*store, **bundle, options_, stop,
                               context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!report) return problem(ofBundle(std::move(report).error()));
    return printPulled(context.output(), *report, file_, options_.dryRun);
  }

 private:
  /// What is damaged or not found is the bundle's, not the store's.
  static Problem ofBundle(Error error) {
    Problem cause(std::move(error));
    const ErrorCode code = cause.error.code;
    if (code == ErrorCode::BaseMismatch) cause.fix = "strata import FILE --name NAME";
    cause.adviceByCode = code == ErrorCode::StoreLocked || code == ErrorCode::NoSpace;
    return cause;
  }

  std::string file_;
  PullOptions options_;
  bool fetchBases_ = false;
};

}  // namespace

std::unique_ptr<Command> makeBundleCreate() { return std::make_unique<BundleCreateCommand>(); }
std::unique_ptr<Command> makeBundleImport() { return std::make_unique<BundleImportCommand>(); }

}  // namespace strata::cli
