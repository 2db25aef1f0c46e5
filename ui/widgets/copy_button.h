// Copies a text to the clipboard, and says for a moment that it has.
#pragma once

#include <QString>
#include <QToolButton>
#include <functional>

namespace cospadi::ui {

class CopyButton : public QToolButton {
    Q_OBJECT

  public:
    // what: the button's name and tip, e.g. "Copy the command line".
    CopyButton(const QString& what, std::function<QString()> text, QWidget* parent = nullptr);
};

}  // namespace cospadi::ui
