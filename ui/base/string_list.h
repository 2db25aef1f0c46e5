// Lists of words between Qt and the engine, and as they are typed.
#pragma once

#include <QRegularExpression>
#include <QStringList>
#include <string>
#include <vector>

namespace cospadi::ui {

inline std::vector<std::string> wordsOf(const QStringList& list) {
    std::vector<std::string> words;
    for (const QString& word : list) {
        words.push_back(word.toStdString());
    }
    return words;
}

inline QStringList listOf(const std::vector<std::string>& words) {
    QStringList list;
    for (const std::string& word : words) {
        list << QString::fromStdString(word);
    }
    return list;
}

// Apart by blanks, commas or semicolons.
inline QStringList wordsIn(const QString& typed) {
    static const QRegularExpression separators(QStringLiteral("[,;\\s]+"));
    return typed.split(separators, Qt::SkipEmptyParts);
}

}  // namespace cospadi::ui
