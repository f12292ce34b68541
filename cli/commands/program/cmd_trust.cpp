#include <fmt/format.h>

#include "cli/context.h"
#include "cli/views/table.h"
#include "cli/words/command.h"
#include "core/ops/exchange/trust_store.h"

namespace strata::cli {
namespace {

Json statementJson(const StoreStatement& statement) {
  return {{"what", statement.what}, {"says", statement.says}};
}

class ConfigTrustCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "config trust [DIR] [--list|--remove]",
            .summary = "Confirm what a store's own files say of servers, checks and owners.",
            .examples = {"config trust", "config trust /data/team/store --yes",
                         "config trust --list", "config trust /data/old --remove"},
            .details =
                "Remotes, proxy and switched-off checks that a store names count only after you "
                "confirmed these very values, for this folder. What you set yourself (remote add, "
                "config set) is confirmed by that. A store of another user is used only after you "
                "confirmed its owner. The list is yours: no store can change it."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "DIR",
                   .target = &folder_,
                   .help = "the store's folder (default: the store in use)",
                   .completes = Completes::Folders});
    arguments.add(
        {.spelling = "--list", .target = &list_, .help = "what you confirmed, of all stores"});
    arguments.add({.spelling = "--remove",
                   .target = &remove_,
                   .help = "take the store off the list; the folder may be gone"});
  }

  Outcome run(Context& context) override {
    if (list_ && (remove_ || folder_)) return usage("--list goes without DIR and --remove");
    if (list_) return showList(context);
    STRATA_ATTEMPT(const std::filesystem::path folder, chooseFolder(context));
    return remove_ ? forget(context, folder) : confirm(context, folder);
  }

 private:
  Attempt<std::filesystem::path> chooseFolder(const Context& context) const {
    if (folder_) return std::filesystem::path(*folder_);
    return context.storeFolder();
  }

  static Outcome showList(Context& context) {
    STRATA_TRY(const std::vector<TrustedStore> stores, listTrust());
    Output& output = context.output();
    Json documents = Json::array();
    Table table({{"STORE", Align::Left, true}, {"WHAT"}, {"SAYS", Align::Left, true}});
    for (const TrustedStore& store : stores) {
      output.essential(store.folder.string());
      Json statements = Json::array();
      for (const StoreStatement& statement : store.statements) {
        statements.push_back(statementJson(statement));
        table.addRow({store.folder.string(), statement.what, statement.says});
      }
      documents.push_back(
          {{"store", store.folder.string()}, {"id", store.id}, {"claims", std::move(statements)}});
    }
    output.document({{"stores", std::move(documents)}});
    stores.empty() ? output.note("Nothing is confirmed of any store.") : table.print(output);
    return ExitCode::Done;
  }

  static Outcome forget(Context& context, const std::filesystem::path& folder) {
    STRATA_TRY(const bool wasThere, forgetTrust(folder));
    Output& output = context.output();
    output.document({{"store", folder.string()}, {"was_there", wasThere}});
    output.essential(folder.string());
    output.line(printable(
        fmt::format("{}: {}", folder.string(),
                    wasThere ? "what it says counts no longer" : "nothing of it was confirmed")));
    return ExitCode::Done;
  }

  static Outcome confirm(Context& context, const std::filesystem::path& folder) {
    STRATA_TRY(const TrustReview review, reviewTrust(folder));
    Output& output = context.output();
    Json statements = Json::array();
    Table table({{"WHAT"}, {"CONFIRMED BEFORE"}, {"SAYS"}});
    for (const ReviewedStatement& one : review.statements) {
      Json statement = statementJson(one.statement);
      statement["was_confirmed"] = one.isConfirmed;
      statements.push_back(std::move(statement));
      table.addRow({one.statement.what, one.isConfirmed ? "yes" : "no", one.statement.says});
    }
    if (!review.statements.empty()) table.print(output);
    if (!review.isComplete()) {
      STRATA_ATTEMPT(const bool isMeant,
                     context.confirm(fmt::format("What {} says would count from now on",
                                                 review.folder.string())));
      if (!isMeant) return problem(ErrorCode::Cancelled, "nothing was confirmed");
      STRATA_TRY(confirmTrust(review));
    }
    output.document({{"store", review.folder.string()}, {"claims", std::move(statements)}});
    output.essential(review.folder.string());
    output.line(
        printable(fmt::format("{}: {}", review.folder.string(),
                              review.isComplete() ? "nothing is left to confirm" : "confirmed")));
    return ExitCode::Done;
  }

  std::optional<std::string> folder_;
  bool list_ = false;
  bool remove_ = false;
};

}  // namespace

std::unique_ptr<Command> makeConfigTrust() { return std::make_unique<ConfigTrustCommand>(); }

}  // namespace strata::cli
