// The menus of the window and the small things they open.
#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QTabWidget>
#include <QUndoStack>

#include "cospadi_version.h"
#include "ui/base/theme.h"
#include "ui/main_window.h"
#include "ui/pages/plan_panel.h"
#include "ui/widgets/command_palette.h"

namespace cospadi::ui {

void MainWindow::buildMenus() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(tr("&Open model file…"), QKeySequence::Open, this, &MainWindow::openFile);
    file->addAction(tr("Open Hugging Face &folder…"), this, &MainWindow::openFolder);
    file->addAction(tr("Open the &default model"), this,
                    [this] { loadModel(QStringLiteral("default")); });
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    QAction* undo = m_planPanel->undoStack()->createUndoAction(this, tr("&Undo"));
    QAction* redo = m_planPanel->undoStack()->createRedoAction(this, tr("&Redo"));
    undo->setShortcuts(QKeySequence::Undo);
    redo->setShortcuts(QKeySequence::Redo);
    edit->addAction(undo);
    edit->addAction(redo);
    QMenu* run = menuBar()->addMenu(tr("&Run"));
    run->addAction(tr("&Run the plan"), this, &MainWindow::startRun);
    run->addAction(tr("&Pause or resume"), QKeySequence(Qt::CTRL | Qt::Key_P), m_run,
                   &RunController::togglePause);
    run->addAction(tr("&Cancel the run"), m_run, &RunController::cancel);
    run->addAction(tr("Forget &waiting runs"), m_queue, &RunQueue::clear);
    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (int i = 0; i < m_pages->count(); ++i) {
        view->addAction(m_pages->tabText(i), QKeySequence(Qt::CTRL | (Qt::Key_1 + i)), this,
                        [this, i] { m_pages->setCurrentIndex(i); });
    }
    view->addSeparator();
    view->addAction(tr("&Light or dark"), QKeySequence(Qt::CTRL | Qt::Key_D), this,
                    [this] { setDark(!theme().dark); });
    view->addAction(tr("Find a &command…"), QKeySequence(Qt::CTRL | Qt::Key_K), this,
                    &MainWindow::openPalette);
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&About CoSpaDi Workbench"), this, &MainWindow::showAbout);
}

void MainWindow::openFile() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a model"), {},
                                                      tr("GGUF models (*.gguf);;All files (*)"));
    if (!path.isEmpty()) {
        loadModel(path);
    }
}

void MainWindow::openFolder() {
    const QString path = QFileDialog::getExistingDirectory(this, tr("Open a Hugging Face folder"));
    if (!path.isEmpty()) {
        loadModel(path);
    }
}

void MainWindow::showAbout() {
    auto* box = new QMessageBox(this);
    box->setObjectName(QStringLiteral("about"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowModality(Qt::NonModal);
    box->setIconPixmap(icon(QStringLiteral("cospadi-workbench")).pixmap(64, 64));
    box->setWindowTitle(tr("About CoSpaDi Workbench"));
    box->setText(tr("<b>CoSpaDi Workbench %1</b> (%2)").arg(COSPADI_VERSION, COSPADI_REVISION));
    box->setInformativeText(
        tr("Compresses language models by sparse dictionary learning, W ≈ D S, and "
           "measures what it costs.\n\nQt %1. The workbench is GPL-3 (it links Qt "
           "Charts); the engine is Apache-2.0.\n%3\nEngine program: %2\nSettings: %4")
            .arg(QString::fromLatin1(qVersion()), m_engine->program(), m_engineState->text(),
                 QSettings().fileName()));
    box->show();
}

void MainWindow::openPalette() {
    QList<QAction*> actions;
    for (QAction* menu : menuBar()->actions()) {
        for (QAction* action : menu->menu()->actions()) {
            if (!action->isSeparator()) {
                actions.append(action);
            }
        }
    }
    auto* palette = new CommandPalette(actions, this);
    palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, height() / 6)));
    palette->show();
}

void MainWindow::setDark(bool dark) {
    applyTheme(*qApp, dark);
    QSettings().setValue(QStringLiteral("window/dark"), dark);
}

// Text fields would take Ctrl+K for themselves (it cuts to the end of the line there).
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_K && key->modifiers() == Qt::ControlModifier) {
            event->ignore();
            return true;
        }
    }
    return QMainWindow::eventFilter(watched, event);
}

}  // namespace cospadi::ui
