// What is dropped onto the window.
#include <gtest/gtest.h>

#include <QClipboard>
#include <QDropEvent>
#include <QGuiApplication>
#include <QMimeData>

#include "gui/jobs/remote_ops.h"
#include "gui/pages/welcome_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/panes/bundle_import.h"
#include "hub/bundle/bundle_transport.h"
#include "tests/gui/care_fixture.h"
#include "tests/support/fault_server.h"

namespace strata::test {
namespace {

class DropTest : public CareTest {};

void drop(gui::MainWindow& window, const QMimeData& data) {
  QDragEnterEvent enter(QPoint(600, 400), Qt::CopyAction, &data, Qt::LeftButton, {});
  QCoreApplication::sendEvent(&window, &enter);
  QDropEvent event(QPointF(600, 400), Qt::CopyAction, &data, Qt::LeftButton, {});
  QCoreApplication::sendEvent(&window, &event);
}

TEST_F(DropTest, OffersARemoteForADroppedPageOfTheHub) {
  open();
  QMimeData link;
  link.setUrls({QUrl("https://huggingface.co/acme/models")});
  drop(window_, link);
  EXPECT_EQ(window_.page(), Page::Remotes);
  EXPECT_EQ(edit(remotes(), "URL of a new remote")->text(), "hf://acme/models");
  EXPECT_EQ(edit(remotes(), "Name of a new remote")->text(), "acme");
  EXPECT_TRUE(button(remotes(), "Add remote")->isEnabled());
}

TEST_F(DropTest, TakesADroppedBundleIntoANewStore) {
  const QString bundle = sample_.bundle("all.tar");
  window_.openStore(sample_.folder() + "-missing");
  ASSERT_TRUE(waitFor([&] { return window_.page() == Page::Welcome; }));
  window_.pages().welcome().setFolder(sample_.folder() + "-fresh");
  QSignalSpy offered(&window_.bundleImport(), &gui::BundleImport::offered);
  QMimeData file;
  file.setUrls({QUrl::fromLocalFile(bundle)});
  drop(window_, file);
  ASSERT_TRUE(offered.wait(kPatienceMs));
  EXPECT_EQ(window_.page(), Page::Remotes);
  EXPECT_TRUE(remotes().banner().text().contains("3 versions"))
      << remotes().banner().text().toStdString();
  click(remotes().banner(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("bundle import "));
  click(remotes().banner(), "Take them");
  ASSERT_TRUE(waitFor([&] { return rowCount() == 3; }));
  window_.bundleImport().offer(bundle);
  ASSERT_TRUE(waitFor([&] { return remotes().banner().text().contains("already"); }));
}

TEST_F(DropTest, FetchesTheBaseThatABundleLacksOnceItsPlaceWasShown) {
  const std::string plain = writeModel(sample_.files(), "public.safetensors", 21);
  FaultServer web([&](const SeenRequest&) { return FaultReply{.body = readWhole(plain)}; });
  const std::string place = web.url("/model.safetensors");
  const QString file = inFolder("own.tar");
  {
    auto bundle = hub::BundleTransport::create(file.toStdString(), false);
    ASSERT_TRUE(bundle);
    ASSERT_NO_FATAL_FAILURE(sendWithoutBase(plain, place, **bundle));
  }
  qputenv("HF_TOKEN", "hf_secret");
  QSignalSpy opened(&session(), &gui::StoreSession::listed);
  session().open(inFolder("second"), gui::StoreSession::Opening::Create);
  ASSERT_TRUE(opened.wait(kPatienceMs));
  QSignalSpy offered(&window_.bundleImport(), &gui::BundleImport::offered);
  QMimeData dragged;
  dragged.setUrls({QUrl::fromLocalFile(file)});
  drop(window_, dragged);
  ASSERT_TRUE(offered.wait(kPatienceMs));
  const QString told = remotes().banner().text();
  EXPECT_TRUE(told.contains(QString::fromStdString(place)) && told.contains("kB"))
      << told.toStdString();
  EXPECT_TRUE(web.seen().empty()) << "nothing is asked before people agree";
  click(remotes().banner(), "Copy as command");
  EXPECT_TRUE(QGuiApplication::clipboard()->text().endsWith("--fetch-bases"));
  click(remotes().banner(), "Take them and fetch the base");
  ASSERT_TRUE(waitFor([&] { return rowCount() == 2; }));
  const auto seen = web.seen();
  ASSERT_EQ(seen.size(), 1U);
  for (const auto& [name, value] : seen[0].headers) {
    EXPECT_EQ(value.find("hf_secret"), std::string::npos) << name;
  }
  qunsetenv("HF_TOKEN");
}

TEST_F(DropTest, RefusesADropThatIsNoModel) {
  open();
  QMimeData text;
  text.setText("just words");
  drop(window_, text);
  EXPECT_EQ(window_.page(), Page::Library);
  EXPECT_TRUE(window_.dropOverlay().isHidden());
}

}  // namespace
}  // namespace strata::test
