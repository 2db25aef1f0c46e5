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

QString shellCommand(const QStringList& words) {
    QString command = QStringLiteral("cospadi");
    for (const QString& word : words) {
        command += ' ' + shellQuoted(word);
    }
    return command;
}

QString compressCommand(const RunSpecification& specification, const QString& runFile) {
    return shellCommand(compressArguments(specification, runFile));
}

QStringList compressArguments(const RunSpecification& specification, const QString& runFile) {
    QStringList words;
    for (const std::string& word : compressWords(specification, runFile.toStdString())) {
        words << QString::fromStdString(word);
    }
    return words;
}

}  // namespace cospadi::ui
