// Pictures of a window as steps of a StepPlayer: of its pages in every look, light and dark, large
// and small, and of its dialogs in both colours. Each is taken once what it shows stands still.
// Steps that bring about what is to be seen go before it, in the order in which they are added. GUI
// thread only.
#pragma once

#include <QImage>
#include <QString>
#include <functional>

class QWidget;

namespace cospadi::ui {
class MainWindow;
}

namespace cospadi::app {

class StepPlayer;

class Photographer {
  public:
    // All outlive the player's last step. Makes the folder where there is none.
    Photographer(ui::MainWindow& window, StepPlayer& player, const QString& folder);

    void photograph(const QString& name, int page);  // as NAME-LOOK.png
    void photographPage(const QString& name);        // under its own name
    void photographDialogs();
    bool hasFailed() const { return m_hasFailed; }  // a picture could not be written

  private:
    void takePicture(const QString& file, const std::function<void()>& arrange,
                     const std::function<QWidget*()>& shown);
    bool isStill(QWidget& widget);
    void save(const QString& name);

    ui::MainWindow& m_window;
    StepPlayer& m_player;
    QString m_folder;
    bool m_hasFailed = false;
    QImage m_seen;
    int m_still = 0;   // looks since it last changed
    int m_moving = 0;  // looks at which it changed
};

}  // namespace cospadi::app
