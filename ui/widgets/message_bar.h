// A non-modal bar for what the user should know now: what happened, where, and what to do, with the
// actions that fit. Stays until it is closed, replaced or acted on.
#pragma once

#include <QFrame>
#include <QString>
#include <functional>

class QHBoxLayout;
class QLabel;

namespace cospadi::ui {

class MessageBar : public QFrame {
    Q_OBJECT

  public:
    enum class Kind { Information, Success, Problem };

    explicit MessageBar(QWidget* parent = nullptr);

    void show(Kind kind, const QString& what, const QString& where = {}, const QString& hint = {});
    // Adds a button to the message that is shown; pressing any of them ends the message.
    void offer(const QString& label, std::function<void()> action);
    QString text() const;

  private:
    QLabel* m_text;
    void clearActions();

    QHBoxLayout* m_actions;
};

}  // namespace cospadi::ui
