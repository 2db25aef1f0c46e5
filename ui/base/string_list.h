// Lists of words between Qt and the engine.
#pragma once

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

}  // namespace cospadi::ui
