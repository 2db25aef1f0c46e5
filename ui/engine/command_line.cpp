#include "ui/engine/command_line.h"

#include <QRegularExpression>
#include <QStringList>

#include "core/store/compress_command.h"

namespace cospadi::ui {

QString shellQuoted(const QString& word) {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=@%+,-]+$"));
    if (plain.match(word).hasMatch()) {
        return word;
    }
    return '\'' + QString(word).replace('\'', QLatin1String("'\\''")) + '\'';
}

QString compressCommand(const RunSpecification& specification) {
    QStringList words{QStringLiteral("cospadi")};
    for (const QString& word : compressArguments(specification)) {
        words << shellQuoted(word);
    }
    return words.join(' ');
}

QStringList compressArguments(const RunSpecification& specification) {
    QStringList words;
    for (const std::string& word : compressWords(specification)) {
        words << QString::fromStdString(word);
    }
    return words;
}

}  // namespace cospadi::ui
