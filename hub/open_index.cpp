#include "hub/open_index.h"

#include <algorithm>
#include <functional>

#include "hub/folder/folder_transport.h"
#include "hub/huggingface/hf_repository.h"
#include "hub/huggingface/open_hf.h"
#include "hub/oci/open_oci.h"
#include "hub/s3/open_s3.h"

namespace strata::hub {
namespace {

/// Places that can only list what they have: names are compared here, and who searches looks into
/// those that are left.
class ListedPlaces final : public ModelIndex {
 public:
  using List = std::function<Result<std::vector<std::string>>(const std::stop_token&)>;
  explicit ListedPlaces(List urls) : urls_(std::move(urls)) {}

  Result<std::vector<FoundModel>> find(const ModelQuery& query, std::stop_token stop) override {
    constexpr std::size_t kMostCandidates = 1000;
    STRATA_TRY(std::vector<std::string> urls, urls_(stop));
    std::sort(urls.begin(), urls.end());
    std::vector<FoundModel> found;
    // Of one place alone the names of its versions are worth a look.
    const bool isOnly = urls.size() == 1;
    for (std::string& url : urls) {
      const bool isNamed = holdsWords(url, query.words);
      if (!isNamed && !isOnly) continue;
      if (found.size() == kMostCandidates) break;
      found.push_back(
          {.url = std::move(url), .kind = FoundModel::Kind::Candidate, .isNamed = isNamed});
    }
    return found;
  }

 private:
  List urls_;
};

/// "HOST" of "oci://HOST" and "oci://HOST/"; empty if there is more.
std::string_view hostOnly(std::string_view url) {
  std::string_view rest = url.substr(url.find("://") + 3);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  return rest.find('/') == std::string_view::npos ? rest : std::string_view{};
}

}  // namespace

Result<std::unique_ptr<ModelIndex>> openIndex(const RemoteConfig& place,
                                              const TransportOptions& options) {
  STRATA_TRY(checkConfirmed(place));  // for folders and URLs that no server is asked about
  const std::string& url = place.url;
  if (url == "hf://" || (url.starts_with("hf://") && !HfRepository::parse(url))) {
    return openHfSearch(place, options);
  }
  STRATA_TRY(checkRemotePlace(url));
  ListedPlaces::List list;
  if (url.starts_with("oci://") && !hostOnly(url).empty()) {
    list = [=](const std::stop_token& stop) { return registryRepositories(place, options, stop); };
  } else if (url.starts_with("s3://")) {
    list = [=](const std::stop_token& stop) { return bucketFolders(place, options, stop); };
  } else if (url.starts_with("file://")) {
    STRATA_TRY(const std::string folder, folderOfUrl(url));
    list = [folder](const std::stop_token&) { return remotesBelow(folder); };
  } else {
    list = [url](const std::stop_token&) { return std::vector<std::string>{url}; };
  }
  return std::make_unique<ListedPlaces>(std::move(list));
}

}  // namespace strata::hub
