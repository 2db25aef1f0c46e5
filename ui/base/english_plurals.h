// The plurals of the texts that stand in the sources, which are English: tr("%n run(s)", …, count)
// reads "1 run", "2 runs", and "%n matri(x|ces) (is|are) left" has both forms between bars. A
// translation that is installed later has forms of its own and is asked first.
#pragma once

#include <QTranslator>

namespace cospadi::ui {

// The form for n; texts without a count, n < 0, stay as they are.
QString englishPlural(const QString& source, int n);

class EnglishPlurals : public QTranslator {
  public:
    using QTranslator::QTranslator;

    bool isEmpty() const override { return false; }
    // Null where the source text is right as it is.
    QString translate(const char* context, const char* source, const char* disambiguation,
                      int n) const override;
};

void installEnglishPlurals();

}  // namespace cospadi::ui
