// A white panel with a heading line: the frame of every chart and list in the window.
#pragma once

#include <QFrame>
#include <QString>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace cospadi::ui {

class Card : public QFrame {
    Q_OBJECT

  public:
    explicit Card(const QString& heading, QWidget* parent = nullptr);

    // Small words beside the heading, e.g. the facts of what is shown.
    void setNote(const QString& note);
    QHBoxLayout* headerRow() const { return m_header; }  // for buttons at its right end
    QVBoxLayout* body() const { return m_body; }

  private:
    QLabel* m_note;
    QHBoxLayout* m_header;
    QVBoxLayout* m_body;
};

}  // namespace cospadi::ui
