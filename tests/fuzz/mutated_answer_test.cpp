// What servers say, damaged the same way every time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "tests/fuzz/answer_target.h"
#include "tests/fuzz/mutator.h"

namespace strata::test {
namespace {

using namespace std::string_view_literals;

constexpr std::array kAnswers{
    R"({"format":1,"refs":{"sst2/tags/prod":"{}","sst2/v2":"{\"format\":1}"}})"sv,
    R"({"format":1,"manifest":{"bytes":812,"sha256":"00"},"model":{"name":"sst2","number":2}})"sv,
    "<List><Key>a&amp;b</Key><Key>&quot;c&quot;&#x41;</Key><Size>12</Size></List>"sv,
    R"(Bearer realm="https://auth.example/token",service="registry",scope="repository:a/b:pull")"sv,
    "../other/%2e%2e/place?x=1#part"sv,
    "//stranger.example:8443/path"sv,
    "bytes=100-2000"sv,
    "bytes=-500"sv,
};

TEST(MutatedAnswer, IsReadOrRefused) {
  Mutator mutator(69);
  for (const std::string_view answer : kAnswers) {
    for (int round = 0; round < 3000; ++round) {
      std::vector<std::byte> damaged(answer.size() + 1);
      damaged[0] = static_cast<std::byte>(mutator.below(256));
      std::ranges::copy(std::as_bytes(std::span(answer)), damaged.begin() + 1);
      mutator.mutate(damaged);
      const std::string_view text(reinterpret_cast<const char*>(damaged.data()), damaged.size());
      ASSERT_TRUE(readsAnswer(text)) << text << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace strata::test
