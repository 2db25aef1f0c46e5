// The small maps of the Pattern page over real run directories and their store: a kind through the
// depth, a matrix over the values of a setting, against codes written by hand.
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QScopeGuard>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QThreadPool>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/forms/matrix_file.h"
#include "core/store/locations.h"
#include "tests/registered_test.h"
#include "tests/ui/child_of.h"
#include "tests/ui/nameless_widgets.h"
#include "ui/base/theme.h"
#include "ui/charts/map_tiles.h"
#include "ui/charts/pattern_view.h"
#include "ui/pages/pattern/pattern_grid.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/empty_state.h"

namespace tst_pattern_grid {

using namespace cospadi;
using namespace cospadi::ui;
using nlohmann::json;

namespace {

// Rows of S, an atom each; '#' is an entry.
using Mask = std::vector<const char*>;
const Mask kTwoAtoms = {"##..", "###."};
const Mask kThreeAtoms = {"#...", "####", ".##."};

SparseDictionaryFactors factorsOf(const Mask& mask) {
    const auto k = static_cast<Eigen::Index>(mask.size());
    const auto columns = static_cast<Eigen::Index>(std::string(mask[0]).size());
    SparseDictionaryFactors factors;
    factors.dictionary = Eigen::MatrixXf::Identity(8, k);
    factors.codes = Eigen::MatrixXf::Zero(k, columns);
    for (Eigen::Index i = 0; i < k; ++i) {
        for (Eigen::Index j = 0; j < columns; ++j) {
            factors.codes(i, j) = mask[static_cast<std::size_t>(i)][j] == '#' ? 1.0F : 0.0F;
        }
    }
    factors.s = k;
    return factors;
}

std::filesystem::path writeRun(const std::string& id, double cr, double rho, int seed,
                               const std::vector<std::pair<std::string, Mask>>& matrices) {
    const std::filesystem::path directory = runsDirectory() / id;
    std::filesystem::create_directories(directory / "matrices");
    json records = json::array();
    for (const auto& [name, mask] : matrices) {
        const SparseDictionaryFactors factors = factorsOf(mask);
        MatrixRecord record;
        record.name = name;
        record.kind = name.substr(name.rfind('.') + 1);
        record.d1 = factors.dictionary.rows();
        record.d2 = factors.codes.cols();
        record.k = factors.codes.rows();
        record.s = factors.s;
        writeMatrixFile(directory / "matrices" / (name + ".safetensors"), *storedWeight(factors),
                        record);
        records.push_back({{"name", name}, {"kind", record.kind}, {"relative_error", 0.1}});
    }
    std::ofstream(directory / "run.json") << json{{"format", 1},
                                                  {"id", id},
                                                  {"created", "2026-11-21T04:00:00Z"},
                                                  {"specification",
                                                   {{"model", "/m/smol.gguf"},
                                                    {"method", "cospadi"},
                                                    {"solver", "fast"},
                                                    {"layers", ".*"},
                                                    {"cr", cr},
                                                    {"rho", rho},
                                                    {"iterations", 0},
                                                    {"seed", seed}}}};
    std::ofstream(directory / "result.json")
        << json{{"status", "finished"}, {"seconds", 10},         {"bytes", 1e6},
                {"dense_bytes", 2e6},   {"relative_error", 0.1}, {"matrices", records}};
    return directory;
}

// '#' where a shade is full, '.' where it is empty.
QStringList drawn(const QImage& map) {
    QStringList rows;
    for (int y = 0; y < map.height(); ++y) {
        QString row;
        for (int x = 0; x < map.width(); ++x) {
            row += map.pixelIndex(x, y) == 255 ? '#' : map.pixelIndex(x, y) == 0 ? '.' : '?';
        }
        rows << row;
    }
    return rows;
}

}  // namespace

class TestPatternGrid : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<PatternPage> m_page;

    QComboBox* box(const char* name) { return childOf<QComboBox>(*m_page, name); }

    void open(const std::string& run) {
        m_page->setRuns(readRunCatalog(runsDirectory()).runs);
        m_page->showRun(QString::fromStdString((runsDirectory() / run).string()));
    }

    MapTiles* tiles() { return m_page->grid()->tiles(); }

    QStringList titles() {
        QStringList words;
        for (const MapTile& tile : tiles()->tiles()) {
            words << tile.title;
        }
        return words;
    }

    QString message() {
        auto* empty = m_page->grid()->findChild<EmptyState*>();
        return empty->isHidden() ? QString() : empty->text();
    }

    // With COSPADI_SCREENSHOTS=DIR.
    void picture(const QString& name) {
        const QString folder = qEnvironmentVariable("COSPADI_SCREENSHOTS");
        if (!folder.isEmpty()) {
            QTest::qWait(100);
            QVERIFY(m_page->grab().save(folder + '/' + name + ".png"));
        }
    }

  private slots:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("COSPADI_RUNS", m_folder->filePath("runs").toUtf8());
        applyTheme(*qApp);
        m_page = std::make_unique<PatternPage>();
        m_page->resize(1200, 800);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    }

    void cleanup() { m_page.reset(); }

    // The other kinds of its blocks are left out; the most used atom stands first; a click and the
    // keyboard open one.
    void aKindThroughTheDepth() {
        writeRun("deep", 0.2, 2, 1,
                 {{"blk.0.attn_q", kTwoAtoms},
                  {"blk.0.ffn_up", kThreeAtoms},
                  {"blk.2.attn_q", kThreeAtoms},
                  {"blk.10.attn_q", kTwoAtoms}});
        open("deep");
        box("patternArrangement")->setCurrentIndex(1);
        QTRY_VERIFY(!m_page->grid()->isBusy());
        QCOMPARE(titles(), (QStringList{"blk.0", "blk.2", "blk.10"}));
        QCOMPARE(drawn(tiles()->tiles()[0].map), (QStringList{"###.", "##.."}));
        QCOMPARE(drawn(tiles()->tiles()[1].map), (QStringList{"####", ".##.", "#..."}));
        QCOMPARE(tiles()->tiles()[1].entries, QSize(4, 3));
        QVERIFY(tiles()->describe(0).contains("62 %") || tiles()->describe(0).contains("63 %"));
        QCOMPARE(tiles()->fullShare(), 1.0);
        picture("pattern-grid");
        // One scale: entries are as large in all maps.
        QCOMPARE(tiles()->tileRect(0).width(), tiles()->tileRect(1).width());
        QVERIFY(std::abs(tiles()->tileRect(0).height() * 3 - tiles()->tileRect(1).height() * 2) <
                1e-6);
        const QStringList nameless = namelessIn(*m_page);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("\n")));
        const ExportSource source = m_page->grid()->exportSource();
        QVERIFY(source.csv().startsWith("map,row,column,share\nblk.0,0,0,1\n"));
        QCOMPARE(source.csv().count('\n'), 1 + 8 + 12 + 8);
        QVERIFY(writeExport(source, {ExportFormat::Svg, QSize(500, 400)},
                            m_folder->filePath("grid.svg"))
                    .isEmpty());

        QTest::mouseClick(tiles(), Qt::LeftButton, {}, tiles()->tileRect(1).center().toPoint());
        QTRY_COMPARE(m_page->view()->image().size(), QSize(4, 3));
        QCOMPARE(box("patternMatrix")->currentText(), "blk.2.attn_q");
        QCOMPARE(box("patternArrangement")->currentIndex(), 0);
        QVERIFY(m_page->view()->isVisible());

        box("patternArrangement")->setCurrentIndex(1);
        QTRY_VERIFY(!m_page->grid()->isBusy());
        QVERIFY(!m_page->view()->isVisible());
        for (const Qt::Key key : {Qt::Key_Right, Qt::Key_End}) {
            QTest::keyClick(tiles(), key);
        }
        QVERIFY2(tiles()->accessibleDescription().startsWith("blk.10: 2 atoms × 4 columns"),
                 qPrintable(tiles()->accessibleDescription()));
        QTest::keyClick(tiles(), Qt::Key_Return);
        QTRY_COMPARE(box("patternMatrix")->currentText(), "blk.10.attn_q");
        QTRY_COMPARE(m_page->view()->image().size(), QSize(4, 2));
    }

    // Those that differ in ρ alone stand beside each other, in its order; those that differ in CR
    // or in two settings do not.
    void aMatrixOverASetting() {
        writeRun("rho-two", 0.2, 2, 1, {{"blk.0.attn_q", kTwoAtoms}});
        writeRun("rho-three", 0.2, 3, 1, {{"blk.0.attn_q", kThreeAtoms}});
        writeRun("rho-less", 0.2, 1.5, 1, {{"blk.0.attn_q", kTwoAtoms}});
        writeRun("cr", 0.3, 2, 1, {{"blk.0.attn_q", kThreeAtoms}});
        writeRun("both", 0.4, 4, 1, {{"blk.0.attn_q", kThreeAtoms}});
        writeRun("elsewhere", 0.2, 2.5, 1, {{"blk.1.attn_q", kThreeAtoms}});
        open("rho-two");
        box("patternArrangement")->setCurrentIndex(2);
        QTRY_COMPARE(titles(), (QStringList{"ρ 1.5", "ρ 2", "ρ 3"}));
        QTRY_VERIFY(!m_page->grid()->isBusy());
        QCOMPARE(tiles()->tiles()[2].entries, QSize(4, 3));
        QComboBox* setting = box("patternSetting");
        QVERIFY(setting->isVisible());
        QCOMPARE(setting->count(), 2);
        QCOMPARE(setting->currentText(), "rho (3)");
        picture("pattern-setting");
        setting->setCurrentIndex(setting->findData("cr"));
        QTRY_COMPARE(titles(), (QStringList{"CR 0.2", "CR 0.3"}));
        QTRY_VERIFY(!m_page->grid()->isBusy());
        QTest::mouseClick(tiles(), Qt::LeftButton, {}, tiles()->tileRect(1).center().toPoint());
        QTRY_COMPARE(m_page->view()->image().size(), QSize(4, 3));
        QCOMPARE(box("patternArrangement")->currentIndex(), 0);
    }

    void whatIsMissingIsSaid() {
        box("patternArrangement")->setCurrentIndex(1);
        QVERIFY(m_page->view()->findChild<EmptyState*>()->text().contains("No pattern yet"));
        box("patternArrangement")->setCurrentIndex(0);
        writeRun("alone", 0.2, 2, 1, {{"blk.3.attn_q", kTwoAtoms}});
        open("alone");
        box("patternArrangement")->setCurrentIndex(1);
        QVERIFY2(message().contains("blk.3"), qPrintable(message()));
        QVERIFY(tiles()->tiles().isEmpty());
        box("patternArrangement")->setCurrentIndex(2);
        QTRY_VERIFY2(message().contains("Sweep"), qPrintable(message()));
        // A run of another CR has ended meanwhile.
        writeRun("other", 0.5, 2, 1, {{"blk.3.attn_q", kThreeAtoms}});
        open("alone");
        QTRY_COMPARE(titles(), (QStringList{"CR 0.2", "CR 0.5"}));
        QCOMPARE(message(), QString());
    }

    // The others are there all the same.
    void aDamagedMapSaysSo() {
        const auto directory =
            writeRun("torn", 0.2, 2, 1, {{"blk.0.attn_q", kTwoAtoms}, {"blk.1.attn_q", kTwoAtoms}});
        open("torn");
        QTRY_VERIFY(!m_page->view()->isEmpty());
        std::filesystem::resize_file(directory / "matrices/blk.0.attn_q.safetensors", 30);
        box("patternArrangement")->setCurrentIndex(1);
        QTRY_VERIFY(!m_page->grid()->isBusy());
        QVERIFY(!tiles()->tiles()[0].problem.isEmpty());
        QVERIFY(tiles()->tiles()[0].map.isNull());
        QVERIFY(!tiles()->tiles()[1].map.isNull());
        QVERIFY(tiles()->describe(0).contains(tiles()->tiles()[0].problem));
    }

    // While nothing can be read yet, three questions: the last one alone is answered.
    void theLatestQuestionCounts() {
        writeRun("deep", 0.2, 2, 1,
                 {{"blk.0.attn_q", kTwoAtoms},
                  {"blk.0.ffn_up", kThreeAtoms},
                  {"blk.1.attn_q", kTwoAtoms},
                  {"blk.1.ffn_up", kThreeAtoms},
                  {"blk.2.ffn_up", kThreeAtoms}});
        open("deep");
        QTRY_VERIFY(!m_page->view()->isEmpty());
        m_page->setUpdatesEnabled(false);  // Qt paints with the same pool
        QSemaphore gate;
        QThreadPool* pool = QThreadPool::globalInstance();
        const int threads = pool->maxThreadCount();
        for (int i = 0; i < threads; ++i) {
            pool->start([&gate] { gate.acquire(); });
        }
        auto opened = qScopeGuard([&] { gate.release(threads); });
        box("patternArrangement")->setCurrentIndex(1);
        QCOMPARE(titles(), (QStringList{"blk.0", "blk.1"}));
        QVERIFY(tiles()->tiles()[0].map.isNull());  // and the window goes on
        QComboBox* matrix = box("patternMatrix");
        matrix->setCurrentIndex(matrix->findText("blk.1.ffn_up"));
        QCOMPARE(titles(), (QStringList{"blk.0", "blk.1", "blk.2"}));
        opened.dismiss();
        gate.release(threads);
        m_page->setUpdatesEnabled(true);
        QTRY_VERIFY(!m_page->grid()->isBusy());
        for (const MapTile& tile : tiles()->tiles()) {
            QCOMPARE(drawn(tile.map), (QStringList{"####", ".##.", "#..."}));
        }
    }
};

COSPADI_TEST(TestPatternGrid)

}  // namespace tst_pattern_grid

#include "tst_pattern_grid.moc"
