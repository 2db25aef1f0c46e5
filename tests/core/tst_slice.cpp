// Some layers of a run as a run of their own: the same files and records, and the model that
// compressing these layers alone makes.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/forms/matrix_file.h"
#include "core/methods/method.h"
#include "core/run/compression_run.h"
#include "core/run/requantize_run.h"
#include "core/run/resolve_specification.h"
#include "core/run/slice_run.h"
#include "core/store/method_label.h"
#include "core/store/run_directory.h"
#include "core/store/run_file.h"
#include "core/store/run_settings.h"
#include "small_runs.h"
#include "tests/core/message_of.h"
#include "tests/core/oracle_data.h"
#include "tests/core/small_model_fixture.h"
#include "tests/registered_test.h"

namespace tst_slice {

using namespace cospadi;
using small_runs::bytesIn;
using small_runs::logitsOf;
namespace fs = std::filesystem;

namespace {

constexpr const char* kUpGate = "ffn_(up|gate)";

nlohmann::json resultOf(const fs::path& run) { return readRunJson(run / "result.json", ""); }

std::map<std::string, nlohmann::json> rowsOf(const fs::path& run) {
    std::map<std::string, nlohmann::json> rows;
    const nlohmann::json result = resultOf(run);
    for (const nlohmann::json& row : result.at("matrices")) {
        rows[row.at("name")] = row;
    }
    return rows;
}

}  // namespace

class TestSlice : public QObject, SmallModelFixture {
    Q_OBJECT
    fs::path m_whole;

    RunSpecification specification(const char* method) const {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &methodFromName(method);
        s.calibration = small_runs::onText(8, 64);
        return s;
    }

    fs::path made(const RunSpecification& s, const std::string& name) const {
        RunExecution execution;
        execution.threads = 2;
        execution.writeModel = false;
        return executeRun(s, place("runs") / name, execution).directory;
    }

  private slots:
    void initTestCase() {
        makeModel();
        m_whole = made(specification("cospadi"), "whole");
    }

    void itIsTheRunOfTheseLayers() {
        const DerivedRun slice = sliceRun(m_whole, kUpGate);
        QVERIFY(!slice.wasThere);
        const fs::path& run = slice.summary.directory;
        QVERIFY(run.filename().string().find("-slice") != std::string::npos);
        // Two of seven kinds in two blocks.
        QCOMPARE(rowsOf(run).size(), std::size_t{4});
        for (const auto& [name, row] : rowsOf(run)) {
            QVERIFY(row == rowsOf(m_whole).at(name));
            QVERIFY2(fs::equivalent(unitFile(run / "matrices", name),
                                    unitFile(m_whole / "matrices", name)),
                     "is no link");
        }
        QCOMPARE(bytesIn(run / "matrices"), slice.summary.bytes);
        QCOMPARE(resultOf(run).at("bytes").get<std::int64_t>(), slice.summary.bytes);
        QVERIFY(resultOf(run).at("seconds").get<double>() <
                resultOf(m_whole).at("seconds").get<double>());
        // The layers by themselves are solved to the same numbers.
        RunSpecification alone = specification("cospadi");
        alone.layers = kUpGate;
        const fs::path direct = made(alone, "direct");
        QCOMPARE(rowsOf(direct).size(), std::size_t{4});
        for (const auto& [name, row] : rowsOf(direct)) {
            QVERIFY(
                readMatrixFile(unitFile(run / "matrices", name))
                    .weight->equals(*readMatrixFile(unitFile(direct / "matrices", name)).weight));
            // Headers have other digits, of the seconds that it took.
            QVERIFY(std::abs(row.at("bytes").get<std::int64_t>() -
                             rowsOf(run).at(name).at("bytes").get<std::int64_t>()) <= 64);
            QCOMPARE(row.at("relative_error"), rowsOf(run).at(name).at("relative_error"));
        }
        QVERIFY(logitsOf(loadModelOrRun(run.string())) ==
                logitsOf(loadModelOrRun(direct.string())));
        QVERIFY(logitsOf(loadModelOrRun(run.string())) !=
                logitsOf(loadModelOrRun(m_whole.string())));
        // In tables it is of one kind with such a run.
        QVERIFY(settingsOf(readRunDirectory(run).run) == settingsOf(readRunDirectory(direct).run));
        QCOMPARE(methodLabel(*specificationOf(readRunDirectory(run).run)),
                 std::string("cospadi (fast)"));
    }

    void againItIsTheSameRun() {
        const DerivedRun first = sliceRun(m_whole, "attn_q");
        const DerivedRun again = sliceRun(m_whole, "attn_q");
        QVERIFY(again.wasThere);
        QCOMPARE(again.summary.id, first.summary.id);
        fs::remove(first.summary.directory / "result.json");
        fs::remove(unitFile(first.summary.directory / "matrices", "blk.1.attn_q"));
        const DerivedRun resumed = sliceRun(m_whole, "attn_q");
        QVERIFY(!resumed.wasThere);
        QCOMPARE(resumed.summary.id, first.summary.id);
        QCOMPARE(resumed.summary.bytes, first.summary.bytes);
    }

    // The source may go: a hard link is the file itself.
    void itLivesWithoutItsSource() {
        const fs::path source = made(specification("svd"), "short-lived");
        const fs::path run = sliceRun(source, "ffn_down").summary.directory;
        const auto before = logitsOf(loadModelOrRun(run.string()));
        fs::remove_all(source);
        QVERIFY(logitsOf(loadModelOrRun(run.string())) == before);
    }

    // A slice of a run of some layers: its regex finds its layers among those of the model.
    void layersOfASliceAreItsOwn() {
        RunSpecification some = specification("svd");
        some.layers = "blk\\.0\\.|ffn_down";
        const fs::path source = made(some, "some");
        const fs::path run = sliceRun(source, "ffn_(up|down)").summary.directory;
        const RunSpecification s = *specificationOf(readRunDirectory(run).run);
        std::vector<std::string> names;
        for (const LayerInfo& layer : layersOf(s)) {
            names.push_back(layer.name);
        }
        QCOMPARE(names,
                 (std::vector<std::string>{"blk.0.ffn_up", "blk.0.ffn_down", "blk.1.ffn_down"}));
        QCOMPARE(rowsOf(run).size(), names.size());
        QCOMPARE(s.derived->sliceOf, some.layers);
        const auto again = sliceRun(run, "ffn_up");
        QCOMPARE(layersOf(*specificationOf(readRunDirectory(again.summary.directory).run)).size(),
                 std::size_t{1});
    }

    void groupsAreWholeOrRefused() {
        RunSpecification s = specification("cospadi");
        setOwnOption(s, "groups", "inputs");
        const fs::path source = made(s, "grouped");
        const std::string message = messageOf([&] { sliceRun(source, "ffn_up"); });
        for (const char* word :
             {"1 of the 2 layers", "blk.0.ffn_gate+1", "blk.0.ffn_up", "layers"}) {
            QVERIFY2(message.find(word) != std::string::npos, message.c_str());
        }
        const DerivedRun whole = sliceRun(source, kUpGate);
        QCOMPARE(bytesIn(whole.summary.directory / "matrices"), whole.summary.bytes);
        const StoredMatrix up =
            readMatrixFile(unitFile(whole.summary.directory / "matrices", "blk.1.ffn_up"));
        QCOMPARE(up.record.unit, std::string("blk.1.ffn_gate+1"));
        static_cast<void>(logitsOf(loadModelOrRun(whole.summary.directory.string())));
    }

    void allocationsComeAlong() {
        RunSpecification s = specification("svd-llm");
        s.allocation = &allocationFromName("svd-llm-v2");
        const fs::path source = made(s, "allocated");
        const fs::path run = sliceRun(source, "attn_").summary.directory;
        const nlohmann::json all = readRunJson(source / "allocation.json", "");
        const nlohmann::json part = readRunJson(run / "allocation.json", "");
        QVERIFY(part.contains("blk.0.attn_q") && part.at("rule") == all.at("rule"));
        QVERIFY(part.at("blk.0.attn_q") == all.at("blk.0.attn_q"));
        QVERIFY(all.contains("blk.0.ffn_up") && !part.contains("blk.0.ffn_up"));
        // Its ratios followed from the layers that are gone, and so it says what it is.
        const RunRow row = readRunDirectory(run).run;
        QVERIFY(methodLabel(*specificationOf(row)).find("slice") != std::string::npos);
        QCOMPARE(settingsOf(row).at("slice_of"), std::string(".*"));
    }

    void shortenedInTurn() {
        const fs::path slice = sliceRun(m_whole, "attn_k").summary.directory;
        Requantization how;
        how.bits = 10;
        const DerivedRun both = requantizeRun(slice, how);
        QCOMPARE(rowsOf(both.summary.directory).size(), std::size_t{2});
        const RunSpecification s = *specificationOf(readRunDirectory(both.summary.directory).run);
        QVERIFY(s.derived->isSlice() && s.derived->isRequantized());
        QCOMPARE(s.derived->from, readRunDirectory(slice).run.id);
    }

    void badInputIsNamed_data() {
        QTest::addColumn<QString>("layers");
        QTest::addColumn<QString>("says");
        QTest::newRow("nothing") << "ffn_sideways"
                                 << "matches none of the 14 layers";
        QTest::newRow("all") << "blk"
                             << "matches all layers";
        QTest::newRow("no expression") << "ffn_(up"
                                       << "not a regular expression";
    }

    void badInputIsNamed() {
        QFETCH(QString, layers);
        QFETCH(QString, says);
        const auto runs = [&] {
            return std::distance(fs::directory_iterator(place("runs")), fs::directory_iterator());
        };
        const auto before = runs();
        const std::string message = messageOf([&] { sliceRun(m_whole, layers.toStdString()); });
        QVERIFY2(message.find(says.toStdString()) != std::string::npos, message.c_str());
        QVERIFY(message.find("layers") != std::string::npos);
        QCOMPARE(runs(), before);
    }

    void unfinishedRunsAreRefused() {
        const fs::path run = made(specification("cospadi-free"), "unfinished");
        fs::remove(run / "result.json");
        const std::string message = messageOf([&] { sliceRun(run, kUpGate); });
        QVERIFY2(message.find("not finished") != std::string::npos, message.c_str());
    }
};

COSPADI_TEST(TestSlice)

}  // namespace tst_slice

#include "tst_slice.moc"
