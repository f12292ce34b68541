#include <filesystem>

#include "cli/context.h"
#include "cli/views/sharers.h"
#include "cli/words/command.h"
#include "core/ops/versions/init_store.h"
#include "core/store/store.h"
#include "core/store/store_location.h"
#include "core/text/command_words.h"
#include "hub/open_transport.h"

namespace strata::cli {
namespace {

class InitCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "init [DIR]",
            .summary = "Make a store. A folder that is one already stays as it is.",
            .examples = {"init", "init /data/models", "init --user"},
            .details =
                "Without DIR the store is .strata in the current folder, and commands find "
                "it from here and from all folders below."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "DIR",
                   .target = &folder_,
                   .help = "the store's own folder",
                   .completes = Completes::Folders});
    arguments.add({.spelling = "--user",
                   .target = &user_,
                   .help = "your own store, used wherever no other is near"});
    arguments.add({.spelling = "--shared",
                   .target = &shared_,
                   .value = "no|group",
                   .help = "group: the folder's group may write to the new store",
                   .choices = {"no", "group"}});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const std::filesystem::path folder, chooseFolder(context));
    const Sharing sharing = shared_ == "group" ? Sharing::Group : Sharing::None;
    if (!Store::isStore(folder)) STRATA_TRY(hub::refuseInsideRemote(folder));
    auto made = initStore({.folder = folder, .sharing = sharing});
    if (!made) return problem(withPlace(std::move(made).error(), folder));
    const InitReport& report = *made;
    Output& output = context.output();
    output.document({{"store", report.folder.string()}, {"created", report.created}});
    output.essential(report.folder.string());
    output.line(printable((report.created ? "Made a store: " : "Already a store: ") +
                          report.folder.string()));
    if (!report.repository.empty()) {
      output.line(printable("  git ignores it in " + report.repository.string()));
    }
    if (report.created) {
      if (sharing == Sharing::Group) noteSharers(output, report.folder);
      if (folder_) output.setStore(*folder_);
      output.advice("Next: strata import base.onnx --name base");
    }
    return ExitCode::Done;
  }

 private:
  /// A folder with files in it can hold a store, but not be one.
  static Problem withPlace(Error error, const std::filesystem::path& folder) {
    const std::filesystem::path inner = folder / ".strata";
    const bool isTaken = error.code == ErrorCode::InvalidArgument && !storeAround(folder);
    if (!isTaken || !hasRoomForStore(inner)) return error;
    return {std::move(error), "strata init " + shellWord(inner.string())};
  }

  Attempt<std::filesystem::path> chooseFolder(const Context& context) const {
    const bool hasFlag = context.global().store.has_value();
    if ((folder_ ? 1 : 0) + (user_ ? 1 : 0) + (hasFlag ? 1 : 0) > 1) {
      return usage("give one of DIR, --user and --store", "strata help init");
    }
    if (folder_) return std::filesystem::path(*folder_);
    if (hasFlag) return std::filesystem::path(*context.global().store);
    if (const std::string named = environment("STRATA_STORE"); !user_ && !named.empty()) {
      return std::filesystem::path(named);
    }
    if (!user_) return std::filesystem::path(".strata");
    const std::filesystem::path own = defaultStoreFolder();
    if (own.empty()) return problem(ErrorCode::NoStore, "HOME is not set, so there is no folder");
    return own;
  }

  std::optional<std::string> folder_;
  std::string shared_ = "no";
  bool user_ = false;
};

}  // namespace

std::unique_ptr<Command> makeInit() { return std::make_unique<InitCommand>(); }

}  // namespace strata::cli
