// Hands and eyes of a user on the whole window: pages by their tabs, choices by keys, fields that
// are typed into, dialogs that are filled, messages that are read and closed. For tests that drive
// the window in a real X server.
#pragma once

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTextDocumentFragment>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>
#include <algorithm>
#include <memory>

#include "tests/ui/child_of.h"
#include "ui/charts/export_dialog.h"
#include "ui/main_window.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

class WindowHands {
  protected:
    template <typename Widget>
    Widget* find(const char* name) {
        return childOf<Widget>(*m_window, name);
    }

    QPushButton* button(const QString& accessibleName) {
        for (QPushButton* candidate : m_window->findChildren<QPushButton*>()) {
            if (candidate->accessibleName() == accessibleName) {
                return candidate;
            }
        }
        qFatal("the window has no button %s", qPrintable(accessibleName));
    }

    // Shortcuts and the focus need it, and no window manager does it.
    void bringToFront() {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }

    void goTo(QWidget* page) {
        QTabBar* tabs = m_window->pages().tabs->tabBar();
        const int place = m_window->pages().tabs->indexOf(page);
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(place).center());
        QCOMPARE(m_window->pages().tabs->currentWidget(), page);
    }

    // By the arrows, past whatever stands between.
    void choose(QComboBox* box, int wanted) {
        QVERIFY(wanted >= 0);
        box->setFocus(Qt::TabFocusReason);
        for (int i = 0; i < box->count() && box->currentIndex() != wanted; ++i) {
            QTest::keyClick(box, box->currentIndex() < wanted ? Qt::Key_Down : Qt::Key_Up);
        }
        QCOMPARE(box->currentIndex(), wanted);
    }

    void type(QSpinBox* box, const QString& text) {
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, text);
        QTest::keyClick(box, Qt::Key_Return);
    }

    // In the place of what stands there.
    void type(QLineEdit* field, const QString& text) {
        field->setFocus();
        QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(field, Qt::Key_Delete);
        QTest::keyClicks(field, text);
        QCOMPARE(field->text(), text);
    }

    // Entries of a button's menu, the last one after its submenus, by keys. The menu keeps the
    // button's click until it is closed: chosen from a timer.
    void chooseFrom(QWidget* menuButton, QStringList path) {
        QTimer chooser;
        int keysLeft = 100;
        QObject::connect(&chooser, &QTimer::timeout, &chooser, [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (menu == nullptr) {
                return;
            }
            if (path.isEmpty() || --keysLeft < 0) {
                QTest::keyClick(menu, Qt::Key_Escape);
                return;
            }
            const QAction* active = menu->activeAction();
            if (active == nullptr || active->text() != path.front()) {
                QTest::keyClick(menu, Qt::Key_Down);
                return;
            }
            path.removeFirst();
            QTest::keyClick(menu, path.isEmpty() ? Qt::Key_Return : Qt::Key_Right);
        });
        chooser.start(20);
        QTest::mouseClick(menuButton, Qt::LeftButton);
        QVERIFY2(path.isEmpty(), qPrintable(path.join(" > ") + " is not in the menu"));
    }

    // These and no others of a list, by a click on each and the space bar.
    void tick(QListWidget* list, const QStringList& wanted) {
        for (int i = 0; i < list->count(); ++i) {
            QListWidgetItem* item = list->item(i);
            const bool isWanted = wanted.contains(item->text());
            if (isWanted != (item->checkState() == Qt::Checked)) {
                list->scrollToItem(item);
                QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                                  list->visualItemRect(item).center());
                QTest::keyClick(list, Qt::Key_Space);
            }
            QCOMPARE(item->checkState() == Qt::Checked, isWanted);
        }
    }

    // Into the dialog that asks where a table is to be written.
    void saveTableAs(const QString& path) {
        QTRY_VERIFY(m_window->findChild<QFileDialog*>("exportTableDialog") != nullptr);
        auto* dialog = m_window->findChild<QFileDialog*>("exportTableDialog");
        QVERIFY(QTest::qWaitForWindowExposed(dialog));
        auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
        name->setCompleter(nullptr);  // its list comes when the disk has answered, and takes Return
        type(name, path);
        QTest::keyClick(name, Qt::Key_Return);
        QTRY_VERIFY(m_window->findChild<QFileDialog*>("exportTableDialog") == nullptr);
        QVERIFY(QFileInfo::exists(path));
    }

    // Presses the Export button of a page and fills the dialog as a user does.
    QString exportFrom(QWidget* page, const QString& file, int format) {
        goTo(page);
        for (QToolButton* candidate : page->findChildren<QToolButton*>("exportButton")) {
            // The first chart of the page: on the Monitor page that of the errors.
            if (candidate->isVisible() &&
                (page != m_window->pages().monitor ||
                 candidate->parentWidget()->findChild<QWidget*>("errorChart") != nullptr)) {
                QTest::mouseClick(candidate, Qt::LeftButton);
                break;
            }
        }
        auto* dialog = m_window->findChild<ExportDialog*>("exportDialog");
        if (dialog == nullptr || !QTest::qWaitForWindowExposed(dialog)) {
            qWarning("the export dialog did not open");
            return {};
        }
        auto* formats = dialog->findChild<QComboBox*>("exportFormat");
        formats->setFocus();
        for (int i = 0; i < format; ++i) {
            QTest::keyClick(formats, Qt::Key_Down);
        }
        const QString path = m_folder.filePath(file);
        type(dialog->findChild<QLineEdit*>("exportPath"), path);
        QSignalSpy exported(dialog, &ExportDialog::exported);
        QSignalSpy gone(dialog, &QObject::destroyed);
        QTest::mouseClick(dialog->findChild<QPushButton*>("exportSave"), Qt::LeftButton);
        if (exported.count() != 1) {
            qWarning("%s", qPrintable(dialog->path() + ": " +
                                      dialog->findChild<QLabel*>("exportProblem")->text()));
            return {};
        }
        // The click came from outside an event loop, where a deletion waits for its own turn.
        QCoreApplication::sendPostedEvents(dialog, QEvent::DeferredDelete);
        return gone.count() == 1 ? path : QString();
    }

    // The first run in this state; invalid where the list, which follows the index, has none yet.
    QModelIndex runIn(const QString& status) {
        const QAbstractItemModel* model = find<QTreeView>("runsTable")->model();
        for (int row = 0; row < model->rowCount(); ++row) {
            const QModelIndex index = model->index(row, RunsTableModel::StatusColumn);
            if (index.data().toString() == status) {
                return index;
            }
        }
        return {};
    }

    void selectRun(const QString& status) {
        QTRY_VERIFY_WITH_TIMEOUT(runIn(status).isValid(), 60000);
        auto* table = find<QTreeView>("runsTable");
        table->clearSelection();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(runIn(status)).center());
    }

    // Those that stand, the oldest first, in plain words.
    QStringList messages() const {
        QStringList told;
        const QString text = m_window->pages().messages->text();
        for (const QString& message : text.split("<hr>", Qt::SkipEmptyParts)) {
            told << QTextDocumentFragment::fromHtml(message).toPlainText().remove(QChar(0x200b));
        }
        return told;
    }

    // A message for each of these, in their order, and no other.
    bool isTold(const QStringList& patterns) const {
        const QStringList told = messages();
        return std::equal(told.begin(), told.end(), patterns.begin(), patterns.end(),
                          [](const QString& message, const QString& pattern) {
                              return QRegularExpression(pattern).match(message).hasMatch();
                          });
    }

    // Waits for these, and closes each by its button.
    void readMessages(const QStringList& patterns) {
        QTRY_VERIFY2_WITH_TIMEOUT(isTold(patterns), qPrintable(messages().join(" | ")), 10000);
        for (qsizetype i = 0; i < patterns.size(); ++i) {
            for (QToolButton* candidate :
                 m_window->pages().messages->findChildren<QToolButton*>()) {
                if (candidate->isVisible() && candidate->accessibleName() == "Close message") {
                    QTest::mouseClick(candidate, Qt::LeftButton);
                    break;
                }
            }
        }
        QCOMPARE(messages(), QStringList());
    }

    void picture(const QString& name) {
        const QString folder = qEnvironmentVariable("COSPADI_SCREENSHOTS");
        if (!folder.isEmpty()) {
            QTest::qWait(200);
            QVERIFY(m_window->grab().save(folder + '/' + name + ".png"));
        }
    }

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;
};

}  // namespace cospadi::ui
