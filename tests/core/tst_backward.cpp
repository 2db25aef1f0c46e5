// Gradients by differences: what a small step of a weight does to the loss, computed forward alone,
// against what the backward pass says it does. Every supported architecture.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "core/gradients/backward.h"
#include "core/model/forward.h"
#include "core/model/linear_layer.h"
#include "following_tokens.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_backward {

using namespace cospadi;
using Eigen::MatrixXf;

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLength = 24;
constexpr std::int64_t kSequences = 2;

MatrixXf randomLike(const MatrixXf& x, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    MatrixXf result(x.rows(), x.cols());
    for (float& value : result.reshaped()) {
        value = normal(random);
    }
    return result;
}

}  // namespace

class TestBackward : public QObject {
    Q_OBJECT

    ThreadPool m_pool;
    float m_apart = 0;  // inputs of layers, at most

    // Σ −log p(next token), in double from float logits.
    double lossOf(const Model& model, const std::vector<std::int32_t>& ids) {
        ForwardPass pass(model, m_pool);
        const MatrixXf hidden = pass.hiddenStates(ids, kLength);
        double loss = 0;
        for (std::int64_t s = 0; s < kSequences; ++s) {
            const MatrixXf own = hidden.middleCols(s * kLength, kLength - 1);
            const auto next =
                std::span(ids).subspan(static_cast<std::size_t>(s * kLength + 1), kLength - 1);
            for (const double log : oracle::logProbabilities(pass, own, next)) {
                loss -= log;
            }
        }
        return loss;
    }

    struct Gradients {
        std::map<std::string, MatrixXf> weights;  // Σ x gᵀ (d1, d2), by layer
        double loss = 0;
    };

    // teacher: hidden states; null for the gradients of the loss on the text.
    Gradients gradientsOf(const Model& model, const std::vector<std::int32_t>& ids,
                          const MatrixXf* teacher = nullptr) {
        ForwardPass pass(model, m_pool);
        std::map<std::string, MatrixXf> inputs;
        std::vector<MatrixXf> residuals = {pass.embed(ids)};
        for (std::int64_t block = 0; block < model.config().blocks; ++block) {
            MatrixXf residual = residuals.back();
            pass.runBlock(block, residual, kLength,
                          [&](const std::string& key, const auto& X) { inputs[key] = X; });
            residuals.push_back(residual);
        }
        Gradients result;
        BackwardPass backward(model, m_pool);
        MatrixXf gradient = teacher != nullptr
                                ? backward.ofDivergence(residuals.back(), *teacher, &result.loss)
                                : backward.ofLoss(residuals.back(), ids, kLength, &result.loss);
        for (std::int64_t block = model.config().blocks - 1; block >= 0; --block) {
            backward.runBlock(block, residuals[static_cast<std::size_t>(block)], kLength, gradient,
                              [&](const std::string& layer, const auto& X, const auto& dY) {
                                  result.weights[layer] = X * dY.transpose();
                                  // What the pass says of the inputs is what flows forward.
                                  const MatrixXf& own = inputs.at(model.layerInfo(layer).gramKey);
                                  m_apart = std::max(m_apart, (X - own).norm() / own.norm());
                              });
        }
        return result;
    }

    // (L(W + step) − L(W − step)) / 2.
    double difference(Model& model, const std::string& layer, const MatrixXf& step,
                      const std::vector<std::int32_t>& ids) {
        const MatrixXf w = model.weight(layer);
        auto own = model.replaceLayer(layer, std::make_unique<DenseLayer>(w + step, 1));
        const double above = lossOf(model, ids);
        model.replaceLayer(layer, std::make_unique<DenseLayer>(w - step, 1));
        const double below = lossOf(model, ids);
        model.replaceLayer(layer, std::move(own));
        return (above - below) / 2;
    }

  private slots:
    void everyLayer_data() {
        QTest::addColumn<QString>("variant");
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(fs::path(COSPADI_TEST_DATA) / "arch")) {
            if (entry.is_directory()) {
                names.push_back(entry.path().filename().string());
            }
        }
        std::sort(names.begin(), names.end());
        QCOMPARE(names.size(), std::size_t{10});
        for (const std::string& name : names) {
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
        }
    }

    void everyLayer() {
        QFETCH(const QString, variant);
        const fs::path folder = fs::path(COSPADI_TEST_DATA) / "arch" / variant.toStdString();
        Model model = Model::load(folder, {&m_pool, {}});
        std::mt19937_64 random(7);
        std::vector<std::int32_t> ids(kLength * kSequences);
        for (std::int32_t& id : ids) {
            id = static_cast<std::int32_t>(
                random() % static_cast<std::uint64_t>(model.config().vocabularySize));
        }
        const Gradients found = gradientsOf(model, ids);
        QVERIFY(std::abs(found.loss - lossOf(model, ids)) < 1e-4 * found.loss);
        QCOMPARE(found.weights.size(), model.layers().size());
        QVERIFY2(m_apart < 1e-5F, qPrintable(QString::number(m_apart)));
        for (const LayerInfo& layer : model.layers()) {
            const MatrixXf& gradient = found.weights.at(layer.name);
            const float length = 0.002F * model.weight(layer.name).norm();
            // Along the gradient, and anywhere: the one sees its size, the other what it lacks.
            const MatrixXf along = gradient * (length / gradient.norm());
            MatrixXf anywhere = randomLike(gradient, 3).cwiseProduct(gradient.cwiseAbs());
            anywhere *= length / anywhere.norm();
            for (const MatrixXf* step : {&along, static_cast<const MatrixXf*>(&anywhere)}) {
                const double predicted = gradient.cwiseProduct(*step).cast<double>().sum();
                const double real = difference(model, layer.name, *step, ids);
                const double tolerance =
                    0.01 * std::abs(predicted) + 0.002 * gradient.norm() * length;
                QVERIFY2(std::abs(predicted - real) < tolerance,
                         qPrintable(QStringLiteral("%1: %2 predicted, %3 real")
                                        .arg(QString::fromStdString(layer.name))
                                        .arg(predicted)
                                        .arg(real)));
            }
        }
    }

    // KL(teacher ‖ model) from logits in double: its value, and its slope along each layer.
    void divergenceFromAnotherModel() {
        Model model = Model::load(fs::path(COSPADI_TEST_DATA) / "arch" / "qwen3", {&m_pool, {}});
        std::vector<std::int32_t> ids(kLength * kSequences);
        for (std::size_t t = 0; t < ids.size(); ++t) {
            ids[t] = static_cast<std::int32_t>(t * 7 % 90);
        }
        const MatrixXf teacher = ForwardPass(model, m_pool).hiddenStates(ids, kLength);
        const auto logProbabilities = [&](const MatrixXf& hidden) {
            Eigen::MatrixXd logits = ForwardPass(model, m_pool).logits(hidden).cast<double>();
            for (auto column : logits.colwise()) {
                const double most = column.maxCoeff();
                column.array() -= most + std::log((column.array() - most).exp().sum());
            }
            return logits;
        };
        const Eigen::MatrixXd wanted = logProbabilities(teacher);
        const auto divergence = [&] {
            const Eigen::MatrixXd own =
                logProbabilities(ForwardPass(model, m_pool).hiddenStates(ids, kLength));
            return (wanted.array().exp() * (wanted - own).array()).sum();
        };
        QVERIFY(std::abs(gradientsOf(model, ids, &teacher).loss) < 1e-4);  // of itself
        for (const LayerInfo& layer : model.layers()) {
            const MatrixXf w = model.weight(layer.name);
            const MatrixXf noise = randomLike(w, 11);
            model.replaceLayer(layer.name, std::make_unique<DenseLayer>(
                                               w + noise * (0.2F * w.norm() / noise.norm()), 1));
        }
        const Gradients found = gradientsOf(model, ids, &teacher);
        QVERIFY(std::abs(found.loss - divergence()) < 1e-4 * divergence());
        for (const LayerInfo& layer : model.layers()) {
            const MatrixXf& gradient = found.weights.at(layer.name);
            const MatrixXf w = model.weight(layer.name);
            const MatrixXf step = gradient * (0.002F * w.norm() / gradient.norm());
            model.replaceLayer(layer.name, std::make_unique<DenseLayer>(w + step, 1));
            const double above = divergence();
            model.replaceLayer(layer.name, std::make_unique<DenseLayer>(w - step, 1));
            const double below = divergence();
            model.replaceLayer(layer.name, std::make_unique<DenseLayer>(w, 1));
            const double predicted = gradient.cwiseProduct(step).cast<double>().sum();
            const double real = (above - below) / 2;
            QVERIFY2(std::abs(predicted - real) < 0.02 * std::abs(predicted),
                     qPrintable(QStringLiteral("%1: %2 predicted, %3 real")
                                    .arg(QString::fromStdString(layer.name))
                                    .arg(predicted)
                                    .arg(real)));
        }
    }

    // A layer of two factors passes gradients on as its product does.
    void factorsAreTheirProduct() {
        Model model = Model::load(fs::path(COSPADI_TEST_DATA) / "arch" / "llama32", {&m_pool, {}});
        std::vector<std::int32_t> ids(kLength * kSequences);
        for (std::size_t t = 0; t < ids.size(); ++t) {
            ids[t] = static_cast<std::int32_t>(t * 7 % 90);
        }
        const std::string name = "blk.1.ffn_up";
        const MatrixXf w = model.weight(name);
        const auto replaceWith = [&](std::unique_ptr<LinearLayer> layer) {
            model.replaceLayer(name, std::move(layer));
            return gradientsOf(model, ids).weights.at("blk.0.attn_q");
        };
        const Eigen::Index rank = w.rows() / 2;
        const auto factors = std::make_unique<LowRankLayer>(w.leftCols(rank), w.topRows(rank), 1);
        const MatrixXf product = factors->denseWeight();
        const MatrixXf ofFactors =
            replaceWith(std::make_unique<LowRankLayer>(w.leftCols(rank), w.topRows(rank), 1));
        const MatrixXf ofProduct = replaceWith(std::make_unique<DenseLayer>(product, 1));
        const float difference = (ofFactors - ofProduct).norm() / ofProduct.norm();
        QVERIFY2(difference < 1e-3F, qPrintable(QString::number(difference)));
    }

    void threadsChangeNothing() {
        const Model model =
            Model::load(fs::path(COSPADI_TEST_DATA) / "arch" / "qwen3", {&m_pool, {}});
        std::vector<std::int32_t> ids(kLength * kSequences);
        for (std::size_t t = 0; t < ids.size(); ++t) {
            ids[t] = static_cast<std::int32_t>(t * 7 % 90);
        }
        const auto gradientWith = [&](int threads) {
            ThreadPool pool(threads);
            ForwardPass pass(model, pool);
            const MatrixXf residual = pass.embed(ids);
            BackwardPass backward(model, pool);
            MatrixXf gradient = backward.ofLoss(residual, ids, kLength);
            backward.runBlock(0, residual, kLength, gradient,
                              [](const auto&, const auto&, const auto&) {});
            return gradient;
        };
        QVERIFY(gradientWith(1) == gradientWith(3));
    }
};

COSPADI_TEST(TestBackward)

}  // namespace tst_backward

#include "tst_backward.moc"
