#include "ui/models/run_columns.h"

#include <QDateTime>
#include <QLocale>
#include <cmath>
#include <filesystem>

#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/store/source_bytes.h"
#include "ui/base/format.h"
#include "ui/models/run_looks.h"
#include "ui/models/tag_list.h"

namespace cospadi::ui {

namespace {

QString words(const std::string& text) { return QString::fromStdString(text); }

QString decimals(double value, int count) {
    return std::isfinite(value) ? QLocale().toString(value, 'f', count) : kMissing;
}

QString modelName(const RunRow& run) {
    return QString::fromStdString(std::filesystem::path(run.model).filename().string());
}

// What the compressed layers take, beside what they took before.
QString sourceWords(const RunRow& run) {
    const bool isWhole = run.status == "finished";
    const QString source = tr("%1 in the model's file (%2)")
                               .arg(formatBytes(static_cast<double>(run.sourceBytes)),
                                    QString::fromStdString(run.sourceType));
    QStringList parts;
    if (run.layerBytes > 0) {
        parts << tr("%1 on disk").arg(formatBytes(static_cast<double>(run.layerBytes)))
              << tr("%1 as bf16").arg(formatBytes(static_cast<double>(run.denseBytes)));
    }
    if (run.sourceBytes > 0 && (isWhole || parts.isEmpty())) {
        parts << source;
    }
    QString words = parts.join(QStringLiteral(", "));
    if (run.sourceBytes > 0 && !isWhole && run.layerBytes > 0) {
        words += tr("\nof all its layers: %1").arg(source);
    }
    if (isLargerThanSource(run)) {
        words += tr("\nThe result is larger than its source.");
    }
    return words;
}

QString tagsText(const RunRow& run) {
    QStringList tags;
    for (const std::string& tag : run.tags) {
        tags << QString::fromStdString(tag);
    }
    return tagsToLine(tags);
}

// Unknown numbers sort last.
QVariant sortable(double value) { return std::isfinite(value) ? value : HUGE_VAL; }

bool isDense(const RunRow& run) { return run.method == "dense"; }

bool hasRho(const RunRow& run) { return isSparse(run) && !run.hasAutoRho(); }

QString nameText(const RunRow& run) {
    const QString own = ownName(run);
    return own.isEmpty() ? words(run.id) : own;
}

QString rhoText(const RunRow& run) {
    return !isSparse(run) ? kMissing : run.hasAutoRho() ? tr("auto") : decimals(run.rho, 2);
}

QString bytesText(const RunRow& run) {
    return isDense(run) ? kMissing : formatBytes(static_cast<double>(run.layerBytes));
}

QString sourceText(const RunRow& run) {
    return run.sourceBytes <= 0
               ? kMissing
               : QStringLiteral("%1 %2").arg(formatBytes(static_cast<double>(run.sourceBytes)),
                                             words(run.sourceType));
}

QString dateText(const RunRow& run) {
    const QDateTime time = QDateTime::fromString(words(run.created), Qt::ISODate);
    return time.isValid() ? time.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm"))
                          : words(run.created);
}

QVariant sourceSort(const RunRow& run) {
    return sortable(run.sourceBytes > 0 ? static_cast<double>(run.sourceBytes) : unknownNumber);
}

QString starTip(const RunRow& run) {
    return run.starred ? tr("Click: no longer starred") : tr("Click: star this run");
}

QString tagsTip(const RunRow& run) {
    return tr("%1 (F2 edits; separated by commas)").arg(tagsText(run));
}

QString noteTip(const RunRow& run) {
    return tr("%1 (F2 writes a new note; earlier ones are kept)").arg(words(run.note));
}

std::vector<RunColumn> madeColumns() {
    return {
        {"run",
         tr("Run"),
         tr("Name of the run's directory"),
         nameText,
         {},
         [](const RunRow& run) { return words(run.id); }},
        {"status",
         tr("Status"),
         tr("finished, or why not: interrupted and cancelled runs can be resumed"),
         [](const RunRow& run) { return words(run.status); },
         {},
         [](const RunRow& run) { return words(run.message.empty() ? run.status : run.message); }},
        {"method", tr("Method"),
         tr("Compression method, and its solver where it learns a dictionary"),
         [](const RunRow& run) { return words(methodLabel(run)); }},
        {"layers", tr("Layers"),
         tr("Regular expression of the layers (number of finished matrices)"),
         [](const RunRow& run) {
             return QStringLiteral("%1  (%2)").arg(words(run.layers)).arg(run.matrices);
         }},
        {"cr", tr("CR"), tr("Compression ratio γ asked for: the fraction of storage to remove"),
         [](const RunRow& run) { return isDense(run) ? kMissing : decimals(run.cr, 2); },
         [](const RunRow& run) { return sortable(isDense(run) ? unknownNumber : run.cr); }},
        {"rho", tr("ρ"), tr("ρ = k/s: atoms per non-zero of a column"), rhoText,
         [](const RunRow& run) { return sortable(hasRho(run) ? run.rho : unknownNumber); }},
        {"bytes", tr("Bytes"),
         tr("Bytes of the compressed matrices on disk, mask included; coloured where the model's "
            "own file holds the same layers in fewer"),
         bytesText, [](const RunRow& run) { return sortable(static_cast<double>(run.layerBytes)); },
         sourceWords},
        {"source", tr("Source"),
         tr("What the same layers take in the model's own file, and in which type"), sourceText,
         sourceSort, sourceWords},
        {"saved", tr("Saved"),
         tr("Fraction of storage removed as measured: 1 − bytes / dense bytes (bf16)"),
         [](const RunRow& run) { return formatPercent(run.measuredRatio()); },
         [](const RunRow& run) { return sortable(run.measuredRatio()); }, sourceWords},
        {"error", tr("Error"),
         tr("Mean over matrices of the whitened relative error ‖L W − D S‖ / ‖L W‖"),
         [](const RunRow& run) { return formatError(errorOf(run)); },
         [](const RunRow& run) { return sortable(errorOf(run)); }},
        {"perplexity", tr("Perpl."), tr("Perplexity, where measured (lower is better)"),
         [](const RunRow& run) { return decimals(perplexityOf(run), 2); },
         [](const RunRow& run) { return sortable(perplexityOf(run)); }},
        {"time", tr("Time"), tr("Wall-clock time of the run"),
         [](const RunRow& run) { return formatDuration(run.seconds); },
         [](const RunRow& run) { return sortable(run.seconds); }},
        {"date", tr("Date"), tr("When the run was created"), dateText,
         [](const RunRow& run) { return words(run.created); }},
        {"star", tr("★"), tr("Starred runs: click a star to set or take it"),
         [](const RunRow& run) { return run.starred ? QStringLiteral("★") : QStringLiteral("☆"); },
         [](const RunRow& run) { return run.starred ? 0 : 1; },  // starred ones first
         starTip},
        {"tags",
         tr("Tags"),
         tr("Tags, separated by commas; one that holds a comma in quotation marks; F2 edits them"),
         tagsText,
         {},
         tagsTip},
        {"note",
         tr("Note"),
         tr("The latest note; F2 writes a new one"),
         [](const RunRow& run) { return words(run.note); },
         {},
         noteTip},
        {"model", tr("Model"), tr("The model's file"), modelName}};
}

}  // namespace

const std::vector<RunColumn>& runColumns() {
    static const std::vector<RunColumn> columns = madeColumns();
    return columns;
}

bool isLargerThanSource(const RunRow& run) {
    return !largerThanSource(run.layerBytes, run.sourceType, run.sourceBytes).empty();
}

double errorOf(const RunRow& run) {
    return run.method == "dense" ? unknownNumber : run.relativeError;
}

double perplexityOf(const RunRow& run) {
    const EvaluationRow* latest = nullptr;
    for (const EvaluationRow& evaluation : run.evaluations) {
        if (evaluation.kind == "perplexity" &&
            (latest == nullptr || latest->created < evaluation.created)) {
            latest = &evaluation;
        }
    }
    return latest == nullptr ? unknownNumber : latest->perplexity;
}

}  // namespace cospadi::ui
