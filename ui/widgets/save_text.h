// "Save as …" for a text: a file dialog that is not modal and asks before it overwrites, and a file
// that appears under its name only when it is complete.
#pragma once

#include <QString>
#include <functional>

class QWidget;

namespace cospadi::ui {

struct TextToSave {
    QString title;   // of the dialog
    QString name;    // suggested, with its ending
    QString suffix;  // tex, csv, md
    // Asked once the user has chosen; may throw cospadi::Error.
    std::function<QString()> text;
};

// saved(path) or failed(problem) is called when the user has chosen; neither where they cancel.
void saveTextAs(QWidget* parent, const TextToSave& what,
                const std::function<void(const QString& path)>& saved,
                const std::function<void(const QString& problem)>& failed);

}  // namespace cospadi::ui
