// What compressed layers take beside the model's own file: the sums against the formats' definition
// (a block of Q4_1 is 32 weights in 20 bytes), and the warning where the result is the larger one.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/model/model_locator.h"
#include "core/run/compression_run.h"
#include "core/run/resolve_specification.h"
#include "core/run/run_writer.h"
#include "core/store/run_directory.h"
#include "core/store/run_file.h"
#include "core/store/run_store.h"
#include "core/store/source_bytes.h"
#include "own_folder.h"
#include "tests/registered_test.h"

namespace tst_source_bytes {

using namespace cospadi;
namespace fs = std::filesystem;

class TestSourceBytes : public QObject, OwnFolder {
    Q_OBJECT

    static RunSpecification specification(const std::string& model, const char* layers) {
        RunSpecification s;
        s.model = model;
        s.method = &methodFromName("svd");
        s.layers = layers;
        return s;
    }

    // As a run of before 0.2 has it.
    static void eraseSource(const fs::path& directory) {
        nlohmann::json run = readRunJson(directory / "run.json", "");
        QCOMPARE(static_cast<int>(run.erase("source")), 1);
        std::ofstream(directory / "run.json") << run.dump();
    }

    // The run's warnings, those without a matrix.
    static std::vector<std::string> warningsOf(const RunSpecification& s, const fs::path& directory,
                                               RunSummary& run) {
        std::vector<std::string> warnings;
        RunExecution execution;
        execution.writeModel = false;
        execution.onEvent = [&](const nlohmann::json& event) {
            if (event.at("event") == "warning" && event.at("matrix") == "") {
                warnings.push_back(event.at("message").get<std::string>());
            }
        };
        run = executeRun(s, directory, execution);
        return warnings;
    }

  private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void sumsAreKnownOrNot() {
        SourceBytes none;
        QVERIFY(!none.known());
        SourceBytes mixed;
        mixed.add("Q6_K", 210);
        mixed.add("Q4_K", 144);
        mixed.add("Q4_K", 144);
        QVERIFY(mixed.known());
        QCOMPARE(mixed.bytes(), 498);
        QCOMPARE(mixed.types(), std::string("Q4_K, Q6_K"));
        mixed.add("", 0);  // a layer that is not stored densely
        QVERIFY(!mixed.known());
        QCOMPARE(mixed.bytes(), 0);
        QCOMPARE(mixed.types(), std::string());
    }

    void warnsOfAResultLargerThanItsSource() {
        fs::path model;
        try {
            model = locateModel("default");
        } catch (const std::exception& error) {
            QSKIP(error.what());
        }
        RunSummary run;
        const auto warnings =
            warningsOf(specification(model.string(), "^blk\\.0\\.attn_k$"), place("q4"), run);
        constexpr std::int64_t q4 = 576 * 192 / 32 * 20;
        QCOMPARE(run.sourceType, std::string("Q4_1"));
        QCOMPARE(run.sourceBytes, q4);
        QCOMPARE(run.denseBytes, 2 * 576 * 192);
        QVERIFY(run.bytes > q4);
        QCOMPARE(static_cast<int>(warnings.size()), 1);
        QVERIFY(warnings[0].find("Q4_1") != std::string::npos);

        // In the files, the record of a matrix included, and in the index.
        const nlohmann::json result = readRunJson(place("q4") / "result.json", "");
        QCOMPARE(result.at("source_bytes").get<std::int64_t>(), q4);
        QCOMPARE(result.at("matrices").at(0).at("source_type").get<std::string>(),
                 std::string("Q4_1"));
        RunStore store = RunStore::open(place("store.sqlite"));
        const std::string id = store.importRun(place("q4"));
        QCOMPARE(store.find(id).sourceBytes, q4);
        QCOMPARE(store.find(id).sourceType, std::string("Q4_1"));
        QCOMPARE(store.matrices(id).at(0).sourceBytes, q4);
        QVERIFY(store.matrices(id).at(0).coreSeconds > 0);

        // A run that has no result says it by its own record, or, of before 0.2, by its events.
        fs::remove(place("q4") / "result.json");
        const auto requireKnown = [&] {
            const RunRecord record = readRunDirectory(place("q4"));
            QCOMPARE(record.run.sourceBytes, q4);
            QCOMPARE(record.run.sourceType, std::string("Q4_1"));
        };
        requireKnown();
        eraseSource(place("q4"));
        requireKnown();
    }

    // Layers of several types, none of them finished: of the file's definition alone.
    void aRunThatNeverFinishedKnowsItsSource() {
        fs::path model;
        try {
            model = locateModel("default");
        } catch (const std::exception& error) {
            QSKIP(error.what());
        }
        const RunSpecification s = resolved(specification(model.string(), "^blk\\.[01]\\.attn_k$"));
        static_cast<void>(RunWriter(place("begun"), s));
        constexpr std::int64_t dense = 2 * (2 * 576 * 192);
        constexpr std::int64_t q4 = 2 * (576 * 192 / 32 * 20);
        const nlohmann::json source = readRunJson(place("begun") / "run.json", "").at("source");
        QCOMPARE(source.at("matrices").get<int>(), 2);
        QCOMPARE(source.at("dense_bytes").get<std::int64_t>(), dense);
        // An index made anew has it from there, though no matrix is done.
        RunStore store = RunStore::open(place("anew.sqlite"));
        const RunRow row = store.find(store.importRun(place("begun")));
        QCOMPARE(row.status, std::string("interrupted"));
        QCOMPARE(row.matrices, 0);
        QCOMPARE(row.sourceBytes, q4);
        QCOMPARE(row.sourceType, std::string("Q4_1"));
    }

    // The dense model has no compressed layers, and nothing beside which they could stand.
    void aDenseRunHasNone() {
        RunSpecification s = specification(COSPADI_TEST_DATA "/arch/llama_biases/model.gguf", ".*");
        s.method = &methodFromName("dense");
        static_cast<void>(RunWriter(place("dense"), resolved(s)));
        QVERIFY(!readRunJson(place("dense") / "run.json", "").contains("source"));
    }

    void aDamagedSourceIsRefused() {
        const RunSpecification s =
            resolved(specification(COSPADI_TEST_DATA "/arch/llama_biases/model.gguf", "ffn_up"));
        static_cast<void>(RunWriter(place("damaged"), s));
        const nlohmann::json whole = readRunJson(place("damaged") / "run.json", "");
        for (const auto& [source, isRefused] :
             std::vector<std::pair<nlohmann::json, bool>>{{"Q4_1", true},
                                                          {{{"source_bytes", "many"}}, true},
                                                          {{{"source_bytes", 1e300}}, true},
                                                          {{{"source_bytes", -5}}, false},
                                                          {nullptr, false}}) {
            nlohmann::json run = whole;
            run["source"] = source;
            std::ofstream(place("damaged") / "run.json") << run.dump();
            if (isRefused) {
                QVERIFY_THROWS_EXCEPTION(Error, readRunDirectory(place("damaged")));
            } else {
                QCOMPARE(readRunDirectory(place("damaged")).run.sourceBytes, 0);
            }
        }
    }

    void aPlainSourceIsLarger() {
        RunSummary run;
        const auto warnings =
            warningsOf(specification(COSPADI_TEST_DATA "/arch/llama_biases/model.gguf", "ffn_up"),
                       place("plain"), run);
        QCOMPARE(run.sourceType, std::string("F32"));
        QCOMPARE(run.sourceBytes, 2 * run.denseBytes);
        QVERIFY(warnings.empty());
    }

    // Files of before 0.2 do not say; they open as ever.
    void olderRunsDoNotSay() {
        RunSummary run;
        static_cast<void>(
            warningsOf(specification(COSPADI_TEST_DATA "/arch/llama_biases/model.gguf", "ffn_up"),
                       place("older"), run));
        nlohmann::json result = readRunJson(place("older") / "result.json", "");
        for (const char* field :
             {"source_type", "source_bytes", "core_seconds", "allocation_seconds"}) {
            result.erase(field);
            for (nlohmann::json& matrix : result.at("matrices")) {
                matrix.erase(field);
            }
        }
        std::ofstream(place("older") / "result.json") << result.dump();
        eraseSource(place("older"));
        QCOMPARE(summaryOfRun(place("older")).sourceBytes, 0);
        RunStore store = RunStore::open(place("store.sqlite"));
        const RunRow row = store.find(store.importRun(place("older")));
        QCOMPARE(row.sourceBytes, 0);
        QCOMPARE(row.sourceType, std::string());
        QVERIFY(std::isnan(row.coreSeconds));
        QCOMPARE(largerThanSource(row.layerBytes, row.sourceType, row.sourceBytes), std::string());
    }
};

COSPADI_TEST(TestSourceBytes)

}  // namespace tst_source_bytes

#include "tst_source_bytes.moc"
