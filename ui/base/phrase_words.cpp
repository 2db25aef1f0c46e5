#include "ui/base/phrase_words.h"

#include <QCoreApplication>

namespace cospadi::ui {

namespace {

constexpr const char* kPhrases = "cospadi::phrases";

// For lupdate alone, which cannot see them in the engine.
[[maybe_unused]] constexpr const char* kPhraseTexts[] = {
    // how a value was measured, what a picture leaves out
    QT_TRANSLATE_NOOP("cospadi::phrases", "mean of %1"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1, context %2"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "all tokens"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "first %1 tokens"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "score %1"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "version %1, %2 shots, %3 samples"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1 shots"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "asked by lm-eval"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "filter %1"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "data %1"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "1 run measured otherwise is left out"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1 runs measured otherwise are left out"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "1 run without %1 is left out"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1 runs without %2 are left out"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "1 run without a numeric ρ is left out"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1 runs without a numeric ρ are left out"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "seeds with identical results count once in n"),
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "errors of data-free methods are of the plain weight, the others whitened"),
    // what is stored of a matrix
    QT_TRANSLATE_NOOP("cospadi::phrases", "k = %1, s = %2%3"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1-bit values"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "integers of %1 and %2 bits, a scale for %3"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "dictionary over the outputs"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "rank r = %1, factors of %2 and %3 bits"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "integers, a scale for %1"),
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "rank r = %1, %2 entries of a column and of its row in 8 bits each"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1 bits, groups of %2"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1 bits, groups of %2 with a minimum each"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1, %2 % zeros"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "dense, 16-bit"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "removed"),
    // why not to rely on a prediction
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "the curves of %1 of %2 matrices are taken from their neighbours"),
    QT_TRANSLATE_NOOP(
        "cospadi::phrases",
        "the cost of errors of %1 of %2 matrices was measured with another method or storage"),
    QT_TRANSLATE_NOOP(
        "cospadi::phrases",
        "the whole model has not been tried yet: costs of single matrices are added up"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "diverges further than any trial of the whole model"),
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "errors are those after six iterations; full solves reach lower ones"),
    QT_TRANSLATE_NOOP(
        "cospadi::phrases",
        "beyond a loss of 1 nat per token small error differences have large effects"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "1 matrix is at the largest ratio tried"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1 matrices are at the largest ratio tried"),
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "the perplexity of the uncompressed model has not been measured yet"),
    // what is measured of the runs behind one of the paper's tables
    QT_TRANSLATE_NOOP("cospadi::phrases", "perplexity of %1"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1 items each"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "all items"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1 tokens/s at prompts of %2"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "%1 tokens/s at prompts of %2 with %3 users"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "its bytes"),
    // tables that come laid out (reportPresets())
    QT_TRANSLATE_NOOP("cospadi::phrases", "the methods of `cospadi demo` on the default model"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "perplexity over ρ"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "error over the solver's iterations"),
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "the solvers side by side: error, seconds, perplexity (the paper's Table 2)"),
    QT_TRANSLATE_NOOP(
        "cospadi::phrases",
        "bytes of dictionary, values and mask (the paper's Table 10), and multiplications"),
    QT_TRANSLATE_NOOP(
        "cospadi::phrases",
        "where the time goes: coding, dictionary update and the rest (the paper's Table 9)"),
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "bytes of the linear layers against perplexity, one line per method"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "tasks of lm-eval laid out like the paper's main tables"),
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "up and gate alone, laid out like the paper's UG quality tables (6, 14)"),
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "runs of `requantize` against 16 bits per coefficient (Figure 3)"),
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "tokens per second over prompt lengths, one user (Table 15)"),
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "tokens per second over HTTP by users, shortest prompt (Tables 7, 16)"),
    QT_TRANSLATE_NOOP("cospadi::phrases",
                      "tokens per second over HTTP by users and prompt lengths (Table 17)"),
    QT_TRANSLATE_NOOP("cospadi::phrases", "percentiles of the time per token, alone and over HTTP"),
};

}  // namespace

QString phraseWords(const Phrase& phrase) {
    const QString text = QCoreApplication::translate(kPhrases, phrase.text.c_str());
    QString words = QString::fromStdString(filled(text.toStdString(), phrase.values));
    for (const Phrase& next : phrase.more) {
        words += QStringLiteral(", ") + phraseWords(next);
    }
    return words;
}

QStringList phraseWords(const std::vector<Phrase>& phrases) {
    QStringList words;
    for (const Phrase& phrase : phrases) {
        words << phraseWords(phrase);
    }
    return words;
}

}  // namespace cospadi::ui
