#pragma once

#include <string>

#include "hub/serve/host_rule.h"
#include "hub/serve/served_models.h"
#include "hub/serve/url_path.h"
#include "hub/serve/web_exchange.h"

namespace strata::hub {

/// Answers as the Hugging Face Hub does, as far as reading models needs it: each name of the store
/// is a repository, `NAME` or `strata/NAME`; each version a commit; the newest is branch `main`;
/// numbers (`v3`) and tags are tags. Files are sent as they are, without Xet. Safe to use from any
/// thread; `models` must outlive it.
class HubApi {
 public:
  /// `token`: a secret that requests must bring as `Authorization: Bearer`; empty: none needed.
  /// `hosts`: which names the server answers under; others get 421.
  HubApi(ServedModels& models, std::string token, HostRule hosts);

  WebAnswer answer(const WebRequest& request);

 private:
  struct Place;  // a repository and what is asked of it

  bool isAllowed(const WebRequest& request) const;
  WebAnswer route(const WebRequest& request, const UrlPath& url);
  Result<Place> placeOf(const UrlPath& url, std::size_t first) const;

  WebAnswer listModels(const UrlPath& url) const;
  WebAnswer aboutModel(const WebRequest& request, const UrlPath& url);
  WebAnswer refs(const Place& place) const;
  WebAnswer commits(const Place& place) const;
  WebAnswer info(const Place& place, const std::string& revision, bool withSizes);
  WebAnswer tree(const Place& place, const UrlPath& url, bool isRecursive);
  WebAnswer pathsInfo(const Place& place, const WebRequest& request);
  WebAnswer resolve(const WebRequest& request, const UrlPath& url);
  WebAnswer file(const WebRequest& request, std::shared_ptr<const ServedVersion> version,
                 std::uint32_t number, const std::string& commit);

  ServedModels& models_;
  std::string token_;
  HostRule hosts_;
};

}  // namespace strata::hub
