// What a new user meets, and what is asked before the window goes.
#include <gtest/gtest.h>

#include <QApplication>
#include <QMessageBox>
#include <QPushButton>
#include <thread>

#include "gui/jobs/sample_ops.h"
#include "gui/jobs/transfer_list.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/banner.h"
#include "tests/gui/window_test.h"

namespace strata::test {
namespace {

class FirstRunTest : public WindowTest {
 protected:
  /// The page of the first run, for a store beside the sample one.
  void begin() {
    window_.openStore(inFolder("fresh"));
    ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
    window_.pages().welcome().setFolder(inFolder("fresh"));
  }
};

TEST_F(FirstRunTest, TriesTheSampleThatComesWithTheProgram) {
  begin();
  EXPECT_GT(gui::sampleBytes(), 1'000'000U);
  QSignalSpy added(&window_, &gui::MainWindow::sampleAdded);
  click(window_.pages().welcome(), "Try with a small sample");
  ASSERT_TRUE(added.wait(kPatienceMs)) << window_.pages().library().banner().text().toStdString();
  EXPECT_EQ(window_.page(), Page::Library);
  ASSERT_TRUE(waitFor([&] { return rowCount() == 5; }));
  const auto& totals = session().snapshot()->totals;
  EXPECT_EQ(totals.baseCount, 1U);
  EXPECT_EQ(totals.versionCount, 4U);
  EXPECT_EQ(totals.originalBytes, gui::sampleBytes());
  EXPECT_EQ(session().snapshot()->rows.back().baseLabel, "digits:v1");
  EXPECT_TRUE(window_.pages().library().banner().text().contains("digits:v1"));
  click(window_.pages().library().banner(), "Compare");
  EXPECT_EQ(window_.page(), Page::Compare);
}

TEST_F(FirstRunTest, AddsTheSampleOnlyOnceToAStore) {
  open();
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(run(session().queue(), gui::addSampleJob(session().store())),
              gui::Job::State::Finished);
    ASSERT_TRUE(waitFor([&] { return rowCount() == 8; })) << rowCount();
  }
}

TEST_F(FirstRunTest, SaysWhyTheSampleCannotBeAdded) {
  begin();
  window_.pages().welcome().setFolder("/proc/nowhere");
  click(window_.pages().welcome(), "Try with a small sample");
  gui::Banner& banner = window_.pages().welcome().banner();
  ASSERT_TRUE(waitFor([&] { return banner.text().contains("could not be made"); }))
      << banner.text().toStdString();
  EXPECT_TRUE(button(window_.pages().welcome(), "Try with a small sample")->isEnabled());
}

class QuittingTest : public WindowTest {
 protected:
  /// A job of the window that is not over.
  gui::Job* work() {
    auto* job = new gui::Job("Working", "It did not work",
                             [](std::stop_token stop, const ProgressSink&) -> Result<void> {
                               while (!stop.stop_requested()) std::this_thread::yield();
                               return fail(ErrorCode::Cancelled, "stopped");
                             });
    window_.bench().write(job);
    return job;
  }
  static QMessageBox* question() {
    return qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
  }
  void answer(const char* text) {
    ASSERT_TRUE(waitFor([] { return question() != nullptr; }));
    EXPECT_EQ(question()->buttonRole(question()->defaultButton()), QMessageBox::RejectRole);
    for (QAbstractButton* one : question()->buttons()) {
      if (one->text().remove(u'&') == text) return QTest::mouseClick(one, Qt::LeftButton);
    }
    FAIL() << "no button " << text;
  }
};

TEST_F(QuittingTest, ClosesAtOnceWhereNothingRuns) {
  open();
  EXPECT_TRUE(window_.close());
  EXPECT_FALSE(window_.isVisible());
}

TEST_F(QuittingTest, AsksWhileAJobRuns) {
  open();
  const QPointer<gui::Job> job = work();
  EXPECT_FALSE(window_.close());
  ASSERT_TRUE(waitFor([] { return question() != nullptr; }));
  EXPECT_TRUE(question()->informativeText().startsWith("Working"));
  EXPECT_FALSE(window_.close()) << "it asks once";
  answer("Stay");
  EXPECT_TRUE(window_.isVisible());
  ASSERT_TRUE(waitFor([] { return question() == nullptr; }));
  EXPECT_FALSE(window_.close());
  answer("Quit");
  EXPECT_TRUE(waitFor([&] { return !window_.isVisible(); }));
  ASSERT_FALSE(job.isNull());
  job->cancel();
}

TEST_F(QuittingTest, NamesTheTransfersThatAreNotOver) {
  open();
  const QPointer<gui::Job> job = work();
  window_.transfers().setRetryDelay(3'600'000);
  window_.transfers().add(gui::Transfer::Direction::Push, inFolder("a"), {});
  window_.transfers().add(gui::Transfer::Direction::Pull, "lab", {"x"});
  EXPECT_FALSE(window_.close());
  ASSERT_TRUE(waitFor([] { return question() != nullptr; }));
  EXPECT_TRUE(question()->informativeText().contains("Pull from lab"))
      << question()->informativeText().toStdString();
  answer("Stay");
  job->cancel();
}

}  // namespace
}  // namespace strata::test
