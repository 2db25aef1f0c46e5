#include "ui/widgets/mnemonics.h"

#include <QAbstractButton>
#include <QHash>
#include <QLabel>
#include <QList>
#include <QSet>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <utility>

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

// A letter for every text without one: the best that is free, in their order; then, for those that
// found none, by moving others to another of theirs, so that as many as can have one.
class Letters {
  public:
    Letters(QStringList texts, QSet<QChar> taken)
        : m_texts(std::move(texts)), m_fixed(std::move(taken)), m_places(m_texts.size(), -1) {
        QSet<QChar> used = m_fixed;
        for (qsizetype i = 0; i < m_texts.size(); ++i) {
            const qsizetype place = isGiven(i) ? -1 : placeFor(m_texts[i], used);
            if (place >= 0) {
                give(i, place);
                used.insert(m_texts[i][place].toLower());
            }
        }
        for (qsizetype i = 0; i < m_texts.size(); ++i) {
            if (!isGiven(i) && m_places[i] < 0) {
                QSet<QChar> tried;
                makeRoomFor(i, tried);
            }
        }
    }

    // Where the & goes; -1: nowhere.
    const QList<qsizetype>& places() const { return m_places; }

  private:
    bool isGiven(qsizetype i) const { return m_texts[i].contains(QLatin1Char('&')); }

    void give(qsizetype i, qsizetype place) {
        m_places[i] = place;
        m_owner[m_texts[i][place].toLower()] = i;
    }

    bool makeRoomFor(qsizetype i, QSet<QChar>& tried) {
        for (qsizetype place = 0; place < m_texts[i].size(); ++place) {
            const QChar letter = m_texts[i][place].toLower();
            if (!isKey(letter) || m_fixed.contains(letter) || tried.contains(letter)) {
                continue;
            }
            tried.insert(letter);
            const auto owner = m_owner.constFind(letter);
            if (owner == m_owner.constEnd() || makeRoomFor(*owner, tried)) {
                give(i, place);
                return true;
            }
        }
        return false;
    }

    QStringList m_texts;
    QSet<QChar> m_fixed;
    QList<qsizetype> m_places;
    QHash<QChar, qsizetype> m_owner;
};

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
    QStringList texts;
    for (const Named& named : all) {
        texts << named.text;
    }
    const QList<qsizetype> places = Letters(texts, taken).places();
    for (qsizetype i = 0; i < all.size(); ++i) {
        QString words = all[i].text;
        if (!words.contains(QLatin1Char('&'))) {
            all[i].setText(places[i] < 0 ? words : words.insert(places[i], QLatin1Char('&')));
        }
    }
}

}  // namespace cospadi::ui
