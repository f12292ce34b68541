#include <strings.h>

#include <algorithm>
#include <map>

#include "hub/serve/hub_api.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/sample_store.h"
#include "tests/support/temp_folder.h"

namespace strata::test {
namespace {

std::string_view cutLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Requests to `strata serve`: "GET /path", header lines, an empty line, the body.
class RequestTarget final : public FuzzTarget {
 public:
  RequestTarget()
      : store_(makeSampleStore(folder_ / "store")),
        models_(*store_, 10'000'000),
        api_(models_, "word-of-mine", hub::HostRule("127.0.0.1", {"models.lab"})) {}

  std::vector<std::string> seeds() const override {
    const std::string may = "\nHost: models.lab:80\nAuthorization: Bearer word-of-mine\n\n";
    std::vector<std::string> all;
    for (const char* const target :
         {"/", "/api/models?search=sst&limit=1", "/api/models/sst2", "/api/models/sst2/refs",
          "/api/models/strata/sst2/commits/main", "/api/models/sst2/revision/prod?blobs=true",
          "/api/models/sst2/tree/main?recursive=true", "/sst2/resolve/main/model.safetensors",
          "/strata/sst2/resolve/v1/model.safetensors", "/api/whoami-v2",
          "/sst2/resolve/refs%2Fpr"}) {
      all.push_back(std::string("GET ") + target + may);
    }
    all.push_back("HEAD /sst2/resolve/main/model.safetensors\nRange: bytes=5-90" + may);
    all.push_back("GET /sst2/resolve/main/model.safetensors\nRange: bytes=-7" + may);
    all.push_back("POST /api/models/sst2/paths-info/main\nContent-Type: application/json" + may +
                  R"({"paths":["model.safetensors","x/../y"],"expand":true})");
    all.push_back("POST /api/models/sst2/paths-info/main" + may + "paths=model.safetensors&x=%41");
    all.push_back("GET /api/models\nHost: rebound.example\n\n");
    return all;
  }

  std::string broken(std::string_view text) override {
    const hub::WebRequest request = requestOf(text);
    hub::WebAnswer answer = api_.answer(request);
    const std::string given = request.header("Authorization");
    const bool isBearer = ::strncasecmp(given.c_str(), "Bearer ", 7) == 0;  // in any case: RFC 9110
    const bool isKnown = isBearer && given.substr(7) == "word-of-mine";
    if (!isKnown && answer.status < 400) return "answered a stranger";
    if (request.header("Host") == "rebound.example" && answer.status < 400) {
      return "answered under another name";
    }
    if (answer.status >= 500) return "an error of the server: " + answer.body;
    for (const auto& [name, value] : answer.headers) {
      if ((name + value).find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
        return "a header of two lines: " + name;
      }
    }
    return answer.source ? brokenByBody(answer) : std::string();
  }

 private:
  static hub::WebRequest requestOf(std::string_view text) {
    hub::WebRequest request;
    const std::string_view first = cutLine(text);
    const std::size_t space = std::min(first.find(' '), first.size());
    request.method = first.substr(0, space);
    request.target = first.substr(std::min(space + 1, first.size()));
    std::map<std::string, std::string> headers;
    for (std::string_view line = cutLine(text); !line.empty(); line = cutLine(text)) {
      const std::size_t colon = std::min(line.find(": "), line.size());
      headers.emplace(line.substr(0, colon), line.substr(std::min(colon + 2, line.size())));
    }
    request.body = text;
    request.header = [headers](const char* name) {
      const auto found = headers.find(name);
      return found == headers.end() ? std::string() : found->second;
    };
    return request;
  }

  static std::string brokenByBody(const hub::WebAnswer& answer) {
    for (std::uint64_t at = answer.firstByte, left = answer.byteCount; left > 0;) {
      const auto bytes = answer.source->read(at);
      if (!bytes) return "a body breaks off: " + bytes.error().message;
      if (bytes->empty()) return "a body that does not go on";
      const std::uint64_t taken = std::min<std::uint64_t>(bytes->size(), left);
      at += taken;
      left -= taken;
    }
    return {};
  }

  TempFolder folder_;
  std::unique_ptr<Store> store_;
  hub::ServedModels models_;
  hub::HubApi api_;
};

}  // namespace

std::unique_ptr<FuzzTarget> makeRequestTarget() { return std::make_unique<RequestTarget>(); }

}  // namespace strata::test
