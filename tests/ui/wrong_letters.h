// Alt and a letter: every menu, button and field of a page has a letter of its own while there are
// free ones.
#pragma once

#include <QAbstractButton>
#include <QAction>
#include <QLabel>
#include <QMenuBar>
#include <QSet>
#include <QStringList>
#include <QTabWidget>
#include <algorithm>

#include "ui/main_window.h"
#include "ui/widgets/mnemonics.h"

namespace cospadi::ui {

// What is wrong with the letters of the page in front, in words: two things with one letter, a page
// without any, something without one while a letter of its words is free. Empty: nothing.
inline QString wrongLetters(const MainWindow& window) {
    QSet<QChar> seen;
    for (const QAction* menu : window.menuBar()->actions()) {
        seen.insert(mnemonicOf(menu->text()));
    }
    const auto menus = seen.size();
    QStringList texts;
    const QWidget* page = window.pages().tabs->currentWidget();
    for (const QAbstractButton* button : page->findChildren<QAbstractButton*>()) {
        if (button->isVisible() && button->objectName() != "kind") {
            texts << button->text();
        }
    }
    for (const QLabel* label : page->findChildren<QLabel*>()) {
        if (label->isVisible() && label->buddy() != nullptr) {
            texts << label->text();
        }
    }
    texts.removeAll(QString());
    QStringList wrong;
    QStringList without;
    for (const QString& text : texts) {
        const QChar letter = mnemonicOf(text);
        if (letter.isNull()) {
            without << text.toLower();
        } else if (seen.contains(letter)) {
            wrong << text + " clashes";
        }
        seen.insert(letter);
    }
    if (seen.size() <= menus + 1) {
        wrong << "no letters";
    }
    for (const QString& text : without) {
        const bool isFree = std::any_of(text.begin(), text.end(), [&](QChar letter) {
            const bool isKey = (letter >= 'a' && letter <= 'z') || letter.isDigit();
            return isKey && !seen.contains(letter);
        });
        if (isFree) {
            wrong << text + " has no letter";
        }
    }
    return wrong.join(", ");
}

}  // namespace cospadi::ui
