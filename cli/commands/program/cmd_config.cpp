#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>

#include "cli/context.h"
#include "cli/views/parity_view.h"
#include "cli/views/sharers.h"
#include "cli/views/table.h"
#include "cli/words/command.h"
#include "core/config/config.h"
#include "core/io/text_file.h"
#include "core/ops/care/store_parity.h"
#include "core/ops/exchange/trust_store.h"
#include "core/ops/versions/init_store.h"
#include "core/store/store_location.h"
#include "core/text/suggest.h"
#include "core/text/url_text.h"

namespace strata::cli {
namespace {

Attempt<const Setting*> settingOf(const std::string& key) {
  auto found = findSetting(key);
  if (found) return *found;
  std::vector<std::string> keys;
  for (const Setting& setting : allSettings()) keys.emplace_back(setting.key);
  found.error().message += didYouMean(key, keys);
  return problem({std::move(found).error(), "strata config list"});
}

Json settingJson(const Setting& setting, const ConfigValue& value) {
  return {{"key", setting.key},
          {"value", withoutPassword(value.text)},
          {"origin", name(value.origin)},
          {"source", value.source.empty() ? Json(nullptr) : Json(value.source)},
          {"default", setting.fallback}};
}

/// Which of the two files a command changes.
class FileChoice {
 public:
  void declare(Arguments& arguments) {
    arguments.add({.spelling = "--in-store",
                   .target = &inStore_,
                   .help = "the store's settings, which all its users share"});
    arguments.add({.spelling = "--user", .target = &user_, .help = "your settings (default)"});
  }

  bool isStore() const noexcept { return inStore_; }

  Attempt<std::filesystem::path> file(const Context& context) const {
    if (inStore_ && user_) return usage("--in-store and --user exclude each other");
    if (!inStore_) return context.userConfigFile();
    return context.storeConfigFile();
  }

  /// Of the store's own files only its settings are for this command.
  Attempt<std::filesystem::path> fileToChange(const Context& context) const {
    STRATA_ATTEMPT(std::filesystem::path chosen, file(context));
    if (!inStore_) STRATA_TRY(refuseInsideStore(chosen));
    return chosen;
  }

 private:
  bool inStore_ = false;
  bool user_ = false;
};

/// A command about one setting.
class KeyCommand : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "KEY",
                   .target = &key_,
                   .help = "a setting; see: strata config list",
                   .completes = Completes::ConfigKeys,
                   .isRequired = true});
  }

 protected:
  const std::string& key() const noexcept { return key_; }

 private:
  std::string key_;
};

class ConfigGetCommand final : public KeyCommand {
 public:
  CommandInfo info() const override {
    return {.usage = "config get KEY [--origin]",
            .summary = "The value of a setting that is in force here.",
            .examples = {"config get memory", "config get memory --origin"}};
  }

  void declare(Arguments& arguments) override {
    KeyCommand::declare(arguments);
    arguments.add({.spelling = "--origin", .target = &origin_, .help = "and where it comes from"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Setting* const setting, settingOf(key()));
    const ConfigValue& value = context.config().value(key());
    Output& output = context.output();
    const std::string shown = withoutPassword(value.text);
    output.document(settingJson(*setting, value));
    output.essential(shown);
    const std::string source = value.source.empty() ? "" : " " + value.source;
    output.line(
        printable(origin_ ? fmt::format("{}  ({}{})", shown, name(value.origin), source) : shown));
    return ExitCode::Done;
  }

 private:
  bool origin_ = false;
};

class ConfigSetCommand final : public KeyCommand {
 public:
  CommandInfo info() const override {
    return {.usage = "config set KEY VALUE [--user|--in-store]",
            .summary = "Change a setting; all other lines of the file stay.",
            .examples = {"config set effort best", "config set trash.days 30 --in-store",
                         "config set parity 2/10 --in-store"}};
  }

  void declare(Arguments& arguments) override {
    KeyCommand::declare(arguments);
    arguments.add(
        {.spelling = "VALUE", .target = &value_, .help = "its new value", .isRequired = true});
    choice_.declare(arguments);
  }

  bool mendsSettings() const override { return true; }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Setting* const setting, settingOf(key()));
    STRATA_ATTEMPT(const std::filesystem::path file, choice_.fileToChange(context));
    STRATA_TRY(const std::string normal, normalizedValue(*setting, value_));
    if (key() == "parity") return setParityTo(context, file, normal);
    if (key() == "shared") {
      if (!choice_.isStore())
        return usage("shared is set for a store", "strata config set shared VALUE --in-store");
      STRATA_TRY(
          shareStore(file.parent_path(), normal == "group" ? Sharing::Group : Sharing::None));
    } else {
      STRATA_TRY(setInFile(file, *setting, normal));
    }
    const auto statement = choice_.isStore() ? statementOf(*setting, normal) : std::nullopt;
    if (statement) STRATA_TRY(confirmStatements(file.parent_path(), {{*statement}}));
    Output& output = context.output();
    output.document({{"key", key()}, {"value", normal}, {"file", file.string()}});
    output.essential(normal);
    output.line(printable(fmt::format("{} = {}  in {}", key(), normal, file.string())));
    if (key() == "shared" && normal == "group") noteSharers(output, file.parent_path());
    return ExitCode::Done;
  }

 private:
  /// All objects get it at once.
  Outcome setParityTo(Context& context, const std::filesystem::path& file,
                      const std::string& value) {
    if (!choice_.isStore())
      return usage("parity is set for a store", "strata config set parity VALUE --in-store");
    STRATA_ATTEMPT(Store* const store, context.openStore());
    const auto done = setParity(*store, value, context.stopToken(),
                                context.progress(Context::JsonProgress::None));
    context.endProgress();
    STRATA_TRY(const ParityState state, done);
    Output& output = context.output();
    output.document(
        {{"key", key()}, {"value", value}, {"file", file.string()}, {"parity", parityJson(state)}});
    output.essential(value);
    output.line(printable(fmt::format("{} = {}  in {}", key(), value, file.string())));
    if (state.ratio) output.line("Protected: " + parityText(state));
    noteUnprotected(output, state);
    return ExitCode::Done;
  }

  std::string value_;
  FileChoice choice_;
};

class ConfigUnsetCommand final : public KeyCommand {
 public:
  CommandInfo info() const override {
    return {.usage = "config unset KEY [--user|--in-store]",
            .summary = "Take a setting out of a file.",
            .examples = {"config unset effort"}};
  }

  void declare(Arguments& arguments) override {
    KeyCommand::declare(arguments);
    choice_.declare(arguments);
  }

  bool mendsSettings() const override { return true; }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Setting* const setting, settingOf(key()));
    STRATA_ATTEMPT(const std::filesystem::path file, choice_.fileToChange(context));
    bool wasSet = false;
    if (choice_.isStore() && key() == "parity") {
      STRATA_ATTEMPT(Store* const store, context.openStore());
      STRATA_TRY(wasSet, unsetParity(*store, context.stopToken()));
    } else {
      STRATA_TRY(wasSet, unsetInFile(file, *setting));
    }
    if (choice_.isStore() && key() == "shared") {
      STRATA_TRY(shareFolder(file.parent_path(), Sharing::None));
    }
    Output& output = context.output();
    output.document({{"key", key()}, {"was_set", wasSet}, {"file", file.string()}});
    output.essential(key());
    output.line(printable(fmt::format("{} {} in {}", key(),
                                      wasSet ? "is no longer set" : "was not set", file.string())));
    return ExitCode::Done;
  }

 private:
  FileChoice choice_;
};

class ConfigListCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "config list [--origin]",
            .summary = "All settings in force here.",
            .examples = {"config list", "config list --origin"}};
  }

  void declare(Arguments& arguments) override {
    arguments.add(
        {.spelling = "--origin", .target = &origin_, .help = "and where each comes from"});
  }

  Outcome run(Context& context) override {
    Output& output = context.output();
    Json settings = Json::array();
    Table table({{"KEY"}, {"VALUE"}, {"WHAT", Align::Left, true}, {"ORIGIN"}});
    for (const Setting& setting : allSettings()) {
      const ConfigValue& value = context.config().value(setting.key);
      settings.push_back(settingJson(setting, value));
      const std::string shown = withoutPassword(value.text);
      output.essential(fmt::format("{}={}", setting.key, shown));
      const std::string source = value.source.empty() ? "" : " " + value.source;
      table.addRow({std::string(setting.key), shown, std::string(setting.help),
                    origin_ ? std::string(name(value.origin)) + source : ""});
    }
    output.document({{"settings", std::move(settings)}});
    table.print(output);
    return ExitCode::Done;
  }

 private:
  bool origin_ = false;
};

class ConfigPathCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "config path [--user|--in-store]",
            .summary = "Where the settings file is, whether it exists or not.",
            .examples = {"config path", "config path --in-store"}};
  }

  void declare(Arguments& arguments) override { choice_.declare(arguments); }

  bool mendsSettings() const override { return true; }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const std::filesystem::path file, choice_.file(context));
    Output& output = context.output();
    std::error_code status;
    output.document({{"file", file.string()}, {"exists", std::filesystem::exists(file, status)}});
    output.essential(file.string());
    output.line(printable(file.string()));
    return ExitCode::Done;
  }

 private:
  FileChoice choice_;
};

class ConfigEditCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "config edit [--user|--in-store]",
            .summary = "Open the settings file in $VISUAL or $EDITOR.",
            .examples = {"config edit"}};
  }

  void declare(Arguments& arguments) override { choice_.declare(arguments); }

  bool mendsSettings() const override { return true; }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const std::filesystem::path file, choice_.fileToChange(context));
    std::string editor = environment("VISUAL");
    if (editor.empty()) editor = environment("EDITOR");
    if (editor.empty()) editor = "vi";
    if (context.global().noInput) return usage("--no-input and an editor exclude each other");
    std::error_code status;
    if (!std::filesystem::exists(file, status)) STRATA_TRY(writeTextFile(file, "# strata\n"));
    // The editor's words are the user's own; the file's name travels apart from them.
    ::setenv("STRATA_EDITED_FILE", file.c_str(), 1);
    const int ended = std::system((editor + " \"$STRATA_EDITED_FILE\"").c_str());
    if (ended != 0) {
      return problem(ErrorCode::Io, fmt::format("{}: ended with status {}", editor,
                                                WIFEXITED(ended) ? WEXITSTATUS(ended) : ended));
    }
    STRATA_TRY(Config::load(file, std::nullopt));
    if (choice_.isStore()) {
      STRATA_TRY(const TrustReview review, reviewTrust(file.parent_path()));
      if (!review.isComplete()) context.output().advice("Next: strata config trust");
    }
    context.output().essential(file.string());
    context.output().document({{"file", file.string()}});
    return ExitCode::Done;
  }

 private:
  FileChoice choice_;
};

}  // namespace

std::unique_ptr<Command> makeConfigGet() { return std::make_unique<ConfigGetCommand>(); }
std::unique_ptr<Command> makeConfigSet() { return std::make_unique<ConfigSetCommand>(); }
std::unique_ptr<Command> makeConfigUnset() { return std::make_unique<ConfigUnsetCommand>(); }
std::unique_ptr<Command> makeConfigList() { return std::make_unique<ConfigListCommand>(); }
std::unique_ptr<Command> makeConfigEdit() { return std::make_unique<ConfigEditCommand>(); }
std::unique_ptr<Command> makeConfigPath() { return std::make_unique<ConfigPathCommand>(); }

}  // namespace strata::cli
