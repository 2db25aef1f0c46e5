#include "ui/models/saved_views.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>

#include "ui/base/string_list.h"

namespace cospadi::ui {

namespace {

const char* const kViewsSetting = "runs/views";

struct NamedComparison {
    Comparison comparison;
    const char* name;
};
const NamedComparison kComparisons[] = {{Comparison::ErrorByLayer, "error-by-matrix"},
                                        {Comparison::ErrorMap, "error-map"},
                                        {Comparison::ErrorByIteration, "error-by-iteration"},
                                        {Comparison::Ablation, "ablation"},
                                        {Comparison::Parallel, "parallel"},
                                        {Comparison::Sweep, "sweep"}};

QJsonObject allViews() {
    return QJsonDocument::fromJson(
               QSettings().value(QLatin1String(kViewsSetting)).toString().toUtf8())
        .object();
}

void writeViews(const QJsonObject& views) {
    QSettings().setValue(QLatin1String(kViewsSetting),
                         QString::fromUtf8(QJsonDocument(views).toJson(QJsonDocument::Compact)));
}

std::string wordIn(const QJsonObject& object, const char* key, const std::string& usual) {
    return object.value(QLatin1String(key)).toString(QString::fromStdString(usual)).toStdString();
}

QStringList listIn(const QJsonObject& object, const char* key) {
    QStringList words;
    for (const QJsonValue word : object.value(QLatin1String(key)).toArray()) {
        words << word.toString();
    }
    return words;
}

QJsonArray arrayOf(const std::vector<std::string>& words) {
    return QJsonArray::fromStringList(listOf(words));
}

// As figures.json has them (core/report/saved_figures.cpp).
QJsonObject asJson(const ParallelChoice& choice) {
    return {{"order", arrayOf(choice.order)},
            {"hidden", arrayOf(choice.hidden)},
            {"colour", QString::fromStdString(choice.colour)}};
}

QJsonObject asJson(const SweepChoice& choice) {
    return {{"name", QString::fromStdString(choice.name)},
            {"shows", QString::fromStdString(choice.axes.metric)},
            {"down", QString::fromStdString(choice.axes.rows)},
            {"across", QString::fromStdString(choice.axes.columns)}};
}

}  // namespace

QString comparisonName(Comparison wanted) {
    for (const auto& [comparison, name] : kComparisons) {
        if (comparison == wanted) {
            return QLatin1String(name);
        }
    }
    return {};
}

Comparison comparisonFromName(const QString& wanted) {
    for (const auto& [comparison, name] : kComparisons) {
        if (wanted == QLatin1String(name)) {
            return comparison;
        }
    }
    return kComparisons[0].comparison;
}

QStringList savedViewNames() { return allViews().keys(); }

SavedView savedView(const QString& name) {
    const QJsonObject kept = allViews().value(name).toObject();
    SavedView view;
    view.filter = kept.value(QLatin1String("filter")).toString();
    view.columns = listIn(kept, "columns");
    view.group = kept.value(QLatin1String("group")).toString();
    view.comparison = comparisonFromName(kept.value(QLatin1String("chart")).toString());
    const QJsonObject plot = kept.value(QLatin1String("plot")).toObject();
    view.axes.x = wordIn(plot, "x", view.axes.x);
    view.axes.y = wordIn(plot, "y", view.axes.y);
    view.axes.curve = wordIn(plot, "curve", "");
    view.axes.facet = wordIn(plot, "facet", "");
    view.isLogX = plot.value(QLatin1String("log_x")).toBool();
    view.isLogY = plot.value(QLatin1String("log_y")).toBool();
    if (kept.contains(QLatin1String("axes"))) {
        const QJsonObject axes = kept.value(QLatin1String("axes")).toObject();
        view.parallel = ParallelChoice{wordsOf(listIn(axes, "order")),
                                       wordsOf(listIn(axes, "hidden")), wordIn(axes, "colour", "")};
    }
    if (kept.contains(QLatin1String("sweep"))) {
        const QJsonObject sweep = kept.value(QLatin1String("sweep")).toObject();
        view.sweep = SweepChoice{wordIn(sweep, "name", ""),
                                 {wordIn(sweep, "down", ""), wordIn(sweep, "across", ""),
                                  wordIn(sweep, "shows", SweepAxes().metric)}};
    }
    return view;
}

void saveView(const QString& name, const SavedView& view) {
    QJsonObject kept{{"filter", view.filter},
                     {"columns", QJsonArray::fromStringList(view.columns)},
                     {"group", view.group},
                     {"chart", comparisonName(view.comparison)},
                     {"plot", QJsonObject{{"x", QString::fromStdString(view.axes.x)},
                                          {"y", QString::fromStdString(view.axes.y)},
                                          {"curve", QString::fromStdString(view.axes.curve)},
                                          {"facet", QString::fromStdString(view.axes.facet)},
                                          {"log_x", view.isLogX},
                                          {"log_y", view.isLogY}}}};
    if (view.parallel) {
        kept.insert(QLatin1String("axes"), asJson(*view.parallel));
    }
    if (view.sweep) {
        kept.insert(QLatin1String("sweep"), asJson(*view.sweep));
    }
    QJsonObject views = allViews();
    views.insert(name, kept);
    writeViews(views);
}

void forgetView(const QString& name) {
    QJsonObject views = allViews();
    views.remove(name);
    writeViews(views);
}

}  // namespace cospadi::ui
