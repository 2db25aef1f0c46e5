// Alt and a letter for everything on a page: buttons, check boxes, and fields by their label. What
// has a letter of its own ("&Data") keeps it where it is free; the others get one that nothing else
// on the page has, the first of a word where that can be. Call it again after the page has changed
// its words.
#pragma once

#include <QString>

class QWidget;

namespace cospadi::ui {

// taken: letters in use around the page (the menus'), lower case.
void giveMnemonics(QWidget& page, const QString& taken);

// A name as a menu shows it, where an ampersand would underline what follows.
QString asMenuTitle(QString name);

// The letter behind the &, lower case; null where there is none ("&&" is an ampersand).
QChar mnemonicOf(const QString& text);

}  // namespace cospadi::ui
