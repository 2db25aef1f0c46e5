// Keeps a window on its screen as a whole, frame and all: once as it is made, with the frame that
// it will probably have, and once more when it is first in front, as only then is the frame there
// that the window manager has put around it. A window that fills the screen stays as it is. GUI
// thread only.
#pragma once

#include <QObject>
#include <QSize>

class QWidget;

namespace cospadi::ui {

class WindowFit : public QObject {
    Q_OBJECT

  public:
    explicit WindowFit(QWidget* window);  // to which it belongs

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fit(const QSize& frame);

    QWidget* m_window;
    bool m_hasFrame = false;  // it was fitted with the one that it got
};

}  // namespace cospadi::ui
