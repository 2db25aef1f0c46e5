#include "ui/base/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyleFactory>

// Outside every namespace: the macro declares the initialiser of the static library's resources.
static void initialiseResources() { Q_INIT_RESOURCE(workbench); }

namespace cospadi::ui {

namespace {

Theme lightTheme() {
    Theme colours;
    colours.window = QColor("#f3f5f7");
    colours.panel = QColor("#ffffff");
    colours.text = QColor("#1f2a37");
    colours.muted = QColor("#5d6b7a");
    colours.line = QColor("#d9dfe5");
    colours.background = QColor("#c6ced6");
    colours.accent = QColor("#2563a8");
    colours.good = QColor("#1d7a53");
    colours.warning = QColor("#a86403");
    colours.error = QColor("#b3312c");
    colours.dictionary = QColor("#2f6fb3");
    colours.values = QColor("#3a9d8f");
    colours.mask = QColor("#e0a030");
    colours.series = {QColor("#0072b2"), QColor("#d55e00"), QColor("#009e73"), QColor("#b5609a"),
                      QColor("#d99a00"), QColor("#3d9fd6"), QColor("#7a5c3a"), QColor("#5a5fa8")};
    return colours;
}

QPalette paletteOf(const Theme& colours) {
    QPalette palette;
    palette.setColor(QPalette::Window, colours.window);
    palette.setColor(QPalette::WindowText, colours.text);
    palette.setColor(QPalette::Base, colours.panel);
    palette.setColor(QPalette::AlternateBase, QColor("#f8fafb"));
    palette.setColor(QPalette::Text, colours.text);
    palette.setColor(QPalette::Button, QColor("#fbfcfd"));
    palette.setColor(QPalette::ButtonText, colours.text);
    palette.setColor(QPalette::PlaceholderText, QColor("#8a97a5"));
    palette.setColor(QPalette::Highlight, colours.accent);
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::ToolTipBase, QColor("#24303d"));
    palette.setColor(QPalette::ToolTipText, QColor("#f3f5f7"));
    palette.setColor(QPalette::Link, colours.accent);
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, QColor("#a3adb8"));
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor("#c3ccd5"));
    return palette;
}

QString styleSheet() {
    return QStringLiteral(R"(
QToolTip { padding: 6px 8px; border: 1px solid #24303d; background: #24303d; color: #f3f5f7; }
QMainWindow::separator { background: #d9dfe5; width: 1px; height: 1px; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: #c3d3e4; }
QFrame#card { background: #ffffff; border: 1px solid #d9dfe5; border-radius: 6px; }
QLabel#heading { font-weight: 600; }
QLabel#title { font-weight: 600; font-size: 12pt; }
QLabel#muted { color: #5d6b7a; }
QTabWidget::pane { border: 0; border-top: 1px solid #d9dfe5; top: -1px; }
QTabBar::tab { padding: 8px 20px; border: 0; border-bottom: 2px solid transparent; color: #5d6b7a;
               background: transparent; }
QTabBar::tab:hover { color: #1f2a37; }
QTabBar::tab:selected { color: #2563a8; border-bottom: 2px solid #2563a8; font-weight: 600; }
QPushButton#primary { background: #2563a8; color: white; border: 1px solid #1f5592;
                      border-radius: 4px; padding: 6px 18px; font-weight: 600; }
QPushButton#primary:hover { background: #2d70bb; }
QPushButton#primary:pressed { background: #1d4f87; }
QPushButton#primary:focus { border: 2px solid #0d2f57; padding: 5px 17px; }
QPushButton#primary:disabled { background: #c9d2db; border-color: #c9d2db; color: #f6f8fa; }
QPushButton#plain { padding: 6px 12px; }
QPushButton#kind { padding: 3px 8px; border: 1px solid #cdd5dd; border-radius: 9px;
                   background: #ffffff; }
QPushButton#kind:hover { border-color: #2563a8; }
QPushButton#kind:checked { background: #e3edf8; border-color: #2563a8; color: #1d4f87;
                           font-weight: 600; }
QPushButton#kind:focus { border-color: #1d4f87; }
QHeaderView::section { background: #f3f5f7; border: 0; border-bottom: 1px solid #d9dfe5;
                       padding: 5px 6px; color: #5d6b7a; }
QTreeView::item { padding: 2px 0; }
QTreeView, QTableView, QPlainTextEdit { border: 1px solid #d9dfe5; border-radius: 4px; }
QFrame#card QTreeView, QFrame#card QTableView, QFrame#card QPlainTextEdit { border: 0;
                       border-radius: 0; }
QProgressBar { border: 0; border-radius: 4px; background: #e2e7ec; height: 8px; max-height: 8px; }
QProgressBar::chunk { border-radius: 4px; background: #2563a8; }
QStatusBar { border-top: 1px solid #d9dfe5; }
QStatusBar QLabel { color: #5d6b7a; padding: 2px 10px; }
QStatusBar::item { border: 0; }
)");
}

}  // namespace

const Theme& theme() {
    static const Theme light = lightTheme();
    return light;
}

void applyTheme(QApplication& application) {
    initialiseResources();
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QApplication::setPalette(paletteOf(theme()));
    application.setStyleSheet(styleSheet());
    QApplication::setWindowIcon(icon(QStringLiteral("cospadi-workbench")));
}

QIcon icon(const QString& name) {
    return QIcon(QStringLiteral(":/workbench/icons/%1.svg").arg(name));
}

}  // namespace cospadi::ui
