// The Explore page: what an exploration of one matrix or several leaves behind, its curves, and the
// choice of matrices.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <algorithm>

#include "core/methods/method.h"
#include "tests/registered_test.h"
#include "tests/ui/engine_in_shell.h"
#include "ui/charts/curve_chart.h"
#include "ui/engine/explore_trace.h"
#include "ui/engine/matrix_lab.h"
#include "ui/models/explore_curves.h"
#include "ui/models/layer_selection.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/explore/matrix_picker.h"
#include "ui/widgets/slider_spin.h"

namespace tst_explore_page {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

constexpr int kNumber = 2;

QJsonObject event(const char* kind, const QString& layer, QJsonObject rest,
                  int exploration = kNumber) {
    rest.insert("event", QString::fromLatin1(kind));
    rest.insert("exploration", exploration);
    rest.insert("layer", layer);
    return rest;
}

QJsonObject matrix(const QString& layer, int d1, int d2, bool whitened = true,
                   const char* method = "cospadi", const QJsonArray& curves = {"rho", "cr"}) {
    return event(
        "explore_matrix", layer,
        {{"d1", d1}, {"d2", d2}, {"whitened", whitened}, {"method", method}, {"curves", curves}});
}

// A point of a method without dictionary.
QJsonObject sized(const QString& layer, const char* curve, double cr, const char* stored,
                  double error, double bytes) {
    return event("explore_point", layer,
                 {{"curve", curve},
                  {"cr", cr},
                  {"stored", stored},
                  {"iteration", 0},
                  {"relative_error", error},
                  {"bytes", bytes},
                  {"settled", true}});
}

QJsonObject point(const QString& layer, const char* curve, double rho, int iteration, double error,
                  bool settled, int exploration = kNumber) {
    return event("explore_point", layer,
                 {{"curve", curve},
                  {"rho", rho},
                  {"cr", 0.2},
                  {"iteration", iteration},
                  {"relative_error", error},
                  {"bytes", 1000},
                  {"settled", settled}},
                 exploration);
}

QJsonObject reference(const QString& layer, double error) {
    return event("explore_reference", layer,
                 {{"points", QJsonArray{QJsonObject{
                                 {"cr", 0.2}, {"relative_error", error}, {"bytes", 1000}}}}});
}

// Every matrix is solved at once, without a Gram, in three iterations; nothing is calibrated.
const QString kSolvesPlainly = R"(n=0
while read -r line; do
    n=$((n + 1)); id=$((n + 1))
    case "$line" in *'"method":"calibrate"'*)
        echo '{"id":'$id',"error":{"message":"no room for Grams","where":"","hint":""}}'
        continue ;;
    esac
    echo '{"id":'$id',"result":{"exploration":'$n',"stale":false}}'
    at='"request":'$id',"exploration":'$n',"layer":"blk.0.attn_q"'
    echo '{"event":"explore_matrix",'"$at"',"d1":10,"d2":50,"whitened":false,' \
         '"method":"cospadi-free","curves":["rho","cr"]}'
    for i in 1 2 3; do
        echo '{"event":"explore_point",'"$at"',"curve":"here","cr":0.2,"rho":2,"iteration":'$i',' \
             '"relative_error":0.'$((9 - i))',"bytes":375,"settled":false,"seconds":0.1}'
    done
    echo '{"event":"explore_finished",'"$at"',"status":"finished",' \
         '"message":"","seconds":0.1}'
done)";

std::vector<LayerInfo> layersOf(int blocks) {
    std::vector<LayerInfo> layers;
    for (int b = 0; b < blocks; ++b) {
        for (const auto kind : kLayerKinds) {
            LayerInfo layer;
            layer.name = layerName(b, kind);
            layer.block = b;
            layer.kind = kind;
            layers.push_back(layer);
        }
    }
    return layers;
}

}  // namespace

class TestExplorePage : public QObject {
    Q_OBJECT

  private slots:
    void keepsTheBestAndDropsTheStale() {
        const QString q = "blk.0.attn_q";
        ExploreTrace trace;
        trace.begin({{"exploration", kNumber}});
        trace.apply(point(q, "rho", 2, 1, 0.1, false));  // of a matrix not begun
        QVERIFY(trace.matrices().isEmpty());
        trace.apply(matrix(q, 10, 50));
        trace.apply(point(q, "rho", 2, 1, 0.3, false));
        trace.apply(point(q, "rho", 2, 2, 0.2, false));
        trace.apply(point(q, "rho", 2, 3, 0.25, false));               // worse: the best stays
        trace.apply(point(q, "rho", 2, 4, 0.01, false, kNumber - 1));  // of the one before
        QCOMPARE(trace.matrices()[0].byRho[2].error, 0.2);
        QCOMPARE(trace.settledValues(), 0);
        trace.apply(point(q, "rho", 2, 5, 0.22, true));  // what is stored is what counts
        QCOMPARE(trace.matrices()[0].byRho[2].error, 0.22);
        QCOMPARE(trace.settledValues(), 1);
        trace.apply(point(q, "here", 2, 1, 0.4, false));
        trace.apply(point(q, "here", 2, 2, 0.3, false));
        QCOMPARE(trace.matrices()[0].iterations.size(), 2);
        trace.apply(reference(q, 0.5));
        QCOMPARE(trace.matrices()[0].referenceError(0.2), 0.5);
        QVERIFY(trace.matrices()[0].referenceError(0.7) < 0);
        QVERIFY(trace.isWhitened());
        trace.apply({{"event", "explore_finished"},
                     {"exploration", kNumber},
                     {"status", "failed"},
                     {"message", "no such layer"}});
        QCOMPARE(trace.status(), "failed");
        QCOMPARE(trace.message(), "no such layer");
        trace.begin({{"exploration", kNumber + 1}});
        QVERIFY(trace.matrices().isEmpty() && trace.status().isEmpty());
    }

    // One matrix has its curve, its rival and its mark; two have their own colours, their rivals
    // dashed in the same, and shares of their own bytes in place of kilobytes.
    void drawsOneOrSeveral() {
        const QString q = "blk.0.attn_q";
        const QString up = "blk.0.ffn_up";
        ExploreTrace trace;
        QVERIFY(errorByRho(trace).isEmpty() && errorByBytes(trace).isEmpty());
        QVERIFY(factsOfFirst(trace).isEmpty());
        trace.begin({{"exploration", kNumber}});
        const auto tell = [&trace](const QString& layer, double error) {
            trace.apply(point(layer, "here", 2, 1, 2 * error, false));
            trace.apply(point(layer, "here", 2, 2, error, true));
            trace.apply(point(layer, "rho", 1.5, 2, error, true));
            trace.apply(point(layer, "rho", 3, 2, error, true));
            trace.apply(point(layer, "cr", 2, 2, error, true));
            trace.apply(reference(layer, 2 * error));
        };
        trace.apply(matrix(q, 10, 50));
        tell(q, 0.1);
        QList<Curve> curves = errorByRho(trace);
        QCOMPARE(curves.size(), 3);
        QCOMPARE(curves[0].name, "CoSpaDi");
        QCOMPARE(curves[1].name, "SVD-LLM");
        QCOMPARE(curves[1].points, (QList<QPointF>{{1.5, 0.2}, {3, 0.2}}));
        QVERIFY(curves[0].colour != curves[1].colour);
        QCOMPARE(errorByBytes(trace)[0].points.first().x(), 1.0);  // kB
        QVERIFY(factsOfFirst(trace).contains("2.00 times ours"));

        trace.apply(matrix(up, 20, 50, false));
        tell(up, 0.3);
        QVERIFY(!trace.isWhitened());
        curves = errorByRho(trace);
        QCOMPARE(curves.size(), 6);
        QCOMPARE(curves[0].name, q);
        QCOMPARE(curves[3].name, up);
        QCOMPARE(curves[4].name, up + ", SVD");  // without a Gram
        QCOMPARE(curves[3].colour, curves[4].colour);
        QVERIFY(curves[0].colour != curves[3].colour);
        curves = errorByBytes(trace);
        QCOMPARE(curves[0].points.first().x(), 100.0);  // 1000 of 2 · 10 · 50
        QCOMPARE(curves[3].points.first().x(), 50.0);
        QCOMPARE(errorByIteration(trace, {}).size(), 6);
        const QString facts = factsOfAll(trace);
        QVERIFY(facts.contains(q) && facts.contains(up));
        QVERIFY(facts.contains(curves[0].colour.name()) && facts.contains(curves[3].colour.name()));
    }

    // After calibrating, errors are whitened: plain ones of before are no longer behind them.
    void plainAndWhitenedCurvesDoNotShareAnAxis() {
        const QString q = "blk.0.attn_q";
        const EarlierCurve plain{{{1, 0.5}, {2, 0.3}}, false};
        const EarlierCurve whitened{{{1, 0.05}, {2, 0.03}}, true};
        ExploreTrace trace;
        for (const bool now : {false, true}) {
            trace.begin({{"exploration", kNumber}});
            trace.apply(matrix(q, 10, 50, now));
            trace.apply(point(q, "here", 2, 1, 0.04, false));
            const QList<Curve> curves = errorByIteration(trace, {plain, whitened, plain});
            QList<QList<QPointF>> behind;
            for (const Curve& curve : curves) {
                if (!curve.highlighted) {
                    behind << curve.points;
                }
            }
            QCOMPARE(behind, now ? QList<QList<QPointF>>{whitened.points}
                                 : (QList<QList<QPointF>>{plain.points, plain.points}));
            QCOMPARE(curves.size(), behind.size() + 1);
        }
    }

    // A method is called by its title, and has nothing of what it has not: no ρ, no atoms.
    void drawsWhatTheMethodHas() {
        const QString q = "blk.0.attn_q";
        ExploreTrace trace;
        trace.begin({{"exploration", kNumber}});
        trace.apply(matrix(q, 10, 50, true, "svd-llm", {"cr"}));
        trace.apply(sized(q, "here", 0.2, "rank 6, 16-bit", 0.3, 720));
        trace.apply(sized(q, "cr", 0.2, "rank 6, 16-bit", 0.3, 720));
        trace.apply(sized(q, "cr", 0.5, "rank 4, 16-bit", 0.4, 480));
        QCOMPARE(trace.settledValues(), 2);
        QVERIFY(errorByIteration(trace, {}).isEmpty());
        QVERIFY(errorByRho(trace).isEmpty());
        QList<Curve> curves = errorByBytes(trace);
        QCOMPARE(curves.size(), 2);  // its curve and the setting at hand; no rival
        QCOMPARE(curves[0].name, "SVD-LLM");
        QCOMPARE(curves[0].points, (QList<QPointF>{{0.48, 0.4}, {0.72, 0.3}}));
        const QString facts = factsOfFirst(trace);
        QVERIFY(facts.contains("SVD-LLM") && facts.contains("rank 6"));
        QVERIFY(!facts.contains("k =") && !facts.contains("iterations"));

        trace.begin({{"exploration", kNumber}});
        trace.apply(matrix(q, 10, 50, true, "rtn", {}));
        trace.apply(sized(q, "here", 0.625, "4 bits", 0.08, 375));
        curves = errorByBytes(trace);
        QCOMPARE(curves.size(), 1);
        QCOMPARE(curves[0].name, QString(methodFromName("rtn").title()));
        QCOMPARE(curves[0].points, (QList<QPointF>{{0.375, 0.08}}));
        QVERIFY(errorByRho(trace).isEmpty());
        trace.apply(matrix("blk.0.ffn_up", 10, 50, true, "rtn", {}));
        const QString table = factsOfAll(trace);
        QVERIFY(table.contains("4 bits") && table.contains("stored"));
        QVERIFY(!table.contains(">k<") && !table.contains(">s<"));
        // What is not solved yet is missing, not blank.
        QVERIFY2(table.contains(QStringLiteral(">–</td>")), qPrintable(table));
        QVERIFY2(!table.contains("'></td>"), qPrintable(table));
    }

    // The page asks for the plan's method, and of its controls only those count that this has.
    void exploresThePlansMethod() {
        QTemporaryDir folder;
        const QString asked = folder.filePath("asked");
        QString lines;
        const QString rest = "\"request\":2,\"exploration\":1,\"layer\":\"blk.0.attn_q\"";
        for (const QString& line :
             {QString("{\"id\":2,\"result\":{\"exploration\":1,\"stale\":false}}"),
              QString("{\"event\":\"explore_matrix\",%1,\"d1\":10,\"d2\":50,\"whitened\":true,"
                      "\"method\":\"rtn\",\"curves\":[]}")
                  .arg(rest),
              QString("{\"event\":\"explore_point\",%1,\"curve\":\"here\",\"cr\":0.625,"
                      "\"stored\":\"4 bits\",\"iteration\":0,\"relative_error\":0.08,"
                      "\"bytes\":375,\"settled\":true,\"last\":true,\"seconds\":0.1}")
                  .arg(rest),
              QString("{\"event\":\"explore_finished\",%1,\"status\":\"finished\","
                      "\"message\":\"\",\"seconds\":0.1}")
                  .arg(rest)}) {
            lines += "echo '" + line + "'; ";
        }
        EngineClient client;
        useScript(client,
                  "read -r line; printf '%s\\n' \"$line\" > '" + asked + "'; " + lines + kSilence);
        MatrixLab lab(&client);
        ExplorePage page(&lab);
        page.setLayers(layersOf(1));
        page.setLayer("blk.0.attn_q");
        const auto isEnabled = [&page](const char* name) {
            return page.findChild<QWidget*>(name)->isEnabled();
        };
        page.show();
        for (const char* name : {"exploreCr", "exploreRhoValue", "exploreIterationCount"}) {
            QVERIFY(isEnabled(name));
        }
        RunSpecification plan;
        plan.method = &methodFromName("rtn");
        page.setPlan(plan);
        for (const char* name :
             {"exploreCr", "exploreRhoValue", "exploreIterationCount", "exploreSolver"}) {
            QVERIFY2(!isEnabled(name), name);
        }
        QVERIFY(!page.rhoChart()->isVisible());
        QVERIFY(!page.iterationChart()->isVisible());
        QVERIFY(page.bytesChart()->isVisible());
        QTRY_COMPARE(lab.trace().status(), "finished");
        QTRY_COMPARE(page.bytesChart()->drawnPoints(), 1);
        QVERIFY(page.facts().contains("4 bits"));
        QFile file(asked);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject request = QJsonDocument::fromJson(file.readAll()).object();
        const QJsonObject params = request["params"].toObject();
        QCOMPARE(params["specification"].toObject()["method"].toString(), "rtn");
        QCOMPARE(page.specification().method, plan.method);

        plan.method = &methodFromName("svd-llm");
        page.setPlan(plan);
        QVERIFY(isEnabled("exploreCr"));
        QVERIFY(!isEnabled("exploreRhoValue"));
        plan.method = &methodFromName("cospadi");
        page.setPlan(plan);
        for (const char* name :
             {"exploreCr", "exploreRhoValue", "exploreIterationCount", "exploreSolver"}) {
            QVERIFY2(isEnabled(name), name);
        }
        QVERIFY(page.rhoChart()->isVisible() && page.iterationChart()->isVisible());
    }

    // Of the same matrix in another setting, but not of that name in another model.
    void earlierCurvesAreOfThisModel() {
        EngineClient client;
        useScript(client, kSolvesPlainly);
        MatrixLab lab(&client);
        ExplorePage page(&lab);
        page.setLayers(layersOf(1));
        page.setLayer("blk.0.attn_q");
        page.setPlan({});
        page.show();
        QTRY_COMPARE(page.iterationChart()->curves().size(), 1);
        QTRY_COMPARE(lab.trace().status(), "finished");
        page.findChild<SliderSpin*>("exploreRhoValue")->setValue(3);
        QTRY_COMPARE(page.iterationChart()->curves().size(), 2);
        QTRY_COMPARE(lab.trace().status(), "finished");
        page.setLayers(layersOf(1));
        QTRY_COMPARE(lab.trace().number(), 3);
        QTRY_COMPARE(lab.trace().status(), "finished");
        QTRY_COMPARE(page.iterationChart()->curves().size(), 1);
        QVERIFY(page.iterationChart()->curves().first().highlighted);
    }

    void aFailedCalibrationIsTold() {
        EngineClient client;
        useScript(client, kSolvesPlainly);
        MatrixLab lab(&client);
        ExplorePage page(&lab);
        page.setLayers(layersOf(1));
        page.setLayer("blk.0.attn_q");
        page.setPlan({});
        page.show();
        const QList<QPushButton*> buttons = page.findChildren<QPushButton*>();
        const auto calibrate =
            std::find_if(buttons.begin(), buttons.end(),
                         [](const QPushButton* button) { return button->text() == "Calibrate"; });
        QVERIFY(calibrate != buttons.end());
        QTRY_VERIFY((*calibrate)->isVisible());
        QTRY_COMPARE(lab.trace().status(), "finished");
        QSignalSpy failed(&lab, &MatrixLab::calibrationFailed);
        (*calibrate)->click();
        QVERIFY(!(*calibrate)->isVisible());
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY((*calibrate)->isVisible());
        const QList<QLabel*> labels = page.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().contains("no room for Grams");
        }));
    }

    void picksAHandful() {
        MatrixPicker picker;
        QSignalSpy changed(&picker, &MatrixPicker::changed);
        auto* button = picker.findChild<QToolButton*>("exploreBeside");
        QVERIFY(picker.isEmpty() && !button->isEnabled());
        const auto layers = layersOf(30);
        picker.setLayers(layers);
        QCOMPARE(changed.count(), 1);
        picker.setFront("blk.10.attn_v");
        QCOMPARE(picker.layers(), (QStringList{"blk.10.attn_v"}));
        QCOMPARE(picker.otherKinds().size(), 6);
        QVERIFY(!picker.otherKinds().contains("blk.10.attn_v"));
        QCOMPARE(picker.throughDepth(),
                 (QStringList{"blk.0.attn_v", "blk.7.attn_v", "blk.14.attn_v", "blk.21.attn_v",
                              "blk.29.attn_v"}));
        picker.setBeside(picker.throughDepth());
        QCOMPARE(picker.layers().size(), 6);
        // The run of these layers selects exactly these.
        const RegexMatch match = matchLayers(layers, picker.regex());
        QVERIFY(match.problem.isEmpty());
        for (std::size_t i = 0; i < layers.size(); ++i) {
            QCOMPARE(match.matched[static_cast<qsizetype>(i)],
                     picker.layers().contains(QString::fromStdString(layers[i].name)));
        }
        // One of those beside comes to the front: it is not there twice.
        picker.setFront("blk.7.attn_v");
        QCOMPARE(picker.layers().size(), 5);
        QCOMPARE(picker.layers().first(), "blk.7.attn_v");
        // By name, from the menu, up to the most that the engine takes.
        QStringList many;
        for (int b = 0; b < 12; ++b) {
            many << QString("blk.%1.ffn_up").arg(b);
        }
        picker.setBeside(many);
        QCOMPARE(picker.layers().size(), MatrixPicker::kMost);
        emit button->menu()->aboutToShow();
        const auto named = [&](const QString& name) {
            for (QAction* action : button->menu()->findChildren<QAction*>()) {
                if (action->text() == name) {
                    return action;
                }
            }
            return static_cast<QAction*>(nullptr);
        };
        QVERIFY(!named("blk.20.attn_q")->isEnabled());  // enough
        QVERIFY(named("blk.3.ffn_up")->isChecked());
        changed.clear();
        named("blk.3.ffn_up")->trigger();
        QCOMPARE(changed.count(), 1);
        QVERIFY(!picker.layers().contains("blk.3.ffn_up"));
        // A smaller model has not all of them.
        picker.setLayers(layersOf(2));
        QCOMPARE(picker.layers(), (QStringList{"blk.0.attn_q", "blk.0.ffn_up", "blk.1.ffn_up"}));
    }
};

COSPADI_TEST(TestExplorePage)

}  // namespace tst_explore_page

#include "tst_explore_page.moc"
