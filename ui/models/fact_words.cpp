#include "ui/models/fact_words.h"

#include <QStringList>

#include "ui/base/quantity_words.h"

namespace cospadi::ui {

QString factWords(const QVariantMap& facts) {
    QStringList words;
    for (auto fact = facts.begin(); fact != facts.end(); ++fact) {
        words << quantityWords(fact.key()) + QLatin1Char(' ') + fact.value().toString();
    }
    return words.join(QStringLiteral(", "));
}

}  // namespace cospadi::ui
