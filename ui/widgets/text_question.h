// A question that is answered by a line of text, in a dialog that goes away by itself.
#pragma once

#include <QString>
#include <functional>

class QWidget;

namespace cospadi::ui {

struct TextQuestion {
    const char* name = "";  // of the dialog as an object
    QString title;
    QString label;
    QString text;  // that stands there already
    bool mayBeEmpty = false;
};

// Returns at once. answered: with what was typed, without spaces around it; never after Cancel, nor
// once the parent is gone.
void askForText(QWidget* parent, const TextQuestion& question,
                const std::function<void(const QString&)>& answered);

}  // namespace cospadi::ui
