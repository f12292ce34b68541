#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "hub/http/http_client.h"
#include "tests/unit/hub/fake_clock.h"

namespace strata::hub {

/// A client whose clock moves when it is asked to. Settings count until the client is first used.
class HttpClientFixture : public ::testing::Test {
 protected:
  Result<HttpResponse> fetch(const std::string& url) {
    HttpRequest request;
    request.url = url;
    return client().send(request, {});
  }
  HttpClient& client() {
    if (!client_) {
      settings.clock = &clock;
      client_ = std::make_unique<HttpClient>(settings);
    }
    return *client_;
  }

  test::FakeClock clock;
  HttpSettings settings;

 private:
  std::unique_ptr<HttpClient> client_;
};

}  // namespace strata::hub
