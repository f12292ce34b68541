#include <fmt/format.h>

#include <algorithm>

#include "cli/context.h"
#include "cli/remote_access.h"
#include "cli/views/table.h"
#include "cli/words/command.h"
#include "cli/words/reference_words.h"
#include "core/ops/exchange/remote_reference.h"
#include "core/ops/exchange/remove_remote_tag.h"
#include "core/ops/versions/tags.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"
#include "core/transfer/remote_config.h"
#include "hub/store_remote.h"

namespace strata::cli {
namespace {

class TagCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "tag REF TAG [options]",
            .summary = "Give a version a second name within its variant: sst2:prod.",
            .examples = {"tag sst2:v2 prod", "tag sst2:v3 prod --move --note \"passed review\"",
                         "tag list", "tag remove sst2:prod"}};
  }

  void declare(Arguments& arguments) override {
    arguments.add(versionArgument(options_.reference));
    arguments.add(
        {.spelling = "TAG", .target = &options_.tag, .help = "the tag", .isRequired = true});
    arguments.add({.spelling = "--move",
                   .target = &options_.move,
                   .help = "take the tag from the version that has it"});
    arguments.add({.spelling = "--note", .target = &options_.note, .value = "TEXT", .help = "why"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    auto tagged = addTag(*store, options_);
    if (!tagged) {
      Problem cause(std::move(tagged).error());
      if (!options_.move && isTaken(*store)) {
        cause.fix = fmt::format("strata tag {} {} --move", options_.reference, options_.tag);
        if (!options_.note.empty()) cause.fix += " --note " + shellWord(options_.note);
      }
      return problem(std::move(cause));
    }
    const TagReport& report = *tagged;
    const std::string tag = report.version.name + ":" + options_.tag;
    Output& output = context.output();
    output.document(
        {{"tag", tag},
         {"version", report.version.label()},
         {"hash", toHex(report.version.contentDigest)},
         {"moved_from", report.movedFrom.empty() ? Json(nullptr) : Json(report.movedFrom)},
         {"changed", report.changed}});
    output.essential(tag);
    const std::string from = report.movedFrom.empty() ? "" : ", before " + report.movedFrom;
    output.line(fmt::format("{} is {}{}{}", tag, report.changed ? "now " : "already ",
                            report.version.label(), from));
    return ExitCode::Done;
  }

 private:
  /// Whether another version of the name has the tag.
  bool isTaken(const Store& store) const {
    const auto version = store.resolve(options_.reference);
    const auto tags = version ? listTags(store, version->name) : fail(version.error());
    return tags && std::any_of(tags->begin(), tags->end(), [&](const TagRow& row) {
             return row.tag == options_.tag && row.number != version->number;
           });
  }

  TagOptions options_;
};

class TagListCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "tag list [NAME]",
            .summary = "Tags and the versions they name.",
            .examples = {"tag list", "tag list sst2"}};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "NAME",
                   .target = &name_,
                   .help = "of this name only",
                   .completes = Completes::Names});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    STRATA_TRY(const std::vector<TagRow> rows, listTags(*store, name_));
    Output& output = context.output();
    Json tags = Json::array();
    Table table(
        {{"TAG", Align::Left, true}, {"VERSION"}, {"HASH"}, {"DATE"}, {"NOTE", Align::Left, true}});
    for (const TagRow& row : rows) {
      tags.push_back({{"tag", row.name + ":" + row.tag},
                      {"version", fmt::format("{}:v{}", row.name, row.number)},
                      {"hash", toHex(row.contentDigest)},
                      {"note", orNull(row.note)},
                      {"tagged", isoDate(row.taggedAt)}});
      output.essential(row.name + ":" + row.tag);
      table.addRow({row.name + ":" + row.tag, fmt::format("v{}", row.number),
                    shortHex(row.contentDigest), wordDate(row.taggedAt), row.note});
    }
    output.document({{"tags", std::move(tags)}});
    table.print(output);
    if (rows.empty()) output.advice("No tags. Next: strata tag NAME:v1 prod");
    return ExitCode::Done;
  }

 private:
  std::string name_;
};

class TagRemoveCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "tag remove NAME:TAG",
            .summary = "Take a tag away; the version stays.",
            .examples = {"tag remove sst2:prod", "tag remove hub/sst2:prod"},
            .details =
                "REMOTE/NAME:TAG takes it off a remote, after asking. It stays in the "
                "stores that have it. A push from there does not put it back if the store "
                "exchanged it with this remote, under the name or URL that it pushes to."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "NAME:TAG",
                   .target = &reference_,
                   .help = "the tag",
                   .completes = Completes::References,
                   .isRequired = true});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    STRATA_TRY(const RemoteList list, remotesFor(store->folder(), {reference_}));
    if (const auto there = readRemoteReference(list, reference_)) {
      return removeThere(context, *store, *there);
    }
    reference_ = storedWord(reference_);
    auto removed = removeTag(*store, reference_);
    if (!removed) {
      return problem(std::move(removed).error(), ErrorCode::NotFound, "strata tag list");
    }
    const std::string tag = removed->name + ":" + removed->tag;
    Output& output = context.output();
    output.document(
        {{"removed", tag}, {"version", fmt::format("{}:v{}", removed->name, removed->number)}});
    output.essential(tag);
    output.line(fmt::format("Removed tag {}; v{} stays", tag, removed->number));
    return ExitCode::Done;
  }

 private:
  static Outcome removeThere(Context& context, const Store& store, const RemoteReference& there) {
    STRATA_ATTEMPT(const OpenRemote remote, openRemote(context, there.remote));
    RemoteTagOptions options{.reference = there.reference,
                             .dryRun = true,
                             .keptAs = remote.shown(),
                             .cards = hub::cardsFor(remote.config)};
    const std::stop_token stop = context.stopToken();
    auto removed = removeRemoteTag(store, *remote.transport, options, stop);
    if (!removed) return problem(remoteProblem(std::move(removed).error(), remote.config));
    STRATA_ATTEMPT(
        const bool isWanted,
        context.confirm(printable(fmt::format("the tag {} (v{}) will be taken off {}",
                                              there.reference, removed->number, remote.shown()))));
    if (!isWanted) return problem(ErrorCode::Cancelled, "nothing was removed");
    options.dryRun = false;
    options.number = removed->number;
    removed = removeRemoteTag(store, *remote.transport, options, stop);
    if (!removed) return problem(remoteProblem(std::move(removed).error(), remote.config));
    const std::string tag = removed->name + ":" + removed->tag;
    Output& output = context.output();
    output.document({{"remote", remote.shown()},
                     {"removed", tag},
                     {"version", fmt::format("{}:v{}", removed->name, removed->number)}});
    output.essential(tag);
    output.line(printable(
        fmt::format("Removed tag {} from {}; v{} stays", tag, remote.shown(), removed->number)));
    return ExitCode::Done;
  }

  std::string reference_;
};

}  // namespace

std::unique_ptr<Command> makeTag() { return std::make_unique<TagCommand>(); }
std::unique_ptr<Command> makeTagList() { return std::make_unique<TagListCommand>(); }
std::unique_ptr<Command> makeTagRemove() { return std::make_unique<TagRemoveCommand>(); }

}  // namespace strata::cli
