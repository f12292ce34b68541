#include "hub/huggingface/model_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "core/text/wording.h"
#include "hub/huggingface/hf_repository.h"
#include "hub/huggingface/hf_transport.h"

namespace strata::hub {
namespace {

/// A text of the user in a cell of a table.
std::string cell(std::string_view text) {
  constexpr std::size_t kMost = 200;
  std::string safe;
  for (const char letter : text.substr(0, kMost)) {
    if (letter == '\n' || letter == '\r') break;
    if (std::string_view("|<>[]`*_\\").find(letter) != std::string_view::npos) safe += '\\';
    safe += letter;
  }
  return safe;
}

/// Licences are words such as "apache-2.0" here.
std::string licenceWord(std::string_view licence) {
  std::string word;
  for (const char letter : licence) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) == 0 && letter != '.' && letter != '-') return {};
    word += static_cast<char>(std::tolower(byte));
  }
  return word;
}

std::string metadataOf(const RemoteLibrary& library) {
  std::set<std::string> bases;
  std::string licence;
  for (const RemoteVersion& version : library.versions) {
    const BaseElsewhere* const elsewhere = library.elsewhere(version);
    if (!version.parentDigest || elsewhere != nullptr) {
      const std::string model =
          hubModelOf(elsewhere != nullptr ? elsewhere->url : version.ref.sourceUrl);
      if (!model.empty()) bases.insert(model);
    }
    if (licence.empty()) licence = licenceWord(version.ref.license);
  }
  std::string text = "---\nlibrary_name: strata\ntags:\n- strata\n- delta-compressed\n";
  if (!licence.empty()) text += "license: " + licence + "\n";
  if (!bases.empty()) {
    text += "base_model:\n";
    for (const std::string& base : bases) text += "- " + base + "\n";
    text += "base_model_relation: finetune\n";
  }
  return text + "---\n";
}

}  // namespace

std::string modelCard(const RemoteLibrary& library, const std::string& repository,
                      const std::string& plain) {
  std::string text = metadataOf(library);
  text += fmt::format("{}\n\n# {}\n\n", kPageMark, repository);
  text += fmt::format(
      "Models kept by Strata as small differences to their base. Get one back, byte for byte:\n\n"
      "```\nstrata clone hf://{}\nstrata -C {} restore NAME:vN -o model\n```\n\n",
      repository, repository.substr(repository.find('/') + 1));
  if (!plain.empty()) {
    text += fmt::format("The files beside this page are those of {}, for tools without Strata.\n\n",
                        cell(plain));
  }
  text +=
      "| version | model | stored | ratio | kind | score | added | note |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const RemoteVersion& version : library.versions) {
    const double ratio = version.ref.storedBytes == 0
                             ? 0
                             : static_cast<double>(version.originalBytes) /
                                   static_cast<double>(version.ref.storedBytes);
    std::string label = version.ref.label();
    for (const std::string& tag : library.tagsOf(version)) label += ", " + tag;
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", cell(label),
                        wordBytes(version.originalBytes), wordBytes(version.ref.storedBytes),
                        wordRatio(ratio),
                        !version.parentDigest ? "base"
                        : version.lossy       ? "lossy"
                                              : "exact",
                        cell(scoresText(version)), isoDate(version.ref.addedAt).substr(0, 10),
                        cell(version.ref.note));
  }
  const std::vector<BaseElsewhere> elsewhere = library.basesElsewhere();
  if (elsewhere.empty()) return text;
  text += "\nBases that are not here. A clone or pull fetches them with `--fetch-bases`:\n\n";
  for (const BaseElsewhere& base : elsewhere) {
    text += fmt::format("- {}, {}, content `{}`: {}\n", cell(base.name), wordBytes(base.byteCount),
                        toHex(base.contentDigest), cell(base.url));
  }
  return text;
}

}  // namespace strata::hub
