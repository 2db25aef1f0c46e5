#include "app/cli/bench/bench_solver_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "app/cli/bench/python_peer.h"
#include "core/base/stopwatch.h"
#include "core/base/temporary_folder.h"
#include "core/dictionary/dictionary_learning.h"

namespace cospadi::cli {

namespace {

constexpr std::int64_t kSlowColumns = 48;  // for peers whose loops are Python's
constexpr std::int64_t kAtoms = 64;
constexpr std::int64_t kExactAtoms = 16;
// A peer whose error is further above ours has not done the same work: its time counts neither for
// nor against us.
constexpr double kComparableError = 1.05;

struct Timed {
    double seconds = 0;
    double error = 0;  // relative to all of W
};

class Steps {
  public:
    Steps(CpuBackend& backend, const Matrix& w, const Matrix& dictionary, std::int64_t s)
        : m_backend(backend), m_w(w), m_d(dictionary), m_s(s) {}

    // Gram, correlations and pursuit, as a peer does in one call; the first columns of W.
    Timed encode(std::int64_t columns) {
        Timed best{1e9, 0};
        const Matrix x = m_backend.upload(m_backend.download(m_w).leftCols(columns));
        for (int repeat = 0; repeat < 3; ++repeat) {
            const Stopwatch clock;
            Matrix g = m_backend.zeros(m_d.cols, m_d.cols);
            m_backend.syrk(Op::Transpose, m_d, g);
            Matrix p = m_backend.zeros(m_d.cols, columns);
            m_backend.gemm(Op::Transpose, Op::None, 1, m_d, x, 0, p);
            Matrix found = m_backend.zeros(m_d.cols, columns);
            m_backend.ompEncode(g, p, m_s, found);
            best.seconds = std::min(best.seconds, clock.seconds());
            codes = found;
        }
        best.error = errorOf(x, m_d, codes, x);
        return best;
    }

    // One sweep over the first atoms, those after them left as they are.
    Timed sweep(std::int64_t atoms, int powerIterations, const Matrix& allCodes) {
        Timed best{1e9, 0};
        for (int repeat = 0; repeat < 3; ++repeat) {
            Matrix d = m_backend.upload(m_backend.download(m_d).leftCols(atoms));
            Matrix s = m_backend.upload(m_backend.download(allCodes).topRows(atoms));
            Matrix e = m_backend.zeros(m_w.rows, m_w.cols);
            m_backend.copy(m_w, e);
            m_backend.gemm(Op::None, Op::None, -1, m_d, allCodes, 1, e);
            const Stopwatch clock;
            m_backend.ksvdSweep(powerIterations, e, d, s);
            best.seconds = std::min(best.seconds, clock.seconds());
            best.error = std::sqrt(m_backend.dot(e, e) / m_backend.dot(m_w, m_w));
        }
        return best;
    }

    Matrix codes;

  private:
    double errorOf(const Matrix& x, const Matrix& d, const Matrix& s, const Matrix& whole) {
        Matrix e = m_backend.zeros(x.rows, x.cols);
        m_backend.copy(x, e);
        m_backend.gemm(Op::None, Op::None, -1, d, s, 1, e);
        return std::sqrt(m_backend.dot(e, e) / m_backend.dot(whole, whole));
    }

    CpuBackend& m_backend;
    const Matrix& m_w;
    const Matrix& m_d;
    std::int64_t m_s;
};

void writeMatrix(const std::filesystem::path& path, const Eigen::MatrixXf& a) {
    std::ofstream(path, std::ios::binary)
        .write(
            reinterpret_cast<const char*>(a.data()),
            static_cast<std::streamsize>(a.size()) * static_cast<std::streamsize>(sizeof(float)));
}

}  // namespace

std::string compareSteps(CpuBackend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
                         const std::string& python, std::vector<Check>& checks) {
    KsvdOptions options;
    options.iterations = 1;
    const Matrix d = solveKsvd(backend, w, k, s, options).dictionary;
    Steps steps(backend, w, d, s);
    steps.encode(w.cols);
    const Matrix codes = steps.codes;

    const TemporaryFolder folder = TemporaryFolder::unique("cospadi-bench");
    writeMatrix(folder.path() / "w.f32", backend.download(w));
    writeMatrix(folder.path() / "d.f32", backend.download(d));
    writeMatrix(folder.path() / "s.f32", backend.download(codes));
    std::ofstream(folder.path() / "problem.json")
        << nlohmann::json{{"d1", w.rows},
                          {"d2", w.cols},
                          {"k", k},
                          {"s", s},
                          {"threads", backend.pool().threadCount()},
                          {"omp_columns", std::min(kSlowColumns, w.cols)},
                          {"atoms", std::min(kAtoms, k)},
                          {"exact_atoms", std::min(kExactAtoms, k)}};
    const nlohmann::json results =
        askPython(python, "dictionary_peers.py", {folder.path().string()},
                  "needs numpy, and any of spams-bin, scikit-learn, ksvd, dictlearn");
    std::string notes;
    for (const nlohmann::json& result : results) {
        const std::string peer = result.at("peer");
        if (result.contains("missing")) {
            notes += fmt::format("{} is not installed: {}\n", peer,
                                 result.at("missing").get<std::string>());
            continue;
        }
        const std::string step = result.at("step");
        const bool isOmp = step == "omp";
        const std::int64_t count = result.at(isOmp ? "columns" : "atoms");
        const Timed ours =
            isOmp ? steps.encode(count) : steps.sweep(count, step == "exact" ? 0 : 1, codes);
        const double seconds = result.at("seconds");
        const double error = result.at("error");
        if (!(error <= kComparableError * ours.error)) {
            notes += fmt::format(
                "{}, {}: not compared, its error is {:.6f} and ours {:.6f} "
                "({:.4g} s and {:.4g} s)\n",
                peer, step, error, ours.error, seconds, ours.seconds);
            continue;
        }
        checks.push_back({isOmp ? fmt::format("OMP, {} columns", count)
                                : fmt::format("K-SVD step, {}, {} atoms", step, count),
                          ours.seconds, "s", peer, seconds, seconds / ours.seconds, 1,
                          ours.seconds <= seconds});
        notes += fmt::format("{}: error {:.6f}, ours {:.6f}", peer, error, ours.error);
        notes += isOmp ? fmt::format("; {:.2f} % of our support\n",
                                     100 * result.at("overlap").get<double>())
                       : std::string("\n");
    }
    return notes;
}

}  // namespace cospadi::cli
