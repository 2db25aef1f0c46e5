// The page of the whole model: what its fields ask for, what clicks into the map do to a matrix,
// and the run that comes of it.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QJsonDocument>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/base/error.h"
#include "tests/registered_test.h"
#include "tests/ui/engine_in_shell.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/models/prediction_curves.h"
#include "ui/models/run_looks.h"
#include "ui/pages/whole/whole_page.h"
#include "ui/widgets/slider_spin.h"

namespace tst_whole_page {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

// Two kinds in three blocks; the later the block, the more its errors cost.
ModelCurves wholeCurves() {
    ModelCurves curves;
    for (int block = 0; block < 3; ++block) {
        for (const char* kind : {"attn_q", "ffn_up"}) {
            LayerCurve layer;
            layer.name = "blk." + std::to_string(block) + "." + kind;
            layer.kind = kind;
            layer.block = block;
            layer.d1 = 576;
            layer.d2 = kind == std::string("attn_q") ? 576 : 1536;
            const double cost = 1 + 4 * block;
            layer.points = {{0.05, 0.01, cost}, {0.2, 0.04, cost}, {0.64, 0.3, cost}};
            layer.isTried = layer.isProbed = true;
            curves.layers.push_back(layer);
        }
    }
    curves.anchors = {{2, 1.5}};
    curves.densePerplexity = 25;
    curves.densePerplexityText = "wikitext2-spread";
    curves.densePerplexityTokens = 17920;
    curves.otherBytes = 3e6;
    curves.isComplete = curves.isSettled = true;
    return curves;
}

RunSpecification somePlan() {
    RunSpecification plan;
    plan.model = "/somewhere/model.gguf";
    return plan;
}

}  // namespace

class TestWholePage : public QObject {
    Q_OBJECT

    EngineClient m_engine;
    CurveSource m_source{&m_engine};
    std::unique_ptr<WholePage> m_page;

    template <class Widget>
    Widget* part(const char* name) {
        return m_page->findChild<Widget*>(QString::fromLatin1(name));
    }

    void choose(int row, int column) { emit part<HeatMap>("wholeMap")->chosen(row, column); }

  private slots:
    void init() {
        useScript(m_engine, kSilence);
        m_page = std::make_unique<WholePage>(&m_engine, &m_source);
        m_page->resize(1200, 700);
        m_page->setPlan(somePlan());
        m_page->setCurves(wholeCurves());
    }

    void cleanup() { m_page.reset(); }

    void sliderAndSizeAreOneTarget() {
        QVERIFY(m_page->shared());
        QVERIFY(std::abs(m_page->shared()->cr() - 0.2) < 0.03);
        auto* cr = part<SliderSpin>("wholeCr");
        auto* size = part<QDoubleSpinBox>("wholeSize");
        const double before = m_page->shared()->perplexity;
        cr->setValue(0.4);
        QVERIFY(m_page->shared()->perplexity > before);
        QVERIFY(std::abs(size->value() - m_page->shared()->modelBytes / 1e6) < 0.06);
        size->setValue(9.5);  // 3 MB of it are no matrices
        QVERIFY(m_page->shared()->modelBytes <= 9.5e6);
        QVERIFY(m_page->shared()->modelBytes > 9.3e6);
        QVERIFY(std::abs(cr->value() - m_page->shared()->cr()) < 0.006);
        size->setValue(3.1);
        QVERIFY(!m_page->shared());
        QVERIFY(part<QLabel>("wholeNumbers")->text().contains("least"));
        QVERIFY(!part<QPushButton>("wholeRun")->isEnabled());
    }

    // By model, also over a restart.
    void whatWasChosenComesBackWithTheModel() {
        RunSpecification other = somePlan();
        other.model = "/somewhere/else.gguf";
        m_page->setPlan(other);
        QCOMPARE(m_page->targetsAsText(), "{}");  // nobody has chosen anything
        m_page->setPlan(somePlan());
        m_page->setCurves(wholeCurves());
        part<SliderSpin>("wholeCr")->setValue(0.3);
        choose(1, 2);
        part<QComboBox>("wholeFate")->setCurrentIndex(1);
        part<QDoubleSpinBox>("wholeFateRatio")->setValue(0.5);
        choose(0, 0);
        part<QComboBox>("wholeFate")->setCurrentIndex(3);
        part<SliderSpin>("wholeRho")->setValue(3);
        m_page->setCurves(wholeCurves());
        const RunSpecification chosen = *m_page->runToMake();
        QVERIFY(!chosen.ratios.contains("blk.0.attn_q"));
        const QString kept = m_page->targetsAsText();
        m_page->setPlan(other);  // whose layers are others
        m_page->setCurves(wholeCurves());
        QVERIFY(m_page->runToMake()->ratios.contains("blk.0.attn_q"));

        m_page = std::make_unique<WholePage>(&m_engine, &m_source);
        m_page->restoreTargets(kept);
        m_page->setPlan({});  // no model is open yet
        m_page->setPlan(somePlan());
        m_page->setCurves(wholeCurves());
        QCOMPARE(part<SliderSpin>("wholeRho")->value(), 3.0);
        QCOMPARE(toJson(*m_page->runToMake()).dump(), toJson(chosen).dump());
        QCOMPARE(m_page->targetsAsText(), kept);
        // What is not to be read leaves the plan's.
        m_page = std::make_unique<WholePage>(&m_engine, &m_source);
        for (const char* text : {"", "no JSON", R"({"/somewhere/model.gguf": {"cr": "much"}})"}) {
            m_page->restoreTargets(text);
        }
        m_page->setPlan(somePlan());
        m_page->setCurves(wholeCurves());
        QCOMPARE(part<SliderSpin>("wholeCr")->value(), 0.2);
    }

    // Neither the size of one model nor the matrix that was chosen in it is the next one's.
    void anotherModelBeginsWithoutSizeAndMatrix() {
        part<QDoubleSpinBox>("wholeSize")->setValue(9.5);
        choose(1, 2);
        part<QComboBox>("wholeFate")->setCurrentIndex(1);
        const double cr = part<SliderSpin>("wholeCr")->value();
        auto* label = part<QLabel>("wholeMatrix");
        QVERIFY(label->text().contains("blk.2.ffn_up"));
        RunSpecification other = somePlan();
        other.model = "/somewhere/else.gguf";
        m_page->setPlan(other);
        QVERIFY2(label->text().startsWith("Click a matrix"), qPrintable(label->text()));
        for (const char* name : {"wholeFate", "wholeFateRatio", "wholeFreeAll"}) {
            QVERIFY2(!part<QWidget>(name)->isEnabled(), name);
        }
        QCOMPARE(part<QComboBox>("wholeFate")->currentIndex(), 0);

        ModelCurves larger = wholeCurves();
        larger.otherBytes = 30e6;  // of which 9.5 MB would be too little
        m_page->setCurves(larger);
        QVERIFY(m_page->shared());
        QVERIFY(std::abs(m_page->shared()->cr() - cr) < 0.03);
        QVERIFY(!part<QPushButton>("wholeFreeAll")->isEnabled());
        QVERIFY(label->text().startsWith("Click a matrix"));

        m_page->setPlan(somePlan());  // whose own are kept
        m_page->setCurves(wholeCurves());
        QVERIFY(m_page->shared()->modelBytes <= 9.5e6);
        QVERIFY(part<QPushButton>("wholeFreeAll")->isEnabled());
    }

    void clicksDecideOverAMatrix() {
        choose(1, 2);  // ffn_up of block 2
        QVERIFY(part<QLabel>("wholeMatrix")->text().contains("blk.2.ffn_up"));
        auto* fate = part<QComboBox>("wholeFate");
        auto* ratio = part<QDoubleSpinBox>("wholeFateRatio");
        QVERIFY(fate->isEnabled() && !ratio->isEnabled());
        fate->setCurrentIndex(1);
        ratio->setValue(0.5);
        const auto crOf = [&](const char* name) {
            for (const LayerPrediction& layer : m_page->shared()->layers) {
                if (layer.name == name) {
                    return layer.cr;
                }
            }
            return -1.0;
        };
        QCOMPARE(crOf("blk.2.ffn_up"), 0.5);
        QVERIFY(part<HeatMap>("wholeMap")->data().marks.contains("P"));
        choose(0, 0);
        QCOMPARE(fate->currentIndex(), 0);  // this one is free
        fate->setCurrentIndex(3);
        QCOMPARE(crOf("blk.0.attn_q"), 0.0);
        choose(1, 0);
        fate->setCurrentIndex(2);
        ratio->setValue(0.06);
        QVERIFY(crOf("blk.0.ffn_up") > 0 && crOf("blk.0.ffn_up") <= 0.06 + 1e-9);
        QCOMPARE(crOf("blk.2.ffn_up"), 0.5);
        part<QPushButton>("wholeFreeAll")->click();
        QVERIFY(crOf("blk.0.attn_q") > 0);
        for (const QString& mark : part<HeatMap>("wholeMap")->data().marks) {
            QVERIFY(mark.isEmpty());
        }
    }

    // A real click, where the map draws the cell.
    void aClickFindsItsCell() {
        auto* map = part<HeatMap>("wholeMap");
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        QSignalSpy chosen(map, &HeatMap::chosen);
        QPoint place;
        for (int x = 0; x < map->width() && place.isNull(); ++x) {
            if (map->describe(QPointF(x, map->height() / 4.0)).contains("attn_q")) {
                place = {x + 3, map->height() / 4};
            }
        }
        QVERIFY(!place.isNull());
        QTest::mouseClick(map, Qt::LeftButton, {}, place);
        QCOMPARE(chosen.count(), 1);
        QVERIFY(part<QLabel>("wholeMatrix")->text().contains("blk.0.attn_q"));
    }

    // Every matrix has its ratio; what is left out is no layer of the run.
    void theRunIsWhatIsShown() {
        choose(0, 1);
        part<QComboBox>("wholeFate")->setCurrentIndex(3);
        QSignalSpy asked(m_page.get(), &WholePage::runRequested);
        part<QPushButton>("wholeRun")->click();
        QCOMPARE(asked.count(), 1);
        const auto run = asked.front().front().value<RunSpecification>();
        validate(run);
        QCOMPARE(run.ratios.size(), std::size_t{5});
        for (const LayerPrediction& layer : m_page->shared()->layers) {
            const bool isIn = std::regex_search(layer.name, std::regex(run.layers));
            QCOMPARE(isIn, layer.name != "blk.1.attn_q");
            QVERIFY(!isIn || run.ratios.at(layer.name) == layer.cr);
        }
        // As the engine will read it.
        const RunSpecification back =
            runSpecificationFromJson(nlohmann::json::parse(toJson(run).dump()));
        QCOMPARE(back.ratios, run.ratios);
    }

    void measuredRunsStandOnTheCurve() {
        RunSpecification made = *m_page->runToMake();
        RunRow run;
        run.id = "made";
        run.matrices = 6;
        run.layerBytes = 80;
        run.denseBytes = 100;
        run.specification = toJson(made).dump();
        EvaluationRow evaluation;
        evaluation.text = "/resources/texts/wikitext2_spread.txt";
        evaluation.context = 512;
        evaluation.perplexity = 30;
        run.evaluations = {evaluation};
        RunRow other = run;  // of another ρ
        made.rho = 3;
        other.id = "other";
        other.specification = toJson(made).dump();
        RunRow unmeasured = run;  // on this text
        unmeasured.evaluations.front().text = "/resources/texts/wikitext2_test.txt";
        m_page->setRuns({run, other, unmeasured});
        QTRY_VERIFY(!part<CurveChart>("wholeChart")->curves().isEmpty());
        const auto measured =
            measuredPerplexities({run, other, unmeasured}, *m_page->runToMake(), wholeCurves());
        QCOMPARE(measured.size(), std::size_t{1});
        QVERIFY(measured.front().run.endsWith(" · made"));
        QVERIFY(std::abs(measured.front().cr - 0.2) < 1e-12 && !measured.front().uniform);
        bool found = false;
        for (const Curve& curve : part<CurveChart>("wholeChart")->curves()) {
            const bool isIt = curve.points == QList<QPointF>{{measured.front().cr, 30}};
            Curve elsewhere;
            setRunLook(elsewhere, "made", looksOf({"made"}).first());
            QVERIFY(!isIt || curve.colour == elsewhere.colour);
            found = found || isIt;
        }
        QVERIFY(found);
    }

    // Over CR perplexity rises, and sharing is never above one ratio for all.
    void curvesRise() {
        const ModelPredictor predictor(wholeCurves(), somePlan());
        const PredictedPerplexities curves = perplexitiesOver(predictor, {});
        QVERIFY(curves.shared.size() > 20 && curves.uniform.size() > 20);
        for (const auto* points : {&curves.shared, &curves.uniform}) {
            for (qsizetype i = 1; i < points->size(); ++i) {
                QVERIFY((*points)[i].y() >= (*points)[i - 1].y() - 1e-9);
            }
        }
    }

    // While few matrices are measured, what follows from them may be beyond any model's loss.
    void nonsenseIsNotTold() {
        ModelCurves curves = wholeCurves();
        curves.anchors.clear();
        for (LayerCurve& layer : curves.layers) {
            for (LayerPoint& point : layer.points) {
                point.cost *= 1e5;
            }
        }
        const ModelPredictor settled(curves, somePlan());
        const Prediction prediction = settled.predict({});
        QVERIFY(prediction.loss > 8);
        QVERIFY(!perplexitiesOver(settled, {}).shared.isEmpty());
        QVERIFY(!predictionTable(curves, prediction, {}).contains("no estimate yet"));
        curves.isComplete = false;
        const PredictedPerplexities over = perplexitiesOver(ModelPredictor(curves, somePlan()), {});
        QVERIFY(over.shared.isEmpty() && over.uniform.isEmpty());
        QVERIFY(predictionTable(curves, prediction, {}).contains("no estimate yet"));
        for (const Curve& curve : predictedCurves(over, prediction, {})) {
            QVERIFY(curve.points.isEmpty());
        }
    }

    void doubtsAreTold() {
        QVERIFY(part<QLabel>("wholeDoubts")->text().isEmpty());
        ModelCurves curves = wholeCurves();
        curves.anchors.clear();
        m_page->setCurves(curves);
        QVERIFY(part<QLabel>("wholeDoubts")->text().contains("not been tried"));
    }

    // Of the engine: the request, its events, and its end.
    void curvesComeFromTheEngine() {
        const QByteArray json = QByteArray::fromStdString(toJson(wholeCurves()).dump());
        EngineClient engine;
        useScript(engine,
                  QString("read -r line; echo '{\"id\":2,\"result\":{}}'\n"
                          "echo '{\"event\":\"progress\",\"request\":2,\"stage\":\"curves\","
                          "\"done\":1,\"total\":4}'\n"
                          "echo '{\"event\":\"model_curves\",\"request\":2,\"curves\":%1}'\n"
                          "echo '{\"event\":\"model_curves_finished\",\"request\":2,"
                          "\"status\":\"finished\",\"message\":\"\"}'\n"
                          "cat > /dev/null")
                      .arg(QString::fromUtf8(json)));
        CurveSource source(&engine);
        QSignalSpy arrived(&source, &CurveSource::arrived);
        QSignalSpy progressed(&source, &CurveSource::progressed);
        QSignalSpy ended(&source, &CurveSource::ended);
        source.measure(somePlan());
        QTRY_COMPARE(ended.count(), 1);
        QCOMPARE(arrived.count(), 1);
        QCOMPARE(progressed.count(), 1);
        QCOMPARE(progressed.front().at(1).toDouble(), 0.25);
        QVERIFY(!source.isMeasuring());
    }

    // Another setting has other curves: the old ones are not shown as its.
    void anotherSettingStartsAnew() {
        part<SliderSpin>("wholeRho")->setValue(3);
        QVERIFY(!m_page->shared() && !m_page->runToMake());
        QVERIFY(!part<QPushButton>("wholeRun")->isEnabled());
        QTRY_VERIFY(part<CurveChart>("wholeChart")->curves().isEmpty());
        QTRY_VERIFY(part<HeatMap>("wholeMap")->accessibleDescription().contains("once"));
    }
};

COSPADI_TEST(TestWholePage)

}  // namespace tst_whole_page

#include "tst_whole_page.moc"
