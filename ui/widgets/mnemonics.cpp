#include "ui/widgets/mnemonics.h"

#include <QAbstractButton>
#include <QLabel>
#include <QList>
#include <QSet>
#include <QWidget>
#include <functional>

namespace cospadi::ui {

namespace {

struct Named {
    QString text;
    std::function<void(const QString&)> setText;
};

const char* const kGiven = "givenMnemonic";  // the text that giveMnemonics() has set

bool isCandidate(const QWidget& widget, const QWidget& page) {
    return widget.isVisibleTo(&page) && widget.objectName() != QLatin1String("kind");
}

QList<Named> namedIn(QWidget& page) {
    QList<Named> all;
    for (QWidget* widget : page.findChildren<QWidget*>()) {
        if (!isCandidate(*widget, page)) {
            continue;
        }
        const auto take = [&](auto* named) {
            const QString text = named->text();
            // A letter of an earlier call is given anew.
            const bool isGiven = named->property(kGiven).toString() == text;
            all.append({isGiven ? QString(text).remove(QLatin1Char('&')) : text,
                        [named](const QString& words) {
                            named->setProperty(kGiven, words);
                            if (named->text() != words) {
                                named->setText(words);
                            }
                        }});
        };
        if (auto* button = qobject_cast<QAbstractButton*>(widget)) {
            if (!button->text().isEmpty()) {
                take(button);
            }
        } else if (auto* label = qobject_cast<QLabel*>(widget)) {
            if (label->buddy() != nullptr && !label->text().isEmpty()) {
                take(label);
            }
        }
    }
    return all;
}

// Letters and digits of a keyboard: not ρ.
bool isKey(QChar letter) {
    return (letter >= QLatin1Char('a') && letter <= QLatin1Char('z')) ||
           (letter >= QLatin1Char('0') && letter <= QLatin1Char('9'));
}

qsizetype placeFor(const QString& text, const QSet<QChar>& taken) {
    qsizetype inside = -1;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar letter = text[i].toLower();
        if (!isKey(letter) || taken.contains(letter)) {
            continue;
        }
        if (i == 0 || !text[i - 1].isLetterOrNumber()) {
            return i;
        }
        inside = inside < 0 ? i : inside;
    }
    return inside;
}

}  // namespace

QString asMenuTitle(QString name) { return name.replace('&', QStringLiteral("&&")); }

QChar mnemonicOf(const QString& text) {
    for (qsizetype i = 0; i + 1 < text.size(); ++i) {
        if (text[i] == QLatin1Char('&')) {
            if (text[i + 1] != QLatin1Char('&')) {
                return text[i + 1].toLower();
            }
            ++i;
        }
    }
    return {};
}

void giveMnemonics(QWidget& page, const QString& takenAround) {
    QList<Named> all = namedIn(page);
    QSet<QChar> taken(takenAround.begin(), takenAround.end());
    for (Named& named : all) {
        const QChar own = mnemonicOf(named.text);
        if (!own.isNull() && taken.contains(own)) {
            named.text.remove(QLatin1Char('&'));  // it gets another one
        } else if (!own.isNull()) {
            taken.insert(own);
        }
    }
    for (const Named& named : all) {
        if (named.text.contains(QLatin1Char('&'))) {
            continue;
        }
        const qsizetype place = placeFor(named.text, taken);
        if (place >= 0) {
            taken.insert(named.text[place].toLower());
            QString words = named.text;
            named.setText(words.insert(place, QLatin1Char('&')));
        } else {
            named.setText(named.text);
        }
    }
}

}  // namespace cospadi::ui
