#include "ui/base/theme.h"

#include <QApplication>
#include <QPalette>
#include <utility>

#include "ui/base/english_plurals.h"
#include "ui/base/themed_icon.h"
#include "ui/base/workbench_style.h"

// Outside every namespace: the macro declares the initialiser of the static library's resources.
static void initialiseResources() { Q_INIT_RESOURCE(workbench); }

namespace cospadi::ui {

// Here, where it is linked into everything that shows something.
Q_COREAPP_STARTUP_FUNCTION(installEnglishPlurals)

namespace {

Theme lightTheme() {
    Theme colours;
    colours.window = QColor("#f3f5f7");
    colours.panel = QColor("#ffffff");
    colours.stripe = QColor("#f8fafb");
    colours.button = QColor("#fbfcfd");
    colours.text = QColor("#1f2a37");
    colours.muted = QColor("#5d6b7a");
    colours.faint = QColor("#7a8592");
    colours.outline = QColor("#7b8794");
    colours.line = QColor("#d9dfe5");
    colours.background = QColor("#8a949f");
    colours.accent = QColor("#2563a8");
    colours.accentText = QColor("#ffffff");
    colours.accentSoft = QColor("#e3edf8");
    colours.good = QColor("#1d7a53");
    colours.warning = QColor("#9c5c00");
    colours.error = QColor("#b3312c");
    colours.dictionary = QColor("#2f6fb3");
    colours.values = QColor("#3a9d8f");
    colours.mask = QColor("#bb7d16");
    colours.series = {QColor("#0072b2"), QColor("#d55e00"), QColor("#009e73"), QColor("#b5609a"),
                      QColor("#b27f00"), QColor("#2a8fca"), QColor("#7a5c3a"), QColor("#5a5fa8")};
    return colours;
}

Theme darkTheme() {
    Theme colours;
    colours.dark = true;
    colours.window = QColor("#1b1f24");
    colours.panel = QColor("#23282f");
    colours.stripe = QColor("#272d35");
    colours.button = QColor("#2d343d");
    colours.text = QColor("#e3e8ee");
    colours.muted = QColor("#a0acb9");
    colours.faint = QColor("#8793a0");
    colours.outline = QColor("#8793a0");
    colours.line = QColor("#3a434e");
    colours.background = QColor("#78838f");
    colours.accent = QColor("#5b9be6");
    colours.accentText = QColor("#0d1a29");
    colours.accentSoft = QColor("#2b3f57");
    colours.good = QColor("#56c08d");
    colours.warning = QColor("#e2ab57");
    colours.error = QColor("#ee7f78");
    colours.dictionary = QColor("#5b9be6");
    colours.values = QColor("#4fb8a8");
    colours.mask = QColor("#e0b04c");
    colours.series = {QColor("#56b4e9"), QColor("#f28e4c"), QColor("#3fc79a"), QColor("#d98bc0"),
                      QColor("#f0c544"), QColor("#8fb8ff"), QColor("#c9a27a"), QColor("#a5a8f0")};
    return colours;
}

QPalette paletteOf(const Theme& colours) {
    QPalette palette;
    palette.setColor(QPalette::Window, colours.window);
    palette.setColor(QPalette::WindowText, colours.text);
    palette.setColor(QPalette::Base, colours.panel);
    palette.setColor(QPalette::AlternateBase, colours.stripe);
    palette.setColor(QPalette::Text, colours.text);
    palette.setColor(QPalette::Button, colours.button);
    palette.setColor(QPalette::ButtonText, colours.text);
    palette.setColor(QPalette::PlaceholderText, colours.muted);
    palette.setColor(QPalette::Highlight, colours.accent);
    palette.setColor(QPalette::HighlightedText, colours.accentText);
    palette.setColor(QPalette::ToolTipBase, QColor("#24303d"));
    palette.setColor(QPalette::ToolTipText, QColor("#f3f5f7"));
    palette.setColor(QPalette::Link, colours.accent);
    if (colours.dark) {
        palette.setColor(QPalette::Light, colours.line);
        palette.setColor(QPalette::Midlight, colours.button);
        palette.setColor(QPalette::Mid, colours.line);
        palette.setColor(QPalette::Dark, QColor("#14171b"));
        palette.setColor(QPalette::Shadow, QColor("#0c0e10"));
    }
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, colours.faint);
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, colours.line);
    return palette;
}

// Names in braces are colours of the theme.
QString styleSheet(const Theme& colours) {
    QString sheet = QStringLiteral(R"(
QToolTip { padding: 6px 8px; border: 1px solid #24303d; background: #24303d; color: #f3f5f7; }
QMainWindow::separator { background: {line}; width: 1px; height: 1px; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: {accentSoft}; }
QFrame#card { background: {panel}; border: 1px solid {line}; border-radius: 6px; }
QLabel#heading { font-weight: 600; }
QLabel#title { font-weight: 600; }
QLabel#muted { color: {muted}; }
QScrollArea#plain, QScrollArea#plain > QWidget > QWidget#plainBody { background: transparent;
               border: 0; }
QTabWidget::pane { border: 0; border-top: 1px solid {line}; top: -1px; }
QTabBar::tab { padding: 7px 16px; border: 0; border-bottom: 2px solid transparent; color: {muted};
               background: transparent; }
QTabWidget#compact QTabBar::tab { padding: 6px 6px; }
QTabBar::tab:hover { color: {text}; }
QTabBar::tab:selected { color: {accent}; border-bottom: 2px solid {accent}; font-weight: 600; }
QTabBar::tab:focus { color: {accent}; }
QPushButton#primary { background: {accent}; color: {accentText}; border: 1px solid {accent};
                      border-radius: 4px; padding: 6px 18px; font-weight: 600; }
QPushButton#primary:hover { border-color: {text}; }
QPushButton#primary:focus { border: 2px solid {text}; padding: 5px 17px; }
QPushButton#primary:disabled { background: {button}; border-color: {line}; color: {faint}; }
QPushButton#plain { padding: 6px 12px; }
QPushButton#kind { padding: 3px 8px; border: 1px solid {line}; border-radius: 9px;
                   background: {panel}; }
QPushButton#kind:hover { border-color: {accent}; }
QPushButton#kind:checked { background: {accentSoft}; border-color: {accent}; font-weight: 600; }
QPushButton#kind:focus { border-color: {text}; }
QHeaderView::section { background: {window}; border: 0; border-bottom: 1px solid {line};
                       padding: 5px 6px; color: {muted}; }
QTreeView::item { padding: 2px 4px 2px 0; }
QTreeView, QTableView, QPlainTextEdit { border: 1px solid {line}; border-radius: 4px; }
QFrame#card QTreeView, QFrame#card QTableView, QFrame#card QPlainTextEdit { border: 0;
                       border-radius: 0; }
QProgressBar { border: 0; border-radius: 4px; background: {line}; height: 8px; max-height: 8px; }
QProgressBar::chunk { border-radius: 4px; background: {accent}; }
QStatusBar { border-top: 1px solid {line}; }
QStatusBar QLabel { color: {muted}; padding: 2px 10px; }
QStatusBar::item { border: 0; }
)");
    const std::pair<const char*, QColor> names[] = {{"{window}", colours.window},
                                                    {"{panel}", colours.panel},
                                                    {"{button}", colours.button},
                                                    {"{text}", colours.text},
                                                    {"{muted}", colours.muted},
                                                    {"{faint}", colours.faint},
                                                    {"{line}", colours.line},
                                                    {"{accent}", colours.accent},
                                                    {"{accentText}", colours.accentText},
                                                    {"{accentSoft}", colours.accentSoft}};
    for (const auto& [name, colour] : names) {
        sheet.replace(QLatin1String(name), colour.name());
    }
    return sheet;
}

Theme& current() {
    static Theme colours = lightTheme();
    return colours;
}

}  // namespace

const Theme& theme() { return current(); }

void applyTheme(QApplication& application, bool dark) {
    initialiseResources();
    current() = dark ? darkTheme() : lightTheme();
    static bool isStyled = false;
    if (!std::exchange(isStyled, true)) {
        QApplication::setStyle(new WorkbenchStyle);
    }
    QApplication::setPalette(paletteOf(theme()));
    application.setStyleSheet(styleSheet(theme()));
    QApplication::setWindowIcon(icon(QStringLiteral("cospadi-workbench")));
}

QIcon icon(const QString& name) { return QIcon(new ThemedIcon(name)); }

}  // namespace cospadi::ui
