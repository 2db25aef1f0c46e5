// A non-modal bar for what the user should know now: what happened, where, and what to do, with at
// most one action. Stays until it is closed, replaced or acted on.
#pragma once

#include <QFrame>
#include <QString>
#include <functional>

class QLabel;
class QPushButton;

namespace cospadi::ui {

class MessageBar : public QFrame {
    Q_OBJECT

  public:
    enum class Kind { Information, Success, Problem };

    explicit MessageBar(QWidget* parent = nullptr);

    void show(Kind kind, const QString& what, const QString& where = {}, const QString& hint = {});
    // Adds a button to the message that is shown.
    void offer(const QString& label, std::function<void()> action);
    QString text() const;

  private:
    QLabel* m_text;
    QPushButton* m_action;
    std::function<void()> m_onAction;
};

}  // namespace cospadi::ui
