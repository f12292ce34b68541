#include "core/evaluate/evaluator.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "core/evaluate/evaluator_pool.h"
#include "tests/support/temp_folder.h"

namespace strata {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Scores each model with the number in its file. A file of other words makes it do as they say.
constexpr std::string_view kScript = R"(
import json, os, sys, time
log = open(sys.argv[1], "a")
for line in sys.stdin:
    asked = json.loads(line)
    wish = open(asked["model"]).read()
    print("scoring", wish, file=sys.stderr, flush=True)
    log.write("reference\n" if asked.get("reference") else wish + "\n")
    log.flush()
    if wish == "crash":
        sys.stderr.write("Traceback: out of luck\n")
        sys.exit(3)
    if wish == "abort":
        os.abort()
    if wish == "close":
        os.close(1)
        time.sleep(1000)
    if wish == "chatter":
        sys.stderr.write("x" * 300000)
        sys.stderr.flush()
        wish = "0.25"
    if wish == "garbage":
        print("loading model ...", flush=True)
        continue
    if wish == "refuse":
        print(json.dumps({"id": asked["id"], "error": "no such input"}), flush=True)
        continue
    score = float(wish)
    print(json.dumps({"id": asked["id"], "score": score, "divergence": 1 - score}), flush=True)
)";

/// Whether it comes true. Gives up after a minute, which only a fault takes.
bool comesTrue(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

class EvaluatorTest : public testing::Test {
 protected:
  EvaluatorTest() { test::writeWhole(folder_ / "eval.py", kScript); }

  EvaluatorOptions options() const {
    return {"python3 '" + (folder_ / "eval.py").string() + "' '" + (folder_ / "log").string() +
            "'"};
  }

  /// A model that makes the script do as `wish` says.
  std::filesystem::path model(const std::string& wish) const {
    const auto file = folder_ / (wish + ".model");
    test::writeWhole(file, wish);
    return file;
  }

  std::string log() const { return test::readWhole(folder_ / "log"); }

  test::TempFolder folder_;
  std::stop_source stop_;
};

TEST_F(EvaluatorTest, ScoresTheReferenceThenEachModel) {
  auto evaluator = Evaluator::start(options(), model("0.5"), stop_.get_token());
  ASSERT_TRUE(evaluator) << evaluator.error().message;
  EXPECT_EQ((*evaluator)->reference().score, 0.5);
  for (const char* score : {"0.25", "0.75"}) {
    const auto found = (*evaluator)->evaluate(model(score), stop_.get_token());
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->score, std::stod(score));
    EXPECT_EQ(found->divergence, 1 - std::stod(score));
  }
  EXPECT_EQ(log(), "reference\n0.25\n0.75\n");
}

TEST_F(EvaluatorTest, GetsNoSecretsButThoseThatAreNamed) {
  const std::map<std::string, std::string> variables{
      {"HF_TOKEN", "hf_planted"},
      {"AWS_SECRET_ACCESS_KEY", "planted"},
      {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/keys"},
      {"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1/keys"},
      {"STRATA_TOKEN_LAB", "bob:planted"},
      {"https_proxy", "http://u:planted@h:1"},
      {"http_proxy", "http://h:1"},
      {"EVALUATOR_MODE", "kept"}};
  test::writeWhole(folder_ / "eval.py", R"(
import json, os, sys
known = [one for one in sys.argv[2].split(",") if one in os.environ]
open(sys.argv[1], "w").write(" ".join(known))
print(json.dumps({"id": json.loads(sys.stdin.readline())["id"], "score": 1}), flush=True)
)");
  std::string names;
  std::map<std::string, std::optional<std::string>> before;
  for (const auto& [name, value] : variables) {
    const char* const old = std::getenv(name.c_str());
    before[name] = old == nullptr ? std::nullopt : std::optional<std::string>(old);
    ::setenv(name.c_str(), value.c_str(), 1);
    names += name + ",";
  }
  EvaluatorOptions asked = options();
  asked.command += " " + names;
  const auto seen = [&] {
    EXPECT_TRUE(Evaluator::start(asked, model("1"), stop_.get_token()));
    return log();
  };
  EXPECT_EQ(seen(), "EVALUATOR_MODE http_proxy");
  asked.passedSecrets = {"HF_TOKEN"};
  EXPECT_EQ(seen(), "EVALUATOR_MODE HF_TOKEN http_proxy");
  for (const auto& [name, value] : before) {
    value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
  }
}

struct Failure {
  const char* wish;
  const char* complaint;
};

class EveryFailure : public EvaluatorTest, public testing::WithParamInterface<Failure> {};

TEST_P(EveryFailure, IsReportedAndTheNextModelIsScored) {
  auto evaluator = Evaluator::start(options(), model("0.5"), stop_.get_token());
  ASSERT_TRUE(evaluator) << evaluator.error().message;
  const auto failed = (*evaluator)->evaluate(model(GetParam().wish), stop_.get_token());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::Evaluator);
  EXPECT_THAT(failed.error().message, HasSubstr("evaluator python3: "));
  EXPECT_THAT(failed.error().message, HasSubstr(GetParam().complaint));
  EXPECT_THAT(failed.error().message, HasSubstr(std::string("\nscoring ") + GetParam().wish));
  const auto found = (*evaluator)->evaluate(model("0.75"), stop_.get_token());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->score, 0.75);
}

INSTANTIATE_TEST_SUITE_P(
    Evaluator, EveryFailure,
    testing::Values(Failure{"crash", "ended with exit status 3"},
                    Failure{"crash", "\nTraceback: out of luck"},
                    Failure{"abort", "was ended by signal 6"},
                    Failure{"close", "closed its output without an answer"},
                    Failure{"garbage", "wrote `loading model ...` to its standard output"},
                    Failure{"refuse", "cannot score it: no such input"}));

TEST_F(EvaluatorTest, IsNotStoppedByWhatItWritesToStderr) {
  auto evaluator = Evaluator::start(options(), model("0.5"), stop_.get_token());
  ASSERT_TRUE(evaluator) << evaluator.error().message;
  const auto found = (*evaluator)->evaluate(model("chatter"), stop_.get_token());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->score, 0.25);
}

class EverySilence : public EvaluatorTest, public testing::WithParamInterface<const char*> {};

TEST_P(EverySilence, IsGivenUpInTime) {
  test::writeWhole(
      folder_ / "silent.sh",
      std::string("read line; echo '{\"id\":1,\"score\":0.5}'; read line; ") + GetParam() + "\n");
  auto evaluator = Evaluator::start({"sh '" + (folder_ / "silent.sh").string() + "'", 2000ms},
                                    model("0.5"), stop_.get_token());
  ASSERT_TRUE(evaluator) << evaluator.error().message;
  const auto failed = (*evaluator)->evaluate(model("0.25"), stop_.get_token());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::Evaluator);
  EXPECT_THAT(failed.error().message, HasSubstr("gave no answer within 2 s"));
}

INSTANTIATE_TEST_SUITE_P(Evaluator, EverySilence, testing::Values("sleep 1000", "yes >&2"));

TEST_F(EvaluatorTest, MustScoreTheReference) {
  const auto evaluator = Evaluator::start(options(), model("refuse"), stop_.get_token());
  ASSERT_FALSE(evaluator);
  EXPECT_THAT(evaluator.error().message, HasSubstr("cannot score it: no such input"));
}

TEST_F(EvaluatorTest, MustBeExecutable) {
  test::writeWhole(folder_ / "notes.txt", "no program");
  for (const std::string& command :
       {std::string("no-such-evaluator-here val.npz"), (folder_ / "notes.txt").string()}) {
    const auto evaluator = Evaluator::start({command}, model("0.5"), stop_.get_token());
    ASSERT_FALSE(evaluator);
    EXPECT_EQ(evaluator.error().code, ErrorCode::Evaluator);
    EXPECT_THAT(evaluator.error().message, HasSubstr("cannot run " + command.substr(0, 20)));
  }
}

TEST_F(EvaluatorTest, EndsWithAllThatItStartedWhenItIsCancelled) {
  test::writeWhole(folder_ / "nested.sh",
                   "sleep 1000 &\necho $! > '" + (folder_ / "child").string() + "'\nwait\n");
  std::jthread canceller([&] {
    EXPECT_TRUE(comesTrue([&] { return !test::readWhole(folder_ / "child").empty(); }));
    stop_.request_stop();
  });
  const auto evaluator = Evaluator::start({"sh '" + (folder_ / "nested.sh").string() + "'"},
                                          model("0.5"), stop_.get_token());
  ASSERT_FALSE(evaluator);
  EXPECT_EQ(evaluator.error().code, ErrorCode::Cancelled);
  // The signal is on its way, or the orphan waits for its new parent to notice: a zombie is gone,
  // too. One that was spared sleeps on.
  const std::string child = test::readWhole(folder_ / "child");
  const auto isGone = [&] {
    const std::string status =
        test::readWhole("/proc/" + child.substr(0, child.find('\n')) + "/status");
    return status.empty() || status.find("State:\tZ") != std::string::npos;
  };
  EXPECT_TRUE(comesTrue(isGone));
}

TEST_F(EvaluatorTest, PoolStartsNoMoreThanItNeeds) {
  auto pool = EvaluatorPool::start(options(), model("0.5"), 3, stop_.get_token());
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_EQ((*pool)->reference().score, 0.5);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE((*pool)->evaluate(model("0.25"), stop_.get_token()));
  EXPECT_EQ(log(), "reference\n0.25\n0.25\n0.25\n0.25\n");
}

TEST_F(EvaluatorTest, PoolServesManyThreads) {
  auto pool = EvaluatorPool::start(options(), model("0.5"), 2, stop_.get_token());
  ASSERT_TRUE(pool) << pool.error().message;
  const auto good = model("0.25");
  const auto bad = model("crash");
  std::vector<int> outcomes(6);  // 1: scored, 2: failed
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      threads.emplace_back([&, i] {
        const auto found = (*pool)->evaluate(i % 3 == 0 ? bad : good, stop_.get_token());
        outcomes[i] = found ? (found->score == 0.25 ? 1 : 0) : 2;
      });
    }
  }
  EXPECT_EQ(outcomes, (std::vector<int>{2, 1, 1, 2, 1, 1}));
}

}  // namespace
}  // namespace strata
