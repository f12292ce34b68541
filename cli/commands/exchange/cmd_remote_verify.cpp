#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/remote_access.h"
#include "cli/views/remote_view.h"
#include "cli/words/command.h"
#include "core/ops/exchange/verify_remote.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

/// "pack e07f2211 (12.9 MB) does not match its hash"
std::string damageText(const RemoteDamage& damage) {
  using Kind = RemoteDamage::Kind;
  const bool isHash = damage.kind != Kind::Ref && damage.kind != Kind::List;
  std::string text =
      fmt::format("{} {}", name(damage.kind), isHash ? damage.name.substr(0, 8) : damage.name);
  if (damage.kind == Kind::List) text += ":";
  if (damage.byteCount > 0) text += fmt::format(" ({})", wordBytes(damage.byteCount));
  return text + " " + damage.reason;
}

class RemoteVerifyCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "remote verify [REMOTE] [--quick]",
            .summary = "Read back what a remote has and compare it with its hashes.",
            .examples = {"remote verify hub", "remote verify hub --quick"},
            .details =
                "Every object is read, so all of its bytes come over the network; none is kept. "
                "Damage is reported to the end, with the versions that cannot be pulled, and exits "
                "6. push --repair mends it from a store that has the versions."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "REMOTE",
                   .target = &remote_,
                   .help = "its name or URL; the default one without it",
                   .completes = Completes::Remotes});
    arguments.add({.spelling = "--quick",
                   .target = &options_.quick,
                   .help = "compare sizes alone, read nothing"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const OpenRemote remote, openRemote(context, remote_));
    options_.parallel = parallelTransfers(context);
    options_.keptAs = remote.shown();
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    auto report = verifyRemote(*store, *remote.transport, options_, context.stopToken(),
                               context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!report) return problem(remoteProblem(std::move(report).error(), remote.config));
    print(context.output(), *report, remote.shown());
    return report->sound() ? ExitCode::Done : ExitCode::Integrity;
  }

 private:
  void print(Output& output, const RemoteVerifyReport& report, const std::string& remote) const {
    const std::string_view level = options_.quick ? "quick" : "full";
    Json damages = Json::array();
    for (const RemoteDamage& damage : report.damages) {
      damages.push_back({{"kind", name(damage.kind)},
                         {"name", damage.name},
                         {"bytes", damage.byteCount},
                         {"reason", damage.reason},
                         {"versions", damage.versions}});
    }
    output.event("result", {{"remote", remote},
                            {"level", level},
                            {"sound", report.sound()},
                            {"versions", report.versionCount},
                            {"objects", report.objectCount},
                            {"bytes", report.checkedBytes},
                            {"damages", std::move(damages)},
                            {"damaged_versions", report.damagedVersions},
                            {"bases_elsewhere", basesJson(report.elsewhere)},
                            {"unread", report.unread},
                            {"seconds", report.seconds}});
    for (const std::string& label : report.damagedVersions) output.essential(label);
    const std::string result = report.sound() ? "all sound"
                               : report.damagedVersions.empty()
                                   ? "damage found"
                                   : fmt::format("{} damaged", report.damagedVersions.size());
    output.line(printable(
        fmt::format("Checked {} and {} on {} ({}), {}", wordCount(report.versionCount, "version"),
                    wordCount(report.objectCount, "object"), remote, level, result)));
    for (const RemoteDamage& damage : report.damages) {
      const std::string versions = fmt::format("{}", fmt::join(damage.versions, ", "));
      output.line(printable(
          fmt::format("  {}{}{}", versions, versions.empty() ? "" : "   ", damageText(damage))));
    }
    printElsewhere(output, report.elsewhere);
    for (const std::string& text : report.unread) output.warning(printable(text));
    if (!report.damages.empty()) {
      output.advice(fmt::format(
          "Fix: strata push --repair {}, from a store that has these versions", remote));
    }
  }

  std::string remote_;
  RemoteVerifyOptions options_;
};

}  // namespace

std::unique_ptr<Command> makeRemoteVerify() { return std::make_unique<RemoteVerifyCommand>(); }

}  // namespace strata::cli
