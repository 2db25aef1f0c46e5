#include "ui/models/tag_list.h"

namespace cospadi::ui {

namespace {

constexpr QLatin1Char kQuote('"');
constexpr QLatin1Char kComma(',');

QString quoted(QString tag) {
    if (!tag.contains(kComma) && !tag.contains(kQuote) && tag == tag.trimmed()) {
        return tag;
    }
    return kQuote + tag.replace(kQuote, QStringLiteral("\"\"")) + kQuote;
}

}  // namespace

QString tagsToLine(const QStringList& tags) {
    QStringList parts;
    for (const QString& tag : tags) {
        parts << quoted(tag);
    }
    return parts.join(QStringLiteral(", "));
}

QStringList tagsFromLine(const QString& line) {
    QStringList tags;
    QString tag;
    bool inside = false;   // between quotation marks
    bool literal = false;  // was: its spaces count
    const auto finish = [&] {
        tags << (literal ? tag : tag.trimmed());
        tag.clear();
        literal = false;
    };
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        if (inside && c == kQuote && i + 1 < line.size() && line[i + 1] == kQuote) {
            tag += kQuote;
            ++i;
        } else if (inside && c == kQuote) {
            inside = false;
        } else if (!inside && c == kQuote && tag.trimmed().isEmpty() && !literal) {
            inside = true;
            literal = true;
            tag.clear();
        } else if (!inside && c == kComma) {
            finish();
        } else if (inside || !literal || !c.isSpace()) {
            tag += c;
        }
    }
    finish();
    tags.removeAll(QString());
    tags.removeDuplicates();
    return tags;
}

}  // namespace cospadi::ui
