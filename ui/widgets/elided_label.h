// A line of plain words that gives way where there is little room: cut with an ellipsis, and whole
// in the tip and to screen readers. GUI thread only.
#pragma once

#include <QLabel>

namespace cospadi::ui {

class ElidedLabel : public QLabel {
    Q_OBJECT

  public:
    explicit ElidedLabel(const QString& words = {}, QWidget* parent = nullptr);

    // As text(), in the colour of errors until other words are set by this or by showWords().
    void showProblem(const QString& problem);
    void showWords(const QString& words);

    bool isCut() const;  // there is not the room for all of it

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    bool m_isProblem = false;
};

}  // namespace cospadi::ui
