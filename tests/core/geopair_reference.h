// GeoPair written down once more in double: the dictionary's equation as one linear system, the
// codes by least squares on their support, from which tests take what to expect.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "core/dictionary/pair_learning.h"
#include "core/methods/compress_matrix.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_layers.h"

namespace cospadi::geopair_reference {

using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;

// Of inputs whose directions differ by an order of magnitude, the weak ones of an odd seed where
// those of an even one are strong.
inline MatrixXd inputsGram(int d1, unsigned seed) {
    std::srand(seed);
    MatrixXd x = MatrixXd::Random(4 * d1, d1);
    for (int i = 0; i < d1; ++i) {
        const int rank = seed % 2 == 0 ? i : d1 - 1 - i;
        x.col(i) /= 1 + 20.0 * rank / d1;
    }
    return x.transpose() * x;
}

inline MatrixXd randomDoubles(int rows, int cols, unsigned seed) {
    return sample::randomMatrix(rows, cols, seed).cast<double>();
}

struct Layer {
    MatrixXf weight;
    MatrixXd gram;
    MatrixXd factor;  // L, LᵀL = gram

    Layer(int d1, int d2, unsigned seed)
        : weight(sample::layerWeight(d1, d2, seed)),
          gram(inputsGram(d1, seed)),
          factor(reference::choleskyFactor(gram)) {}

    MetricLayer asked() const { return {weight, Whitening(gram, "layer")}; }
    double squaredError(const MatrixXd& dictionary, const MatrixXd& codes) const {
        return (factor * (weight.cast<double>() - dictionary * codes)).squaredNorm();
    }
    double squaredNorm() const { return (factor * weight.cast<double>()).squaredNorm(); }
};

inline std::vector<MetricLayer> asked(const std::vector<Layer>& layers) {
    std::vector<MetricLayer> all;
    for (const Layer& layer : layers) {
        all.push_back(layer.asked());
    }
    return all;
}

// The layers as compressMatrix() meets a unit of them: side by side, in the mean of their metrics
// and, where there are several, with their own.
inline CompressedMatrix compressedUnit(Backend& backend, const std::vector<Layer>& layers,
                                       const MatrixOptions& options) {
    std::vector<Whitening> metrics;
    MatrixXd mean = MatrixXd::Zero(layers[0].gram.rows(), layers[0].gram.cols());
    for (const Layer& layer : layers) {
        metrics.emplace_back(layer.gram, "layer");
        mean += layer.gram / static_cast<double>(layers.size());
    }
    std::vector<UnitPart> parts;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        parts.push_back({layers[i].weight.cols(), &metrics[i]});
    }
    return compressMatrix(
        backend, sideBySide(asked(layers)), std::make_unique<Whitening>(mean, "unit").get(),
        options, {}, {},
        layers.size() > 1 ? std::span<const UnitPart>(parts) : std::span<const UnitPart>());
}

// Σ G_i D S_i = K as one system in the d1 k entries of D: Σ (S_i ⊗ G_i) vec D = vec K.
inline MatrixXd solvedDictionary(const std::vector<MatrixXd>& grams,
                                 const std::vector<MatrixXd>& squares, const MatrixXd& right) {
    const Eigen::Index d1 = right.rows();
    const Eigen::Index k = right.cols();
    MatrixXd system = MatrixXd::Zero(d1 * k, d1 * k);
    for (std::size_t layer = 0; layer < grams.size(); ++layer) {
        for (Eigen::Index a = 0; a < k; ++a) {
            for (Eigen::Index b = 0; b < k; ++b) {
                system.block(a * d1, b * d1, d1, d1) += squares[layer](a, b) * grams[layer];
            }
        }
    }
    const MatrixXd vec = Eigen::Map<const MatrixXd>(right.data(), d1 * k, 1);
    const MatrixXd solution = reference::solveSymmetric(system, vec);
    return Eigen::Map<const MatrixXd>(solution.data(), d1, k);
}

// The codes of a layer after `steps` of pursuit, least squares on the support in the place of
// conjugate gradients that come to their end.
inline void pursue(const Layer& layer, const MatrixXd& dictionary, int s, int steps,
                   MatrixXd& codes) {
    const MatrixXd atoms = layer.factor * dictionary;
    const MatrixXd target = layer.factor * layer.weight.cast<double>();
    const VectorXd lengths = atoms.colwise().norm().transpose();
    std::vector<Eigen::Index> order(static_cast<std::size_t>(codes.rows()));
    for (int step = 0; step < steps; ++step) {
        const MatrixXd gradient = atoms.transpose() * (target - atoms * codes);
        for (Eigen::Index j = 0; j < codes.cols(); ++j) {
            // What an entry would be after its own exact step, by what it is worth.
            const VectorXd worth =
                (codes.col(j).array() * lengths.array() + gradient.col(j).array() / lengths.array())
                    .abs();
            std::iota(order.begin(), order.end(), 0);
            std::sort(order.begin(), order.end(),
                      [&](Eigen::Index a, Eigen::Index b) { return worth(a) > worth(b); });
            MatrixXd chosen(atoms.rows(), s);
            for (int i = 0; i < s; ++i) {
                chosen.col(i) = atoms.col(order[static_cast<std::size_t>(i)]);
            }
            const MatrixXd values = reference::leastSquares(chosen, target.col(j));
            codes.col(j).setZero();
            for (int i = 0; i < s; ++i) {
                codes(order[static_cast<std::size_t>(i)], j) = values(i, 0);
            }
        }
    }
}

// D ← the solution for the atoms that some code uses, of length 1; returns what they were long, and
// 1 for the others, which stay.
inline VectorXd updated(const std::vector<MatrixXd>& grams, const std::vector<MatrixXd>& squares,
                        const MatrixXd& right, MatrixXd& dictionary) {
    std::vector<Eigen::Index> used;
    for (Eigen::Index j = 0; j < right.cols(); ++j) {
        double usage = 0;
        for (const MatrixXd& layer : squares) {
            usage += layer(j, j);
        }
        if (usage > 0) {
            used.push_back(j);
        }
    }
    std::vector<MatrixXd> ofUsed;
    for (const MatrixXd& layer : squares) {
        ofUsed.emplace_back(layer(used, used));
    }
    const MatrixXd solved = solvedDictionary(grams, ofUsed, right(Eigen::all, used));
    VectorXd lengths = VectorXd::Ones(right.cols());
    for (std::size_t i = 0; i < used.size(); ++i) {
        const VectorXd atom = solved.col(static_cast<Eigen::Index>(i));
        lengths(used[i]) = atom.norm();
        dictionary.col(used[i]) = atom.normalized();
    }
    return lengths;
}

struct Reference {
    MatrixXd dictionary;
    std::vector<MatrixXd> codes;
    std::vector<double> errors;  // after each iteration; the first: of the beginning
};

inline Reference referenceOf(const std::vector<Layer>& layers, int k, int s, int iterations) {
    Reference r;
    MatrixXd whole(layers[0].weight.rows(), 0);
    std::vector<MatrixXd> grams;
    for (const Layer& layer : layers) {
        MatrixXd more(whole.rows(), whole.cols() + layer.weight.cols());
        more << whole, layer.weight.cast<double>();
        whole = more;
        r.codes.emplace_back(MatrixXd::Zero(k, layer.weight.cols()));
        grams.push_back(layer.gram);
    }
    r.dictionary = reference::svd(whole).U.leftCols(k);
    for (int iteration = 0; iteration <= iterations; ++iteration) {
        if (iteration > 0) {
            std::vector<MatrixXd> squares;
            MatrixXd right = MatrixXd::Zero(whole.rows(), k);
            for (std::size_t i = 0; i < layers.size(); ++i) {
                squares.emplace_back(r.codes[i] * r.codes[i].transpose());
                right += layers[i].gram * layers[i].weight.cast<double>() * r.codes[i].transpose();
            }
            const VectorXd lengths = updated(grams, squares, right, r.dictionary);
            for (MatrixXd& codes : r.codes) {
                codes = lengths.asDiagonal() * codes;
            }
        }
        double squared = 0;
        double norm = 0;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            pursue(layers[i], r.dictionary, s, 2, r.codes[i]);
            squared += layers[i].squaredError(r.dictionary, r.codes[i]);
            norm += layers[i].squaredNorm();
        }
        r.errors.push_back(std::sqrt(squared / norm));
    }
    return r;
}

inline double errorOf(const std::vector<Layer>& layers, const MatrixXd& dictionary,
                      const MatrixXd& codes) {
    double squared = 0;
    double norm = 0;
    Eigen::Index column = 0;
    for (const Layer& layer : layers) {
        squared += layer.squaredError(dictionary, codes.middleCols(column, layer.weight.cols()));
        norm += layer.squaredNorm();
        column += layer.weight.cols();
    }
    return std::sqrt(squared / norm);
}

}  // namespace cospadi::geopair_reference
