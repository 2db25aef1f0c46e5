// One message of the MessageBar: what happened, where, and what to do, with the actions that fit
// and a button that closes it.
#pragma once

#include <QFrame>
#include <QString>
#include <functional>

class QHBoxLayout;
class QLabel;

namespace cospadi::ui {

struct Message {
    enum class Kind { Information, Success, Problem };

    Kind kind = Kind::Information;
    QString what;
    QString where;
    QString hint;
    QString topic;  // what it is about; empty: nothing that another message is about
};

class MessageRow : public QFrame {
    Q_OBJECT

  public:
    explicit MessageRow(const Message& message, QWidget* parent = nullptr);

    const QString& topic() const { return m_message.topic; }
    QString text() const;  // rich
    // Other words, the same actions.
    void retell(const QString& what, const QString& hint);
    // Pressing the button ends the message, then acts.
    void offer(const QString& label, std::function<void()> action);

  signals:
    void ended();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void showWords();
    void showColours();

    Message m_message;
    QLabel* m_text;
    QHBoxLayout* m_actions;
};

}  // namespace cospadi::ui
