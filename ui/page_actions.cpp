#include "ui/page_actions.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QStackedWidget>
#include <QStringList>
#include <QTabBar>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <algorithm>
#include <functional>
#include <utility>

#include "ui/base/translated.h"
#include "ui/widgets/message_row.h"

namespace cospadi::ui {

namespace {

constexpr qsizetype kLongestContext = 60;  // characters of a message

// What can be pressed or chosen. Names: what it says, and then what else tells it from others.
struct Offer {
    QStringList names;
    bool isEnabled = false;
    QPointer<QObject> target;
    std::function<void()> act;
};

QString withoutLetters(QString text) {
    text.replace(QLatin1String("&&"), QString(QChar::Null));
    text.remove(QLatin1Char('&'));
    return text.replace(QChar::Null, QLatin1Char('&'));
}

// The heading of the card that it stands in, or the message.
QString contextOf(const QWidget& widget) {
    for (const QWidget* at = widget.parentWidget(); at != nullptr; at = at->parentWidget()) {
        if (const auto* message = qobject_cast<const MessageRow*>(at)) {
            const QString text =
                QTextDocumentFragment::fromHtml(message->text()).toPlainText().simplified();
            return text.size() > kLongestContext
                       ? text.left(kLongestContext).trimmed() + QStringLiteral(" …")
                       : text;
        }
        if (at->objectName() == QLatin1String("card")) {
            const auto* heading = at->findChild<QLabel*>(QStringLiteral("heading"));
            return heading != nullptr ? heading->text() : QString();
        }
    }
    return {};
}

QStringList namesOf(const QAbstractButton& button) {
    QStringList names;
    const QString text = withoutLetters(button.text());
    if (std::any_of(text.begin(), text.end(), [](QChar c) { return c.isLetter(); })) {
        names << text;
    }
    const auto* tool = qobject_cast<const QToolButton*>(&button);
    const bool isPicture = tool != nullptr && !tool->icon().isNull() &&
                           tool->toolButtonStyle() == Qt::ToolButtonIconOnly;
    const QString told = button.accessibleName();
    if (!told.isEmpty() && !names.contains(told)) {
        names.insert(isPicture ? 0 : names.size(), told);
    }
    const QString context = contextOf(button);
    const QStringList without = names;
    for (const QString& name : without) {
        if (!context.isEmpty()) {
            names << Words::tr("%1 (%2)").arg(name, context);
        }
    }
    return names;
}

// Of each its first name that no other one has; where all are shared, numbered.
QStringList toldApart(const QList<Offer>& offers) {
    QList<qsizetype> at(offers.size(), 0);
    QHash<QString, int> sharing;
    for (bool isSettled = false; !isSettled;) {
        isSettled = true;
        sharing.clear();
        for (qsizetype i = 0; i < offers.size(); ++i) {
            ++sharing[offers[i].names[at[i]]];
        }
        for (qsizetype i = 0; i < offers.size(); ++i) {
            if (sharing[offers[i].names[at[i]]] > 1 && at[i] + 1 < offers[i].names.size()) {
                ++at[i];
                isSettled = false;
            }
        }
    }
    QStringList chosen;
    QHash<QString, int> seen;
    for (qsizetype i = 0; i < offers.size(); ++i) {
        const QString& name = offers[i].names[at[i]];
        const int number = ++seen[name];
        chosen << (number > 1 ? Words::tr("%1 (%2)").arg(name, QString::number(number)) : name);
    }
    return chosen;
}

// Hidden by itself or with what it stands in, but for pages of tabs and stacks that are not in
// front.
bool isPutAway(const QWidget& button, const QWidget& root) {
    for (const QWidget* at = &button; at != &root; at = at->parentWidget()) {
        if (at->isHidden() && qobject_cast<const QStackedWidget*>(at->parentWidget()) == nullptr) {
            return true;
        }
    }
    return false;
}

void bringToFront(QWidget& button) {
    for (QWidget* at = &button; at->parentWidget() != nullptr; at = at->parentWidget()) {
        auto* tabs = at->parentWidget()->parentWidget() == nullptr
                         ? nullptr
                         : qobject_cast<QTabWidget*>(at->parentWidget()->parentWidget());
        if (tabs != nullptr && tabs->indexOf(at) >= 0) {
            tabs->setCurrentWidget(at);
        }
    }
}

QMenu* menuOf(const QAbstractButton& button) {
    if (const auto* push = qobject_cast<const QPushButton*>(&button)) {
        return push->menu();
    }
    const auto* tool = qobject_cast<const QToolButton*>(&button);
    return tool != nullptr ? tool->menu() : nullptr;
}

// The arrows of tabs, the cross in a field, the corner of a table: none of the window's own.
bool isPartOf(const QAbstractButton& button) {
    const QWidget* around = button.parentWidget();
    return qobject_cast<const QTabBar*>(around) != nullptr ||
           qobject_cast<const QLineEdit*>(around) != nullptr ||
           qobject_cast<const QAbstractItemView*>(around) != nullptr;
}

void addEntries(QAbstractButton& button, QMenu& menu, QList<Offer>& all) {
    emit menu.aboutToShow();  // it may be filled only then
    const QPointer<QWidget> stands(&button);
    for (const MenuEntry& entry : entriesIn(menu)) {
        const QPointer<QAction> chosen(entry.action);
        QStringList names;
        for (const QString& name : namesOf(button)) {
            names << Words::tr("%1 › %2").arg(name, entry.words);
        }
        all.append({names, button.isEnabled() && entry.isEnabled, entry.action, [stands, chosen] {
                        if (stands) {
                            bringToFront(*stands);
                        }
                        if (chosen) {
                            chosen->trigger();
                        }
                    }});
    }
}

QList<Offer> offersIn(QWidget& root) {
    QList<Offer> all;
    for (QAbstractButton* button : root.findChildren<QAbstractButton*>()) {
        if (isPutAway(*button, root) || isPartOf(*button) || namesOf(*button).isEmpty()) {
            continue;
        }
        if (QMenu* menu = menuOf(*button)) {
            addEntries(*button, *menu, all);
            continue;
        }
        const QPointer<QAbstractButton> pressed(button);
        all.append({namesOf(*button), button->isEnabled(), button, [pressed] {
                        if (pressed) {
                            bringToFront(*pressed);
                            pressed->click();
                        }
                    }});
    }
    return all;
}

// before: comes first where one of them is chosen.
void addActions(const ActionPlace& place, QObject* owner, const std::function<void()>& before,
                QList<QAction*>& all) {
    const QList<Offer> offers = offersIn(*place.widget);
    const QStringList names = toldApart(offers);
    for (qsizetype i = 0; i < offers.size(); ++i) {
        auto* action = new QAction(Words::tr("%1: %2").arg(place.name, names[i]), owner);
        action->setEnabled(offers[i].isEnabled);
        action->setData(QVariant::fromValue(offers[i].target.data()));
        QObject::connect(action, &QAction::triggered, place.widget, [before, act = offers[i].act] {
            before();
            act();
        });
        all.append(action);
    }
}

}  // namespace

QList<MenuEntry> entriesIn(const QMenu& menu) {
    QList<MenuEntry> all;
    for (QAction* action : menu.actions()) {
        const QString words = withoutLetters(action->text());
        if (QMenu* inside = action->menu()) {
            emit inside->aboutToShow();
            for (MenuEntry entry : entriesIn(*inside)) {
                entry.words = Words::tr("%1 › %2").arg(words, entry.words);
                entry.isEnabled = entry.isEnabled && action->isEnabled();
                all.append(entry);
            }
        } else if (!action->isSeparator() && !words.isEmpty()) {
            all.append({action, words, action->isEnabled()});
        }
    }
    return all;
}

QList<QAction*> actionsIn(const QMenu& menu) {
    QList<QAction*> all;
    for (const MenuEntry& entry : entriesIn(menu)) {
        all.append(entry.action);
    }
    return all;
}

QList<QAction*> pageActions(QTabWidget& pages, const QList<ActionPlace>& beside, QObject* owner) {
    QList<QAction*> all;
    for (int i = 0; i < pages.count(); ++i) {
        QWidget* page = pages.widget(i);
        addActions(
            {withoutLetters(pages.tabText(i)), page}, owner,
            [&pages, page] { pages.setCurrentWidget(page); }, all);
    }
    for (const ActionPlace& place : beside) {
        addActions(
            place, owner, [] {}, all);
    }
    return all;
}

}  // namespace cospadi::ui
