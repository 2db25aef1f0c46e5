#include "ui/base/engine_words.h"

#include <QCoreApplication>

namespace cospadi::ui {

namespace {

constexpr const char* kContext = "cospadi::engine";

// For lupdate alone, which cannot see them in the engine.
[[maybe_unused]] constexpr const char* kWords[] = {
    QT_TRANSLATE_NOOP("cospadi::engine", "Activation order"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Alpha"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Bits"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Blocks left out"),
    QT_TRANSLATE_NOOP("cospadi::engine", "CG steps of pursuit"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Damping"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Group size"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Importance exponent"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Metric of groups"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Pattern of codes"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Output metric"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Pattern"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Pursuit steps"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Restored share"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Shared by"),
    QT_TRANSLATE_NOOP("cospadi::engine", "Zero point"),
    // choices
    QT_TRANSLATE_NOOP("cospadi::engine", "equal"),
    // rules of allocation
    QT_TRANSLATE_NOOP("cospadi::engine", "same CR for all"),
    QT_TRANSLATE_NOOP("cospadi::engine", "by sensitivity"),
    QT_TRANSLATE_NOOP("cospadi::engine", "SVD-LLM V2"),
    QT_TRANSLATE_NOOP("cospadi::engine", "COMPOT"),
    QT_TRANSLATE_NOOP("cospadi::engine", "ROCKET"),
    // parts of storage
    QT_TRANSLATE_NOOP("cospadi::engine", "dense"),
    QT_TRANSLATE_NOOP("cospadi::engine", "dictionary"),
    QT_TRANSLATE_NOOP("cospadi::engine", "values"),
    QT_TRANSLATE_NOOP("cospadi::engine", "mask"),
    QT_TRANSLATE_NOOP("cospadi::engine", "codes"),
    QT_TRANSLATE_NOOP("cospadi::engine", "scales"),
    QT_TRANSLATE_NOOP("cospadi::engine", "minimums"),
    QT_TRANSLATE_NOOP("cospadi::engine", "places"),
    QT_TRANSLATE_NOOP("cospadi::engine", "left factor"),
    QT_TRANSLATE_NOOP("cospadi::engine", "right factor"),
};

}  // namespace

QString engineWords(const char* english) { return QCoreApplication::translate(kContext, english); }

QString choiceWords(const char* option, const char* word) {
    // No metric is that of equal outputs.
    const bool isAlike = qstrcmp(option, "output_metric") == 0 && qstrcmp(word, "none") == 0;
    return isAlike ? engineWords("equal") : QString::fromUtf8(word);
}

}  // namespace cospadi::ui
