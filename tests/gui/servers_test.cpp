// What servers answer, and how the window says it beside its cause.
#include <gtest/gtest.h>

#include <QComboBox>
#include <atomic>

#include "gui/jobs/remote_ops.h"
#include "gui/jobs/transfer_list.h"
#include "gui/pages/remotes_page.h"
#include "gui/pages/settings_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/panes/credentials_pane.h"
#include "tests/gui/window_test.h"
#include "tests/support/fault_server.h"

namespace strata::test {
namespace {

struct Answer {
  const char* name;
  int status;
  const char* errorCode;  ///< of the hub; empty for none
  const char* number;     ///< as the window gives it
  const char* words;      ///< that the banner must have
  bool wantsLogin;
};

void PrintTo(const Answer& answer, std::ostream* out) { *out << answer.name; }

class ServersTest : public WindowTest {
 protected:
  gui::RemotesPage& remotes() { return window_.pages().remotes(); }

  /// Opens the store with a remote "hub" that is the server, and shows it.
  void openWith(const FaultServer& server) {
    open();
    const RemoteConfig hub{
        .name = "hub", .url = "hf://acme/models", .endpoint = server.url(""), .plainHttp = true};
    ASSERT_EQ(run(session().queue(), gui::saveRemoteJob(window_.bench().store(), hub)),
              gui::Job::State::Finished);
    QSignalSpy changed(&remotes(), &gui::RemotesPage::remotesChanged);
    session().open(sample_.folder());
    ASSERT_TRUE(changed.wait(kPatienceMs));
    window_.showPage(Page::Remotes);
    ASSERT_TRUE(waitFor([&] { return button(remotes(), "Ask again")->isEnabled(); }));
  }
};

class EveryAnswer : public ServersTest, public ::testing::WithParamInterface<Answer> {};

TEST_P(EveryAnswer, IsToldBesideItsCauseWithWhatHelps) {
  const Answer& answer = GetParam();
  FaultServer server([&](const SeenRequest&) {
    FaultReply reply{.status = answer.status, .headers = {{"Retry-After", "0"}}};
    if (*answer.errorCode != '\0') reply.headers.emplace_back("X-Error-Code", answer.errorCode);
    return reply;
  });
  openWith(server);
  click(remotes(), "Ask again");
  gui::Banner& banner = remotes().banner();
  ASSERT_TRUE(waitFor([&] { return banner.text().contains(answer.number); }))
      << banner.text().toStdString();
  EXPECT_TRUE(banner.text().contains("hub could not be asked"));
  EXPECT_TRUE(banner.text().contains(answer.words)) << banner.text().toStdString();
  EXPECT_NE(button(banner, "Try again"), nullptr);
  EXPECT_EQ(rowCount(), 3U);
  picture(QStringLiteral("state-server-%1").arg(QString(answer.name).toLower()));
  if (!answer.wantsLogin) return;
  click(banner, "Credentials...");
  EXPECT_EQ(window_.page(), Page::Settings);
}

INSTANTIATE_TEST_SUITE_P(
    OfAHub, EveryAnswer,
    ::testing::Values(Answer{"Unauthorized", 401, "", "STRATA-E403", "401", true},
                      Answer{"Forbidden", 403, "", "STRATA-E403", "403", true},
                      Answer{"Gated", 403, "GatedRepo", "STRATA-E403", "accept its terms", true},
                      Answer{"NotFound", 404, "RepoNotFound", "STRATA-E501", "404", false},
                      Answer{"TooMany", 429, "", "STRATA-E801", "429", false},
                      Answer{"NoAnswer", 200, "", "STRATA-E6", "no list of versions", false}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_F(ServersTest, SayThatATransferIsRefusedAndLeadToTheCredentials) {
  FaultServer server([](const SeenRequest&) { return FaultReply{.status = 403}; });
  openWith(server);
  window_.transfers().add(gui::Transfer::Direction::Push, "hub", {"tuned:v1"});
  window_.showPage(Page::Transfers);
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  QWidget& page = *window_.centralWidget();
  picture("state-transfer-refused");
  click(page, "Credentials...");
  EXPECT_EQ(window_.page(), Page::Settings);
  EXPECT_TRUE(
      waitFor([&] { return !window_.pages().settings().credentials().visibleRegion().isEmpty(); }));
}

TEST_F(ServersTest, ThatGiveOtherBytesAreNotBelieved) {
  open();
  const RemoteConfig share{.name = "share", .url = sample_.share()};
  ASSERT_EQ(run(session().queue(), gui::saveRemoteJob(window_.bench().store(), share)),
            gui::Job::State::Finished);
  window_.transfers().add(gui::Transfer::Direction::Push, "share", {});
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(sample_.files() / "share" / "objects")) {
    if (!entry.is_regular_file()) continue;
    std::string bytes = readWhole(entry.path());
    bytes[bytes.size() / 2] ^= 1;
    std::filesystem::permissions(entry.path(), std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
    writeWhole(entry.path(), bytes);
  }
  QSignalSpy listed(&session(), &gui::StoreSession::listed);
  session().open(inFolder("second"), gui::StoreSession::Opening::Create);
  ASSERT_TRUE(listed.wait(kPatienceMs));
  ASSERT_EQ(run(session().queue(), gui::saveRemoteJob(session().store(), share)),
            gui::Job::State::Finished);
  window_.transfers().setRetryDelay(1);
  window_.transfers().add(gui::Transfer::Direction::Pull, "share", {"tuned:v1"});
  window_.showPage(Page::Transfers);
  ASSERT_TRUE(waitFor([&] { return window_.transfers().transfers()[0].isOver(); }));
  const gui::Transfer& pull = window_.transfers().transfers()[0];
  EXPECT_EQ(pull.state, gui::Transfer::State::Failed) << pull.words.toStdString();
  EXPECT_EQ(pull.problem.code, ErrorCode::CorruptData) << pull.words.toStdString();
  EXPECT_TRUE(pull.problem.why.contains("came, expected")) << pull.problem.why.toStdString();
  picture("state-transfer-damaged");
  EXPECT_EQ(rowCount(), 0U);
}

TEST_F(ServersTest, ThatSayNothingAreShownAsStalled) {
  FaultServer server(
      [](const SeenRequest&) { return FaultReply{.announcedBytes = 100, .stalls = true}; });
  openWith(server);
  window_.transfers().setStallLimit(0);
  window_.transfers().add(gui::Transfer::Direction::Pull, "hub", {"x:v1"});
  window_.showPage(Page::Transfers);
  auto* view = table(*window_.centralWidget(), "Transfers");
  const auto cell = [&](int column) { return view->model()->index(0, column).data().toString(); };
  ASSERT_TRUE(waitFor([&] { return cell(2).startsWith("stalled for"); })) << cell(2).toStdString();
  EXPECT_EQ(cell(5), "0 B/s");
  EXPECT_EQ(cell(6), "");
  picture("state-transfer-stalled");
  window_.transfers().cancel(window_.transfers().transfers()[0].id);
  EXPECT_TRUE(waitFor([&] { return window_.transfers().transfers().empty(); }))
      << static_cast<int>(window_.transfers().transfers()[0].state) << ' '
      << window_.transfers().transfers()[0].words.toStdString();
}

}  // namespace
}  // namespace strata::test
