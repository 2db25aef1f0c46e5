// The button that opens another model: from a file or a folder, the default one, or one of those
// that were open lately. While one is read it says so.
#pragma once

#include <QPushButton>

namespace cospadi::ui {

class OpenModelButton : public QPushButton {
    Q_OBJECT

  public:
    explicit OpenModelButton(QWidget* parent = nullptr);

    void showReading(const QString& word);  // of that model
    void showReady();

  signals:
    void openFileRequested();
    void openFolderRequested();
    void openRequested(const QString& word);  // a path, or "default"

  private:
    void fillMenu();
};

}  // namespace cospadi::ui
