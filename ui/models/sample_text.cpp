#include "ui/models/sample_text.h"

#include "ui/base/format.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

QString htmlOf(const std::string& text) {
    return QString::fromStdString(text).toHtmlEscaped().replace('\n', QLatin1String("<br>"));
}

QString scoreCell(const TaskSample* sample, std::size_t choice) {
    if (sample == nullptr || choice >= sample->logLikelihoods.size()) {
        return QStringLiteral("<td align=right>%1</td>").arg(kMissing);
    }
    const QString value = formatFixed(sample->logLikelihoods[choice], 3);
    const bool isChosen = sample->chosen == static_cast<std::int64_t>(choice);
    return QStringLiteral("<td align=right>%1</td>")
        .arg(isChosen ? QStringLiteral("<b>%1</b>").arg(value) : value);
}

}  // namespace

QString sampleHtml(const TaskSample& first, const TaskSample* second) {
    QString html =
        QStringLiteral(
            "<p>%1</p><table cellpadding=4><tr><th></th><th align=left>%2"
            "</th><th align=right>%3</th>")
            .arg(htmlOf(first.context), Words::tr("Continuation"), Words::tr("log p, first"));
    if (second != nullptr) {
        html += QStringLiteral("<th align=right>%1</th>").arg(Words::tr("log p, second"));
    }
    html += QStringLiteral("</tr>");
    for (std::size_t i = 0; i < first.continuations.size(); ++i) {
        const bool isAnswer = first.answer == static_cast<std::int64_t>(i);
        html +=
            QStringLiteral("<tr><td>%1</td><td>%2</td>%3%4</tr>")
                .arg(isAnswer ? QStringLiteral("✓") : QString(), htmlOf(first.continuations[i]),
                     scoreCell(&first, i), second != nullptr ? scoreCell(second, i) : QString());
    }
    html += QStringLiteral("</table>");
    if (first.answer >= 0) {
        html += QStringLiteral("<p>%1</p>")
                    .arg(Words::tr(
                        "✓ marks the right answer; bold, the one a model finds most likely."));
    }
    return html;
}

}  // namespace cospadi::ui
