// What the user should know now, in messages along the lower edge of the page. They lie over it:
// whatever comes and goes, nothing moves under the pointer. A message stays until it is closed,
// acted on, withdrawn, or followed by another about the same; none takes the place of one about
// something else. The newest stands lowest; of many the newest few are seen, the others wait.
#pragma once

#include <QFrame>
#include <QList>
#include <QString>
#include <functional>

#include "ui/engine/engine_reply.h"
#include "ui/widgets/message_row.h"

class QLabel;

namespace cospadi::ui {

class MessageBar : public QFrame {
    Q_OBJECT

  public:
    using Kind = Message::Kind;

    // Lies over `parent`.
    explicit MessageBar(QWidget* parent = nullptr);

    // topic: takes the place of a message about the same. One that stands already, word for word,
    // is not told twice.
    void show(Kind kind, const QString& what, const QString& where = {}, const QString& hint = {},
              const QString& topic = {});
    void showProblem(const EngineError& error, const QString& topic = {});
    // Adds a button to the message that was shown last; pressing any of them ends the message.
    void offer(const QString& label, std::function<void()> action);
    // The message about it in other words, with the actions it has; nothing where it was closed.
    void retell(const QString& topic, const QString& what, const QString& hint = {});
    void withdraw(const QString& topic);
    bool stands(const QString& topic) const;
    QString text() const;  // of all that stand, seen or waiting; rich, the newest last

    static constexpr int kMostSeen = 3;

  protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    MessageRow* rowAbout(const QString& topic) const;
    void remove(MessageRow* row);
    void showRows();
    void place();

    QList<MessageRow*> m_rows;  // the newest last
    QLabel* m_waiting;          // how many are not seen
};

}  // namespace cospadi::ui
