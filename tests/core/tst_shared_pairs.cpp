// Groups that a run chooses: pairs of layers whose weights were made of one basis are found,
// however far apart they are; estimates against Eigen's own decompositions; pairs against all that
// there are; what a run makes of it, and that it goes on with what it chose.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "core/allocation/shared_pairs.h"
#include "core/methods/layer_groups.h"
#include "core/methods/method.h"
#include "core/run/compression_run.h"
#include "core/store/run_specification.h"
#include "core/tensors/safetensors.h"
#include "own_folder.h"
#include "small_runs.h"
#include "tests/core/matrix_contents.h"
#include "tests/core/oracle_data.h"
#include "tests/core/reference_algebra.h"
#include "tests/gpu/small_model.h"
#include "tests/registered_test.h"

namespace tst_shared_pairs {

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int kBlocks = 4;
constexpr double kCr = 0.9;  // of 64 x 64: rank 3 alone, 4 shared

// As PyTorch stores it: (outputs, inputs).
using Weights = std::map<std::string, std::vector<float>>;

// The weight of a layer of 64 inputs whose columns lie in the space that `basis` spans.
std::vector<float> weightIn(const Eigen::MatrixXf& basis, int outputs, std::mt19937& random) {
    std::normal_distribution<float> normal;
    const Eigen::MatrixXf mixed =
        Eigen::MatrixXf::NullaryExpr(basis.cols(), outputs, [&] { return normal(random); });
    const Eigen::MatrixXf w = 0.1F * basis * mixed;  // (inputs, outputs), column after column
    return {w.data(), w.data() + w.size()};
}

// The small model with `kBlocks` blocks: those of the file in turn, but for what `planted` holds.
fs::path makeDeepModel(const fs::path& folder, const Weights& planted) {
    makeSmallModel(folder);
    json config = json::parse(oracle::text(folder / "config.json"));
    config["num_hidden_layers"] = kBlocks;
    const std::string whole = oracle::text(folder / "model.safetensors");
    std::uint64_t length = 0;
    std::memcpy(&length, whole.data(), 8);
    const json old = json::parse(whole.substr(8, length));
    json header;
    std::string data;
    const auto add = [&](const std::string& name, const std::string& source) {
        const json& tensor = old.at(source);
        const std::size_t begin = tensor.at("data_offsets").at(0);
        const std::size_t end = tensor.at("data_offsets").at(1);
        header[name] = {{"dtype", "F32"},
                        {"shape", tensor.at("shape")},
                        {"data_offsets", {data.size(), data.size() + end - begin}}};
        if (const auto own = planted.find(name); own != planted.end()) {
            data.append(reinterpret_cast<const char*>(own->second.data()), end - begin);
        } else {
            data.append(whole, 8 + length + begin, end - begin);
        }
    };
    const std::string prefix = "model.layers.";
    for (const auto& [name, tensor] : old.items()) {
        if (name == "__metadata__") {
            continue;
        }
        if (!name.starts_with(prefix)) {
            add(name, name);
            continue;
        }
        const int block = name[prefix.size()] - '0';
        for (int copy = block; copy < kBlocks; copy += 2) {
            add(prefix + std::to_string(copy) + name.substr(prefix.size() + 1), name);
        }
    }
    const std::string text = header.dump();
    const std::uint64_t size = text.size();
    std::ofstream file(folder / "model.safetensors", std::ios::binary);
    file.write(reinterpret_cast<const char*>(&size), 8);
    file << text << data;
    std::ofstream(folder / "config.json") << config.dump();
    return folder;
}

std::string queryOf(int block) {
    return "model.layers." + std::to_string(block) + ".self_attn.q_proj.weight";
}

// Queries of blocks 0 and 3 lie in one space of four dimensions, those of 1 and 2 in another.
Weights plantedQueries() {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    Weights planted;
    for (const auto& [one, other] : {std::pair(0, 3), std::pair(1, 2)}) {
        const Eigen::MatrixXf basis =
            Eigen::MatrixXf::NullaryExpr(64, 4, [&] { return normal(random); });
        planted[queryOf(one)] = weightIn(basis, 64, random);
        planted[queryOf(other)] = weightIn(basis, 64, random);
    }
    return planted;
}

double tailOf(const Eigen::MatrixXd& w, std::int64_t rank) {
    const Eigen::VectorXd squares = reference::svd(w).values.array().square();
    return squares.tail(squares.size() - rank).sum() / squares.sum();
}

// The largest sum of gains of any disjoint pairs.
double bestOf(const std::vector<PairGain>& pairs, std::size_t from, std::set<std::size_t> taken) {
    double best = 0;
    for (std::size_t i = from; i < pairs.size(); ++i) {
        if (taken.contains(pairs[i].first) || taken.contains(pairs[i].second)) {
            continue;
        }
        std::set<std::size_t> with = taken;
        with.insert({pairs[i].first, pairs[i].second});
        best = std::max(best, pairs[i].gain + bestOf(pairs, i + 1, with));
    }
    return best;
}

double sumOf(const std::vector<PairGain>& pairs) {
    double sum = 0;
    for (const PairGain& pair : pairs) {
        sum += pair.gain;
    }
    return sum;
}

}  // namespace

class TestSharedPairs : public QObject, OwnFolder {
    Q_OBJECT
    fs::path m_model;

    RunSpecification specification(const char* method) const {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &methodFromName(method);
        s.cr = kCr;
        s.calibration = small_runs::onText(12, 64);
        setOwnOption(s, "groups", "adaptive");
        return s;
    }

    static std::vector<LayerInfo> layersOf(const Model& model, const std::string& pattern) {
        return selectLayers(model.layers(), pattern);
    }

  private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_CACHE_HOME", m_folder.path().toUtf8());
        m_model = makeDeepModel(place("model"), plantedQueries());
    }

    // The pair in the middle has the largest gain, but the two that it would take apart have more.
    void greedIsMended() {
        const auto pairs = disjointPairs({{0, 1, 2}, {1, 2, 3}, {2, 3, 2}});
        QCOMPARE(pairs.size(), std::size_t{2});
        QCOMPARE(pairs[0].first, std::size_t{0});
        QCOMPARE(pairs[1].first, std::size_t{2});
        QVERIFY(disjointPairs({{0, 1, 0}, {1, 2, -1}}).empty());
        QVERIFY(disjointPairs({}).empty());
    }

    void pairsAgainstAllThatThereAre() {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> uniform(-0.2, 1);
        int optimal = 0;
        constexpr int kTimes = 60;
        for (int time = 0; time < kTimes; ++time) {
            std::vector<PairGain> all;
            for (std::size_t i = 0; i < 7; ++i) {
                for (std::size_t j = i + 1; j < 7; ++j) {
                    all.push_back({i, j, uniform(random)});
                }
            }
            const auto found = disjointPairs(all);
            std::set<std::size_t> seen;
            for (const PairGain& pair : found) {
                QVERIFY(pair.gain > 0);
                QVERIFY(seen.insert(pair.first).second && seen.insert(pair.second).second);
            }
            const double best = bestOf(all, 0, {});
            QVERIFY(sumOf(found) <= best + 1e-12);
            QVERIFY(sumOf(found) >= 0.5 * best);  // what greed alone guarantees
            optimal += sumOf(found) > best - 1e-12 ? 1 : 0;
        }
        QVERIFY2(optimal >= kTimes * 8 / 10, qPrintable(QString::number(optimal)));
    }

    // Without a calibration: pairs of one space leave nothing, any other something.
    void whatWasPlantedIsFound() {
        const Model model = Model::load(m_model);
        ThreadPool pool(2);
        const std::vector<LayerInfo> layers = layersOf(model, "attn_q");
        QCOMPARE(layers.size(), std::size_t{kBlocks});
        const auto chosen = chooseSharedPairs({model, pool, nullptr, layers, kCr}, {}, {});
        QCOMPARE(chosen->pairs.size(), std::size_t{2});
        QCOMPARE(chosen->pairs[0].second, std::size_t{3});
        QCOMPARE(chosen->pairs[1].second, std::size_t{2});
        double alone = 0;
        for (const LayerInfo& layer : layers) {
            alone += tailOf(model.weight(layer.name).cast<double>(), 3);
        }
        QVERIFY(std::abs(chosen->alone - alone) < 1e-6 * alone);
        QVERIFY(chosen->chosen < 1e-6);
        const auto together = [&](int i, int j) {
            const Eigen::MatrixXd a = model.weight(layers[i].name).cast<double>();
            const Eigen::MatrixXd b = model.weight(layers[j].name).cast<double>();
            Eigen::MatrixXd both(a.rows(), a.cols() + b.cols());
            both << a / a.norm(), b / b.norm();
            return 2 * tailOf(both, 4);
        };
        const double neighbours = together(0, 1) + together(2, 3);
        QVERIFY(std::abs(chosen->neighbours - neighbours) < 1e-5 * neighbours);
        QVERIFY(neighbours > alone);
        // What is stopped has no answer.
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY(!chooseSharedPairs({model, pool, nullptr, layers, kCr}, {}, stopped.get_token()));
    }

    // In the mean Gram's metric, by independent factors and decompositions.
    void gainsInTheMetricOfTheInputs() {
        const Model model = Model::load(m_model);
        ThreadPool pool(2);
        const std::vector<LayerInfo> layers = layersOf(model, "[01].attn_v");
        QCOMPARE(layers.size(), std::size_t{2});
        CalibrationOptions text;
        text.text = oracle::file("GPL-3.txt").string();
        text.sequences = 12;
        text.length = 64;
        const auto grams = calibrate(model, pool, text);
        constexpr double kRatio = 0.5;
        const auto chosen = chooseSharedPairs({model, pool, &*grams, layers, kRatio}, {}, {});
        Eigen::MatrixXd scaled[2];
        Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(64, 64);
        double alone = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            const Eigen::MatrixXd gram = grams->gram(layers[i].gramKey);
            const Eigen::MatrixXd w = model.weight(layers[i].name).cast<double>();
            const Eigen::MatrixXd whitened = reference::choleskyFactor(gram) * w;
            alone += tailOf(whitened, 10);  // 0.5 * 64 * 32 / 96
            scaled[i] = w / whitened.norm();
            mean += gram / 2;
        }
        Eigen::MatrixXd both(64, 64);
        both << scaled[0], scaled[1];
        const double together = 2 * tailOf(reference::choleskyFactor(mean) * both, 16);
        QVERIFY(std::abs(chosen->alone - alone) < 1e-4 * alone);
        QVERIFY2(std::abs(chosen->neighbours - together) < 1e-4 * together,
                 qPrintable(QString("%1 %2").arg(chosen->neighbours).arg(together)));
        QVERIFY(chosen->chosen <= std::min(alone, together) * (1 + 1e-4));
    }

    void aRunSharesWhatItChose_data() {
        QTest::addColumn<QString>("method");
        QTest::newRow("dictionary") << "cospadi-free";
        QTest::newRow("low rank") << "svd";
        QTest::newRow("calibrated") << "svd-llm";
    }

    // The files say who shares; what is missing is made again to the same bits by the groups that
    // were chosen once, also where another choice would be made now.
    void aRunSharesWhatItChose() {
        QFETCH(QString, method);
        const fs::path directory = place("run-" + method.toStdString());
        RunSpecification s = specification(method.toLatin1().constData());
        s.layers = "attn_[qo]";
        const RunSummary summary = executeRun(s, directory, {});
        QCOMPARE(summary.matrices, 2 * kBlocks);
        QVERIFY(fs::exists(directory / "matrices/blk.0.attn_q+1.safetensors"));
        QVERIFY(fs::exists(directory / "matrices/blk.1.attn_q+1.safetensors"));
        QVERIFY(!fs::exists(directory / "matrices/blk.0.attn_output+1.safetensors"));
        json groups = json::parse(oracle::text(directory / "groups.json"));
        const json wanted = json::array({json::array({"blk.0.attn_q", "blk.3.attn_q"}),
                                         json::array({"blk.1.attn_q", "blk.2.attn_q"})});
        QCOMPARE(groups.at("groups"), wanted);
        QVERIFY(groups.at("estimate").at("chosen") < groups.at("estimate").at("neighbours"));
        const auto whole = matrix_contents::ofRun(directory);
        const auto choosing = [&] {
            return json::parse(oracle::text(directory / "result.json"))
                .at("allocation_seconds")
                .get<double>();
        };
        const double once = choosing();
        QVERIFY(once > 0);
        fs::remove(directory / "matrices/blk.3.attn_q.safetensors");
        fs::remove(directory / "result.json");
        executeRun(s, directory, {});
        QVERIFY(matrix_contents::ofRun(directory) == whole);
        QVERIFY(std::abs(choosing() - once) < 1e-6);  // the choice of the first start
        // Damaged, it is named.
        fs::remove(directory / "matrices/blk.3.attn_q.safetensors");
        std::ofstream(directory / "groups.json") << "{\"groups\": 3}";
        try {
            executeRun(s, directory, {});
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY(QString::fromStdString(error.where()).endsWith("groups.json"));
        }
    }
};

COSPADI_TEST(TestSharedPairs)

}  // namespace tst_shared_pairs

#include "tst_shared_pairs.moc"
