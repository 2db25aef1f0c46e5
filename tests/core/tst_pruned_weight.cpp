// Pruned weights as files hold them: every bit comes back in the bytes that were planned, and what
// is damaged or forged is refused.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/forms/matrix_file.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "own_folder.h"
#include "tests/core/forged_files.h"
#include "tests/core/pruned_layers.h"
#include "tests/core/tensor_bytes.h"
#include "tests/registered_test.h"

namespace tst_pruned_weight {

using namespace cospadi;
using namespace cospadi::pruned_layers;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
namespace fs = std::filesystem;

namespace {

MatrixRecord recordOf(const MatrixXf& w) {
    MatrixRecord record;
    record.name = "blk.0.attn_q";
    record.kind = "attn_q";
    record.d1 = w.rows();
    record.d2 = w.cols();
    return record;
}

NmPattern patternOf(const char* name) {
    return nmPatternFromName(name, "pattern", NmPattern::kMostOfGroup);
}

}  // namespace

class TestPrunedWeight : public QObject, OwnFolder {
    Q_OBJECT
    CpuBackend m_backend{1};

    CompressedMatrix compressed(const MatrixXf& w, const MatrixXd& gram,
                                const MatrixOptions& options) {
        const Whitening whitening(gram, "layer");
        return compressMatrix(m_backend, w, &whitening, options);
    }

  private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void namesOfPatterns() {
        for (const char* name : {"unstructured", "2:4", "4:8", "1:2", "3:7", "31:32"}) {
            QCOMPARE(patternOf(name).name(), std::string(name));
        }
        QCOMPARE(patternOf("2:4").placeBits(), 2);
        QCOMPARE(patternOf("4:8").placeBits(), 3);
        QCOMPARE(patternOf("1:5").placeBits(), 3);
        QCOMPARE(patternOf("1:32").placeBits(), 5);
        for (const char* wrong : {"", ":", "2:", ":4", "2:4:8", "4:4", "5:4", "0:4", "-1:4", "2:33",
                                  "2:4 ", "2.4", "dense", "2:99999999999"}) {
            try {
                static_cast<void>(patternOf(wrong));
                QFAIL(wrong);
            } catch (const Error& error) {
                QCOMPARE(error.where(), std::string("pattern"));
            }
        }
    }

    // The file gives back every bit, in the planned bytes; the layer computes with it.
    void filesGiveThemBack_data() { allOfThem(); }
    void filesGiveThemBack() {
        QFETCH(QByteArray, method);
        QFETCH(QByteArray, pattern);
        const MatrixXf w = randomMatrix(72, 37, 2);
        const MatrixOptions options =
            optionsOf(methodFromName(method.toStdString()), pattern.toStdString(), 0.3);
        const CompressedMatrix result = compressed(w, correlatedGram(72, 4), options);
        const MatrixXf back = result.weight->recomposed();
        const fs::path path = place(QByteArray(method + pattern).constData());
        MatrixRecord record = recordOf(w);
        writeMatrixFile(path, *result.weight, record);
        const StoredMatrix read = readMatrixFile(path);
        QVERIFY(read.weight->equals(*result.weight));
        QVERIFY(read.weight->recomposed() == back);
        QVERIFY(read.weight->makeLayer(record.bytes)->denseWeight() == back);
        QCOMPARE(read.record.form, std::string(PrunedWeight::kForm));
        const StoragePlan plan = options.method->plan(options, 72, 37);
        QVERIFY(read.record.facts == plan.facts);
        QCOMPARE(read.record.multiplications,
                 static_cast<std::int64_t>(entriesOf(result).kept.count()));
        QCOMPARE(plan.facts.at("pattern").get<std::string>(), pattern.toStdString());
        const auto kept = static_cast<double>(entriesOf(result).kept.count());
        QVERIFY(std::abs(plan.facts.at("sparsity").get<double>() - (1 - kept / (72 * 37))) < 1e-12);

        const std::size_t bytes = testing::tensorBytes(path);
        QCOMPARE(static_cast<double>(bytes), plan.bytes());

        // Another weight is another one.
        PrunedEntries other = entriesOf(result);
        other.values.front() ^= 1U;
        QVERIFY(!PrunedWeight(other).equals(*result.weight));
    }

    // Forged files are refused by name, whatever sizes and places they claim.
    void damagedFilesAreRefused_data() { allPatterns(); }
    void damagedFilesAreRefused() {
        QFETCH(QByteArray, pattern);
        const MatrixXf w = randomMatrix(64, 32, 17);
        const CompressedMatrix result = compressed(w, MatrixXd::Identity(64, 64),
                                                   optionsOf(wandaMethod(), pattern.toStdString()));
        const fs::path whole = place("whole.safetensors");
        MatrixRecord record = recordOf(w);
        writeMatrixFile(whole, *result.weight, record);
        static_cast<void>(readMatrixFile(whole));
        const bool grouped = pattern != "unstructured";
        const std::string group = std::to_string(groupsOf(pattern).second);
        const std::string kept = std::to_string(groupsOf(pattern).first);
        std::vector<std::pair<std::string, std::string>> forgeries = {
            {"\\\"d1\\\":64", "\\\"d1\\\":99"},
            {"\\\"d2\\\":32", "\\\"d2\\\":99"},
            {"\"kept\":\"" + kept, "\"kept\":\"9"},
            {"\"kept\":\"" + kept, "\"kept\":\"x"},
            {"\"group\":\"" + group, "\"group\":\"1"},
            {"\"group\":\"" + group, "\"group\":\"-"},
            {".values\"", ".valued\""},
            {grouped ? ".places\"" : ".mask\"", grouped ? ".plates\"" : ".mast\""}};
        for (const auto& [from, to] : forgeries) {
            const fs::path forged = forged::replaced(whole, place("forged.safetensors"), from, to);
            QVERIFY2(!forged.empty(), from.c_str());
            try {
                static_cast<void>(readMatrixFile(forged));
                QFAIL((from + " became " + to).c_str());
            } catch (const Error& error) {
                QVERIFY2(std::string(error.what()).find(forged.string()) != std::string::npos,
                         error.what());
            }
        }
    }

    // Places that do not ascend, and a mask of which the values are too few, under sizes that are
    // right.
    void damagedPlacesAreRefused_data() { allPatterns(); }
    void damagedPlacesAreRefused() {
        QFETCH(QByteArray, pattern);
        const MatrixXf w = randomMatrix(64, 32, 18);
        const CompressedMatrix result = compressed(w, MatrixXd::Identity(64, 64),
                                                   optionsOf(wandaMethod(), pattern.toStdString()));
        const fs::path path = place("places.safetensors");
        MatrixRecord record = recordOf(w);
        writeMatrixFile(path, *result.weight, record);
        const char* places =
            pattern == "unstructured" ? "blk.0.attn_q.mask" : "blk.0.attn_q.places";
        for (const char damage : {'\x00', '\xff'}) {
            const fs::path forged =
                forged::withFirstBytes(path, place("forged.safetensors"), places, damage, 3);
            QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(readMatrixFile(forged)));
        }
    }
};

COSPADI_TEST(TestPrunedWeight)

}  // namespace tst_pruned_weight

#include "tst_pruned_weight.moc"
