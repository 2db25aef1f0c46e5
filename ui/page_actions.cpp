#include "ui/page_actions.h"

#include <QAbstractButton>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QSet>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>

#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

QString wordsOf(const QAbstractButton& button) {
    const QString text = QString(button.text()).remove(QLatin1Char('&'));
    const bool says = std::any_of(text.begin(), text.end(), [](QChar c) { return c.isLetter(); });
    return says ? text : button.accessibleName();
}

// The heading of the card that it stands in.
QString cardOf(const QWidget& widget) {
    for (const QWidget* at = widget.parentWidget(); at != nullptr; at = at->parentWidget()) {
        if (at->objectName() == QLatin1String("card")) {
            const auto* heading = at->findChild<QLabel*>(QStringLiteral("heading"));
            return heading != nullptr ? heading->text() : QString();
        }
    }
    return {};
}

// Hidden by itself or with what it stands in, but for pages of tabs and stacks that are not in
// front.
bool isPutAway(const QWidget& button, const QWidget& page) {
    for (const QWidget* at = &button; at != &page; at = at->parentWidget()) {
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

}  // namespace

QList<QAction*> actionsIn(const QMenu& menu) {
    QList<QAction*> all;
    for (QAction* action : menu.actions()) {
        if (action->menu() != nullptr) {
            all += actionsIn(*action->menu());
        } else if (!action->isSeparator() && !action->text().isEmpty()) {
            all.append(action);
        }
    }
    return all;
}

QList<QAction*> pageActions(QTabWidget& pages, QObject* owner) {
    QList<QAction*> all;
    for (int i = 0; i < pages.count(); ++i) {
        QWidget* page = pages.widget(i);
        const QString place = QString(pages.tabText(i)).remove(QLatin1Char('&'));
        QSet<QString> seen;
        const auto add = [&](const QString& words, bool enabled, auto&& act) {
            if (words.isEmpty() || seen.contains(words)) {
                return;
            }
            seen.insert(words);
            auto* action = new QAction(Words::tr("%1: %2").arg(place, words), owner);
            action->setEnabled(enabled);
            QObject::connect(action, &QAction::triggered, &pages, [&pages, page, act] {
                pages.setCurrentWidget(page);
                act();
            });
            all.append(action);
        };
        for (QAbstractButton* button : page->findChildren<QAbstractButton*>()) {
            if (isPutAway(*button, *page)) {
                continue;
            }
            const QPointer<QAbstractButton> pressed(button);
            QString words = wordsOf(*button);
            if (seen.contains(words)) {  // Export of several charts
                words = Words::tr("%1 (%2)").arg(words, cardOf(*button));
            }
            QMenu* menu = menuOf(*button);
            if (menu == nullptr) {
                add(words, button->isEnabled(), [pressed] {
                    if (pressed) {
                        bringToFront(*pressed);
                        pressed->click();
                    }
                });
                continue;
            }
            emit menu->aboutToShow();  // it may be filled only then
            for (QAction* entry : actionsIn(*menu)) {
                const QPointer<QAction> chosen(entry);
                add(Words::tr("%1 › %2").arg(words,
                                             QString(entry->text()).remove(QLatin1Char('&'))),
                    button->isEnabled() && entry->isEnabled(), [chosen] {
                        if (chosen) {
                            chosen->trigger();
                        }
                    });
            }
        }
    }
    return all;
}

}  // namespace cospadi::ui
