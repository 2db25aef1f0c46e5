// What stands where: the window fits small screens, scrolls on smaller ones, and nothing moves
// under the hand.
#include <QLabel>
#include <QScrollArea>
#include <QStatusBar>

#include "tests/registered_test.h"
#include "tests/ui/cut_widgets.h"
#include "tests/ui/each_theme.h"
#include "tests/ui/larger_words.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/export_dialog.h"
#include "ui/dialogs/about_dialog.h"
#include "ui/dialogs/shortcut_list.h"
#include "ui/dialogs/welcome_guide.h"
#include "ui/live_preferences.h"
#include "ui/pages/explore/explore_page.h"

namespace tst_window_size {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

const QList<GuideStep> kGuide{{"a step", "what it is", {}, {}}};

int previewWidth() {
    ExportSource source;
    source.screenSize = QSize(400, 300);
    source.draw = [](QPainter&, const QSize&, bool) {};
    source.csv = [] { return QString(); };
    source.tikz = [](const QSize&) { return QString(); };
    return ExportDialog(source).findChild<QLabel*>("exportPreview")->width();
}

}  // namespace

class TestWindowSize : public QObject, WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    void fitsASmallScreen_data() { eachTheme(); }

    void fitsASmallScreen() {
        QFETCH(bool, dark);
        m_window->preferences()->setDark(dark);
        m_window->pages().messages->show(MessageBar::Kind::Problem, QString(200, 'x'),
                                         "/a/place/that/is/long",
                                         QString("what to do ").repeated(20));
        m_window->pages().messages->offer("Do it", [] {});
        const QStringList cut = cutIn(*m_window, kSmallScreen);
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join("\n")));
    }

    // On a screen that is larger by as much nothing is cut, and what stands out still does.
    void largerWordsHaveTheirRoom() {
        constexpr double kLarger = 1.5;
        const int guide = WelcomeGuide(kGuide).sizeHint().width();
        const int about = AboutDialog({}).sizeHint().width();
        const int keys = ShortcutList({}).width();
        const int saving = previewWidth();
        const QSize room = m_window->screen()->availableSize();
        m_window.reset();
        {
            const LargerWords larger(kLarger);
            openOne();
            QVERIFY(m_window != nullptr);
            const QStringList cut = cutIn(*m_window, kSmallScreen * kLarger);
            QVERIFY2(cut.isEmpty(), qPrintable(cut.join("\n")));
            const auto* title = m_window->pages().model->findChild<QLabel*>("title");
            QVERIFY(title->sizeHint().height() > QLabel("Ag").sizeHint().height());
            for (const auto& [usual, now] :
                 {std::pair(guide, WelcomeGuide(kGuide).sizeHint().width()),
                  std::pair(about, AboutDialog({}).sizeHint().width()),
                  std::pair(saving, previewWidth())}) {
                QVERIFY2(now > 1.3 * usual, qPrintable(QString("%1 %2").arg(usual).arg(now)));
            }
            const QSize now = ShortcutList({}).size();
            QVERIFY2(now.width() > std::min(1.3 * keys, 0.95 * room.width()),
                     qPrintable(QString("%1 %2").arg(keys).arg(now.width())));
            QVERIFY(now.boundedTo(room) == now);  // what is larger could not be closed
            m_window.reset();
        }
    }

    // At 200 % a laptop's screen has 720 x 450: what does not fit is scrolled to, also by Tab, and
    // a message stands where it is seen.
    void aScreenSmallerThanThePagesScrolls() {
        const QSize kTiny(720, 420);
        m_window->resize(kTiny);
        QTRY_COMPARE(m_window->size(), kTiny);
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            m_window->pages().tabs->setCurrentIndex(page);
            QTest::qWait(1);
            QCOMPARE(m_window->size(), kTiny);
        }
        const QWidget* pages = m_window->pages().tabs;
        QVERIFY(pages->width() > kTiny.width());
        const auto isSeen = [this](const QWidget* widget) {
            const QRect place(widget->mapTo(m_window.get(), QPoint(0, 0)), widget->size());
            return m_window->rect().contains(place);
        };
        m_window->pages().tabs->setCurrentWidget(m_window->pages().explore);
        QTest::qWait(1);
        int steps = 0;
        const auto isRight = [&] {
            const QWidget* at = QApplication::focusWidget();
            return at != nullptr && m_window->pages().explore->isAncestorOf(at) &&
                   at->mapTo(m_window->pages().tabs, QPoint(0, 0)).x() > kTiny.width();
        };
        while (!isRight() && ++steps < 200) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        }
        QVERIFY(isRight());
        QVERIFY(isSeen(QApplication::focusWidget()));
        m_window->pages().messages->show(MessageBar::Kind::Problem, "what", "where");
        QTest::qWait(1);
        QVERIFY(isSeen(m_window->pages().messages));
    }

    void theWholeFrameIsOnTheScreen() {
        const QRect room = m_window->screen()->availableGeometry();
        QTRY_VERIFY2(
            m_window->frameGeometry().height() <= room.height(),
            qPrintable(
                QString("%1 of %2").arg(m_window->frameGeometry().height()).arg(room.height())));
        QVERIFY(m_window->frameGeometry().top() >= room.top());
        QVERIFY(m_window->frameGeometry().bottom() <= room.bottom());
        QVERIFY(m_window->statusBar()->isVisible());
    }

    // One place, over the page: whatever comes and goes, what is clicked stays where it is.
    void aMessageMovesNothing() {
        MessageBar* bar = m_window->pages().messages;
        QCOMPARE(m_window->findChildren<MessageBar*>(), QList<MessageBar*>{bar});
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            m_window->pages().tabs->setCurrentIndex(page);
            QTest::qWait(1);
            const QSize size = m_window->pages().tabs->currentWidget()->size();
            const QRect pages = m_window->pages().tabs->geometry();
            bar->show(MessageBar::Kind::Problem, "what", "where", QString("hint ").repeated(100),
                      "topic");
            bar->offer("Do it", [] {});
            QTest::qWait(1);
            QVERIFY(bar->isVisible());
            QCOMPARE(m_window->pages().tabs->geometry(), pages);
            QCOMPARE(m_window->pages().tabs->currentWidget()->size(), size);
            QVERIFY(bar->parentWidget()->rect().contains(bar->geometry()));
            QVERIFY(bar->geometry().intersects(pages) && bar->height() < pages.height() / 2);
            QVERIFY(bar->geometry().bottom() > pages.center().y());
            // Nothing of the page shines through or lies above.
            QCOMPARE(bar->parentWidget()->childAt(bar->geometry().center())->window(),
                     m_window.get());
            QVERIFY(bar->isAncestorOf(bar->parentWidget()->childAt(bar->geometry().center())));
            bar->withdraw("topic");
            QVERIFY(!bar->isVisible());
        }
    }

    void messagesStandBesideEachOther() {
        MessageBar* bar = m_window->pages().messages;
        QStringList done;
        bar->show(MessageBar::Kind::Information, "A run was interrupted", {}, {}, "run");
        bar->offer("Go on", [&done] { done << "went on"; });
        bar->show(MessageBar::Kind::Problem, "A directory is broken");
        QVERIFY(bar->text().contains("interrupted") && bar->text().contains("broken"));
        QVERIFY(offered("Go on") != nullptr && offered("Go on")->isVisible());
        // The same is told once; what is about the same takes its place.
        bar->show(MessageBar::Kind::Problem, "A directory is broken");
        QCOMPARE(bar->text().count("broken"), 1);
        bar->show(MessageBar::Kind::Information, "measuring", {}, {}, "perplexity");
        bar->offer("Stop", [&done] { done << "stopped"; });
        const QPushButton* stop = offered("Stop");
        bar->retell("perplexity", "measuring: 5 of 10");
        QVERIFY(bar->text().contains("5 of 10"));
        QCOMPARE(offered("Stop"), stop);  // is not made anew under the pointer
        // Of many the oldest waits.
        bar->show(MessageBar::Kind::Success, "Saved a", {}, {}, "saved");
        bar->show(MessageBar::Kind::Success, "Saved b", {}, {}, "saved");
        QVERIFY(!bar->text().contains("Saved a") && bar->text().contains("Saved b"));
        QVERIFY(!offered("Go on")->isVisible());
        QTest::mouseClick(offered("Stop"), Qt::LeftButton);
        QVERIFY(offered("Stop") == nullptr && offered("Go on")->isVisible());
        bar->retell("perplexity", "measuring: 6 of 10");  // it was closed: not told again
        QVERIFY(!bar->stands("perplexity") && !bar->text().contains("measuring"));
        QTest::mouseClick(offered("Go on"), Qt::LeftButton);
        QCOMPARE(done, (QStringList{"stopped", "went on"}));
        QVERIFY(!bar->stands("run") && bar->text().contains("broken"));
    }

    // The help stands under the cards it explains, and fields begin in one line.
    void helpAndCardsAreAligned() {
        m_window->pages().tabs->setCurrentWidget(m_window->pages().plan);
        QTest::qWait(20);
        QList<int> rights;
        QList<int> lefts;
        const QWidget* plan = m_window->pages().plan;
        const auto* scroll = plan->findChild<QScrollArea*>();
        for (const QFrame* card : plan->findChildren<QFrame*>("card")) {
            const bool inForm = scroll->isAncestorOf(card);
            const auto* heading = card->findChild<QLabel*>("heading");
            if (inForm || heading->text() == "Help") {
                rights << card->mapTo(plan, card->rect().bottomRight()).x();
            }
        }
        for (const char* name : {"iterations", "sequences", "sweepCr"}) {
            const auto* field = plan->findChild<QWidget*>(name);
            QVERIFY2(field != nullptr, name);
            lefts << field->mapTo(plan, QPoint(0, 0)).x();
        }
        QCOMPARE(rights.size(), 4);
        const auto told = [](const QList<int>& places) {
            QStringList words;
            for (const int place : places) {
                words << QString::number(place);
            }
            return words.join(' ');
        };
        QVERIFY2(QSet<int>(rights.begin(), rights.end()).size() == 1, qPrintable(told(rights)));
        QVERIFY2(QSet<int>(lefts.begin(), lefts.end()).size() == 1, qPrintable(told(lefts)));
    }
};

COSPADI_TEST(TestWindowSize)

}  // namespace tst_window_size

#include "tst_window_size.moc"
