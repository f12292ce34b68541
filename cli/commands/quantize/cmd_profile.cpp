#include "core/profile/profile.h"

#include <fmt/format.h>

#include "cli/context.h"
#include "cli/views/table.h"
#include "cli/words/command.h"
#include "core/config/toml_file.h"

namespace strata::cli {
namespace {

Json profileJson(const Profile& profile) {
  return {{"name", profile.name},
          {"mode", profile.mode},
          {"description", orNull(profile.description)},
          {"effort", profile.effort ? Json(name(*profile.effort)) : Json(nullptr)},
          {"codec", profile.codec},
          {"usable", true},
          {"file", profile.isShipped() ? Json(nullptr) : Json(profile.file.string())},
          {"toml", profile.text}};
}

/// Failures about names get the list of names as advice.
template <typename T>
Attempt<T> withAdvice(Result<T> result) {
  if (result) return std::move(*result);
  return problem(std::move(result).error(), ErrorCode::NotFound, "strata profile list");
}

class ProfileListCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "profile list",
            .summary = "Compression profiles: the shipped ones and your own.",
            .examples = {"profile list"}};
  }

  void declare(Arguments&) override {}

  Outcome run(Context& context) override {
    std::vector<std::string> problems;
    STRATA_TRY(const std::vector<Profile> profiles, listProfiles(profileFolder(), &problems));
    Output& output = context.output();
    const std::string& current = context.config().text("profile");
    Json rows = Json::array();
    Table table({{"PROFILE"}, {"MODE"}, {"WHAT", Align::Left, true}, {"FROM"}});
    for (const Profile& profile : profiles) {
      rows.push_back(profileJson(profile));
      output.essential(profile.name);
      table.addRow({profile.name + (profile.name == current ? " *" : ""), profile.mode,
                    profile.description, profile.isShipped() ? "shipped" : "own"});
    }
    output.document({{"profiles", std::move(rows)}, {"default", current}});
    table.print(output);
    for (const std::string& text : problems) output.warning(text);
    return ExitCode::Done;
  }
};

class ProfileShowCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "profile show NAME",
            .summary = "One profile, as the TOML that import takes.",
            .examples = {"profile show exact", "profile show mine > mine.toml"}};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "NAME",
                   .target = &name_,
                   .help = "a profile",
                   .completes = Completes::Profiles,
                   .isRequired = true});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Profile profile, withAdvice(loadProfile(profileFolder(), name_)));
    Output& output = context.output();
    output.document({{"profile", profileJson(profile)}});
    output.essential(profile.isShipped() ? profile.name : profile.file.string());
    std::string text = profile.text;
    if (text.ends_with('\n')) text.pop_back();
    output.line(text);
    return ExitCode::Done;
  }

 private:
  std::string name_;
};

/// What save and import say of the file they wrote.
Outcome reportSaved(Output& output, const Profile& profile) {
  output.document({{"profile", profileJson(profile)}});
  output.essential(profile.file.string());
  output.line(printable(fmt::format("Saved profile {}: {}", profile.name, profile.file.string())));
  return ExitCode::Done;
}

class ProfileSaveCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "profile save NAME [options]",
            .summary = "Keep settings of add under a name.",
            .examples = {"profile save tight --effort best",
                         "profile save fast --effort fast --description \"nightly runs\""}};
  }

  void declare(Arguments& arguments) override {
    arguments.add(
        {.spelling = "NAME", .target = &name_, .help = "what to call it", .isRequired = true});
    arguments.add({.spelling = "--from",
                   .target = &from_,
                   .value = "PROFILE",
                   .help = "start from a copy of this one",
                   .completes = Completes::Profiles});
    arguments.add({.spelling = "--effort",
                   .target = &effort_,
                   .value = "LEVEL",
                   .help = "fast, default or best",
                   .choices = {"fast", "default", "best"}});
    arguments.add({.spelling = "--codec",
                   .target = &codec_,
                   .value = "NAME",
                   .help = "one codec for all tensors that can take it"});
    arguments.add({.spelling = "--description",
                   .target = &description_,
                   .value = "TEXT",
                   .help = "one line for profile list"});
    arguments.add(
        {.spelling = "-f,--force", .target = &force_, .help = "replace one of that name"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Profile profile, withAdvice(loadProfile(profileFolder(), from_)));
    const bool hasChanges = effort_ || codec_ || description_;
    if (hasChanges && !profile.isExact()) {
      return usage(
          fmt::format("profile {} is lossy: copy it with --from alone, then edit the file", from_));
    }
    if (effort_) profile.effort = effortFromName(*effort_);
    if (codec_) profile.codec = *codec_;
    if (description_ || !profile.isShipped()) {
      profile.description = description_.value_or(profile.description);
    }
    if (profile.isExact()) {
      profile.text = exactProfileText(profile.description, profile.effort, profile.codec);
    }
    profile.name = name_;
    auto saved =
        saveProfile(profileFolder(), std::move(profile), force_ ? Replace::Yes : Replace::No);
    if (!saved) return problem(withForce(std::move(saved).error()));
    return reportSaved(context.output(), *saved);
  }

 private:
  Problem withForce(Error error) const {
    const bool isTaken = error.message.find("exists already") != std::string::npos;
    if (!isTaken) return error;
    return {std::move(error), "the same command with --force"};
  }

  std::string name_;
  std::string from_ = "exact";
  std::optional<std::string> effort_;
  std::optional<std::string> codec_;
  std::optional<std::string> description_;
  bool force_ = false;
};

class ProfileImportCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "profile import FILE.toml [options]",
            .summary = "Take a profile from a file.",
            .examples = {"profile import team.toml", "profile import team.toml --name ours"}};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "FILE",
                   .target = &path_,
                   .help = "a TOML file",
                   .completes = Completes::Files,
                   .isRequired = true});
    arguments.add({.spelling = "--name",
                   .target = &name_,
                   .value = "NAME",
                   .help = "what to call it; else as the file"});
    arguments.add(
        {.spelling = "-f,--force", .target = &force_, .help = "replace one of that name"});
  }

  Outcome run(Context& context) override {
    std::error_code status;
    if (!std::filesystem::exists(path_, status)) {
      Problem missing(Error{ErrorCode::NotFound, path_ + ": no such file"});
      missing.adviceByCode = false;
      return problem(std::move(missing));
    }
    STRATA_TRY(std::string text, readTomlText(path_));
    const std::string name = name_.value_or(std::filesystem::path(path_).stem().string());
    STRATA_TRY(Profile profile, parseProfile(name, std::move(text), path_));
    STRATA_TRY(const Profile saved, saveProfile(profileFolder(), std::move(profile),
                                                force_ ? Replace::Yes : Replace::No));
    return reportSaved(context.output(), saved);
  }

 private:
  std::string path_;
  std::optional<std::string> name_;
  bool force_ = false;
};

class ProfileRemoveCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "profile remove NAME",
            .summary = "Delete one of your profiles; stored versions do not need it.",
            .examples = {"profile remove tight"}};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "NAME",
                   .target = &name_,
                   .help = "a profile of your own",
                   .completes = Completes::Profiles,
                   .isRequired = true});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Profile removed, withAdvice(removeProfile(profileFolder(), name_)));
    Output& output = context.output();
    output.document({{"removed", removed.name}, {"file", removed.file.string()}});
    output.essential(removed.name);
    output.line(
        printable(fmt::format("Removed profile {}: {}", removed.name, removed.file.string())));
    return ExitCode::Done;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> makeProfileList() { return std::make_unique<ProfileListCommand>(); }
std::unique_ptr<Command> makeProfileShow() { return std::make_unique<ProfileShowCommand>(); }
std::unique_ptr<Command> makeProfileSave() { return std::make_unique<ProfileSaveCommand>(); }
std::unique_ptr<Command> makeProfileImport() { return std::make_unique<ProfileImportCommand>(); }
std::unique_ptr<Command> makeProfileRemove() { return std::make_unique<ProfileRemoveCommand>(); }

}  // namespace strata::cli
