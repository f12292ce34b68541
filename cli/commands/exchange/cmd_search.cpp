#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/remote_access.h"
#include "cli/views/table.h"
#include "cli/words/command.h"
#include "core/config/byte_count.h"
#include "core/ops/inspect/search_models.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"
#include "hub/huggingface/hf_model.h"
#include "hub/huggingface/hf_repository.h"
#include "hub/open_index.h"

namespace strata::cli {
namespace {

using Kind = FoundModel::Kind;

std::string_view kindWord(Kind kind) noexcept {
  switch (kind) {
    case Kind::Strata:
      return "strata";
    case Kind::Onnx:
      return "onnx";
    case Kind::Safetensors:
      return "safetensors";
    case Kind::Candidate:
    case Kind::Other:
      break;
  }
  return "other";
}

Json hitJson(const SearchHit& hit) {
  const FoundModel& model = hit.model;
  Json versions = Json::array();
  for (const RemoteVersion& version : hit.library.versions) {
    versions.push_back({{"ref", version.ref.label()},
                        {"hash", toHex(version.ref.contentDigest)},
                        {"parent", orNull(hit.library.parentOf(version))},
                        {"original_bytes", version.originalBytes},
                        {"stored_bytes", version.ref.storedBytes}});
  }
  return {{"url", model.url},
          {"kind", kindWord(model.kind)},
          {"versions", std::move(versions)},
          {"fetch_bytes", orNull(hit.fetchBytes)},
          {"parents_here", hit.parentsAreHere},
          {"downloads", orNull(model.downloads)},
          {"likes", orNull(model.likes)},
          {"updated", orNull(model.updatedAt)},
          {"license", orNull(model.license)},
          {"base_models", model.baseModels},
          {"gated", model.isGated},
          {"private", model.isPrivate}};
}

/// "3 versions of sst2, ner; base is here"
std::string details(const SearchHit& hit) {
  if (hit.model.kind != Kind::Strata) {
    return hit.model.isGated ? "gated: accept its terms on the web page" : "";
  }
  if (hit.library.versions.empty()) return "no versions that can be read";
  constexpr std::size_t kNamed = 3;
  std::string text = wordCount(hit.library.versions.size(), "version") + " of ";
  for (std::size_t i = 0; i < std::min(kNamed, hit.names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + hit.names[i];
  }
  if (hit.names.size() > kNamed) text += ", …";
  return text + (hit.parentsAreHere ? "; base is here" : "");
}

class SearchCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .usage = "search [WORD...] [options]",
        .summary = "Look for models on a hub, and what each would cost to fetch here.",
        .examples = {"search distilbert onnx", "search sst2 --base base --sort size",
                     "search --remote oci://registry.example.org", "search --remote hf://acme"},
        .details =
            "Without --remote the Hugging Face Hub. A registry lists its repositories, a bucket "
            "or a folder the remotes in it, a remote itself. Of repositories that Strata pushed "
            "to, the bytes are those of the newest version of each name that are not here."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "WORD...", .target = &words_, .help = "in the models' names"});
    arguments.add({.spelling = "--remote",
                   .target = &place_,
                   .value = "REMOTE",
                   .help = "a remote of the store, or hf://, hf://ORG, oci://HOST, s3://BUCKET, "
                           "file:///DIR",
                   .completes = Completes::Remotes});
    arguments.add({.spelling = "--base",
                   .target = &base_,
                   .value = "REF",
                   .help = "only models made from this version",
                   .completes = Completes::References});
    arguments.add({.spelling = "--strata",
                   .target = &onlyStrata_,
                   .help = "only repositories that Strata pushed to"});
    arguments.add({.spelling = "--max-size",
                   .target = &maxSize_,
                   .value = "SIZE",
                   .help = "at most so much to fetch: 50MB"});
    arguments.add(
        {.spelling = "--license",
         .target = &license_,
         .value = "ID",
         .help = "only models under this license, as the place words it: mit, apache-2.0"});
    arguments.add({.spelling = "--files",
                   .target = &files_,
                   .help = "also list the files of plain models on a hub"});
    arguments.add({.spelling = "--sort",
                   .target = &sort_,
                   .value = "KEY",
                   .help = "relevance, downloads, likes, updated or size",
                   .choices = {"relevance", "downloads", "likes", "updated", "size"}});
    arguments.add({.spelling = "--limit",
                   .target = &limit_,
                   .value = "N",
                   .help = "at most so many models (20)"});
  }

  Outcome run(Context& context) override {
    ModelSearchOptions options;
    options.query = {.words = fmt::format("{}", fmt::join(words_, " ")),
                     .license = license_,
                     .onlyStrata = onlyStrata_,
                     .sort = sortKey(),
                     .limit = std::max<std::uint64_t>(limit_.value_or(20), 1)};
    options.smallestFirst = sort_ == "size";
    options.parallel = parallelTransfers(context);
    if (maxSize_) {
      STRATA_TRY(options.maxBytes, parseByteCount(*maxSize_));
    }
    const auto opened = context.openStore();
    const Store* const store = opened ? *opened : nullptr;
    if (base_) {
      if (store == nullptr) return problem(opened.error());
      STRATA_TRY(const VersionEntry base, store->resolve(*base_));
      options.base = base.contentDigest;
      options.query.baseModel = hub::hubModelOf(base.sourceUrl);
      // A base that the hub does not know is one of Strata's versions only.
      if (options.query.baseModel.empty()) options.query.onlyStrata = true;
    }
    STRATA_ATTEMPT(const RemoteConfig place, choosePlace(store));
    const hub::TransportOptions transfers = transportOptions(context);
    options.open = [&](const std::string& url) {
      RemoteConfig remote = place;
      remote.url = url;
      return hub::openTransport(remote, transfers);
    };
    auto index = hub::openIndex(place, transfers);
    if (!index) return problem(Problem(std::move(index).error()));
    warnOfInsecure(context.output(), place);
    auto report = searchModels(**index, store, options, context.stopToken());
    if (!report) return problem(remoteProblem(std::move(report).error(), place));
    print(context.output(), *report, listFiles(*report, place, transfers, context.stopToken()));
    return ExitCode::Done;
  }

 private:
  using Files = std::map<std::string, std::vector<hub::ModelFileOnHub>>;

  /// By URL; what cannot be listed is one of the report's problems.
  Files listFiles(ModelSearchReport& report, RemoteConfig place,
                  const hub::TransportOptions& transfers, const std::stop_token& stop) const {
    Files files;
    if (!files_) return files;
    for (const SearchHit& hit : report.hits) {
      const bool isPlain = hit.model.kind == Kind::Onnx || hit.model.kind == Kind::Safetensors;
      if (!isPlain) continue;
      place.url = hit.model.url;
      auto listed = hub::listModelFiles(place, transfers, stop);
      if (listed) {
        files.emplace(hit.model.url, *std::move(listed));
      } else {
        report.problems.push_back(listed.error().message);
      }
    }
    return files;
  }

  ModelQuery::Sort sortKey() const {
    if (sort_ == "downloads") return ModelQuery::Sort::Downloads;
    if (sort_ == "likes") return ModelQuery::Sort::Likes;
    if (sort_ == "updated") return ModelQuery::Sort::Updated;
    return ModelQuery::Sort::Relevance;
  }

  Attempt<RemoteConfig> choosePlace(const Store* store) const {
    if (place_.empty()) return RemoteConfig{.name = {}, .url = "hf://"};
    RemoteList list;
    if (store != nullptr) {
      STRATA_TRY(list, RemoteList::load(store->folder()));
    }
    if (const std::string url = remoteWord(place_); isRemoteUrl(url)) {
      const auto known = std::find_if(
          list.remotes.begin(), list.remotes.end(),
          [&](const RemoteConfig& one) { return one.url == url && one.unconfirmed.empty(); });
      return known != list.remotes.end() ? *known : RemoteConfig{.name = {}, .url = url};
    }
    auto chosen = list.choose(place_);
    if (!chosen) return problem({std::move(chosen).error(), "strata remote list"});
    return *std::move(chosen);
  }

  static Json toJson(const std::vector<hub::ModelFileOnHub>& files) {
    Json list = Json::array();
    for (const hub::ModelFileOnHub& file : files) {
      list.push_back({{"path", file.path}, {"bytes", file.byteCount}});
    }
    return list;
  }

  static void print(Output& output, const ModelSearchReport& report, const Files& files) {
    Json models = Json::array();
    Table table({{"MODEL", Align::Left, true},
                 {"KIND"},
                 {"TO FETCH", Align::Right},
                 {"DOWNLOADS", Align::Right},
                 {"UPDATED"},
                 {"LICENSE"},
                 {"DETAILS", Align::Left, true}});
    for (const SearchHit& hit : report.hits) {
      models.push_back(hitJson(hit));
      const auto listed = files.find(hit.model.url);
      models.back()["files"] = listed == files.end() ? Json() : toJson(listed->second);
      output.essential(printable(hit.model.url));
      table.addRow({hit.model.url, std::string(kindWord(hit.model.kind)),
                    hit.fetchBytes ? wordBytes(*hit.fetchBytes) : "",
                    hit.model.downloads ? std::to_string(*hit.model.downloads) : "",
                    hit.model.updatedAt, hit.model.license, details(hit)});
    }
    output.document({{"models", std::move(models)}, {"problems", report.problems}});
    if (report.hits.empty()) {
      output.note("Nothing found.");
    } else {
      table.print(output);
      for (const auto& [url, list] : files) {
        output.line(printable(url));
        for (const hub::ModelFileOnHub& file : list) {
          output.line(printable(fmt::format("  {:>10}  {}", wordBytes(file.byteCount), file.path)));
        }
      }
      const FoundModel& first = report.hits.front().model;
      output.advice(first.kind == Kind::Strata
                        ? fmt::format("Next: strata clone {}", shellWord(first.url))
                        : fmt::format("Next: strata import {} --name NAME", shellWord(first.url)));
    }
    for (const std::string& text : report.problems) output.warning(printable(text));
  }

  std::vector<std::string> words_;
  std::string place_;
  std::optional<std::string> base_;
  std::optional<std::string> maxSize_;
  std::string license_;
  std::string sort_ = "relevance";
  std::optional<std::uint64_t> limit_;
  bool onlyStrata_ = false;
  bool files_ = false;
};

}  // namespace

std::unique_ptr<Command> makeSearch() { return std::make_unique<SearchCommand>(); }

}  // namespace strata::cli
