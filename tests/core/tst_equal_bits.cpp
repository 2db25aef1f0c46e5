// Changes of structure change no bit: the stored tensors of every method over sides, accountings
// and solvers, integers, patterns of codes, ridges and groups, by their SHA-256, against
// tests/data/equal_bits/KEY.txt. Rounding depends on OpenBLAS' kernels and on the compiler, which
// KEY names; where there is no such file the test is skipped. ctest asks for kernels that every
// processor with AVX2 has (COSPADI_OPENBLAS_KERNELS). COSPADI_WRITE_EQUAL_BITS=1 writes the file,
// before a change that must not show.
#include <QtTest>
#include <cctype>
#include <fstream>
#include <map>

#include "core/base/sha256.h"
#include "core/forms/matrix_file.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/products/blas.h"
#include "core/tensors/safetensors.h"
#include "tests/registered_test.h"

namespace tst_equal_bits {

using namespace cospadi;

namespace {

std::string keyOfThisBuild() {
#if defined(__SANITIZE_ADDRESS__)
    const std::string kind = "sanitized";
#elif defined(NDEBUG)
    const std::string kind = "release";
#else
    const std::string kind = "debug";
#endif
    std::string key = blasDescription() + " gcc " + __VERSION__ + " " + kind;
    for (char& c : key) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
        c = plain ? c : '_';
    }
    return key;
}

Eigen::MatrixXf weightOf(int d1, int d2) {
    std::srand(17);
    Eigen::MatrixXf w = Eigen::MatrixXf::Random(d1, d2);
    for (int i = 0; i < d1; ++i) {
        w.row(i) /= std::sqrt(1.0F + static_cast<float>(i));
    }
    return w;
}

Eigen::MatrixXd gramOf(int d1, unsigned seed = 18) {
    std::srand(seed);
    const Eigen::MatrixXd x = Eigen::MatrixXd::Random(4 * d1, d1);
    return x.transpose() * x;
}

// What a file holds but for its metadata, in which seconds and revision stand.
std::string digestOf(const std::filesystem::path& path) {
    std::map<std::string, std::string> tensors;
    const SafetensorsFile file = SafetensorsFile::open(path);
    for (const TensorView& tensor : file.tensors()) {
        tensors[tensor.name] =
            std::string(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    }
    std::string all;
    for (const auto& [name, bytes] : tensors) {
        all += name + sha256OfString(bytes);
    }
    return sha256OfString(all);
}

}  // namespace

class TestEqualBits : public QObject {
    Q_OBJECT

  private slots:
    void structureChangesNoBit() {
        const std::map<std::string, std::string> found = digests();
        const std::filesystem::path reference =
            std::string(COSPADI_TEST_DATA "/equal_bits/") + keyOfThisBuild() + ".txt";
        if (qEnvironmentVariableIsSet("COSPADI_WRITE_EQUAL_BITS")) {
            std::filesystem::create_directories(reference.parent_path());
            std::ofstream out(reference);
            for (const auto& [name, digest] : found) {
                out << name << ' ' << digest << '\n';
            }
            return;
        }
        std::ifstream in(reference);
        if (!in) {
            QSKIP(("no digests for " + keyOfThisBuild()).c_str());
        }
        std::size_t compared = 0;
        for (std::string name, digest; in >> name >> digest; ++compared) {
            const auto here = found.find(name);
            QVERIFY2(here != found.end(), name.c_str());
            QVERIFY2(here->second == digest, (name + " has other bits").c_str());
        }
        QCOMPARE(compared, found.size());
    }

  private:
    std::map<std::string, std::string> digests() {
        std::map<std::string, std::string> all;
        for (const auto& [d1, d2] : {std::pair{48, 112}, {112, 48}}) {
            const Eigen::MatrixXf w = weightOf(d1, d2);
            const Whitening whitening(gramOf(d1), "layer");
            for (const Method* method : methods()) {
                if (method == &denseMethod() || method->asBlockMethod() != nullptr) {
                    continue;  // no layer is solved
                }
                for (const MatrixOptions& options : variantsOf(*method)) {
                    const std::string name = nameOf(options) + "-" + std::to_string(d1);
                    all[name] = digestOf(compressed(w, whitening, options));
                }
            }
            for (const auto& [name, options] : furtherVariants()) {
                all[name + "-" + std::to_string(d1)] = digestOf(compressed(w, whitening, options));
            }
            for (const std::string metric : {"own", "balanced"}) {
                for (const DictionarySide side : {DictionarySide::Input, DictionarySide::Output}) {
                    all["cospadi-groups-" + metric + "-" + name(side) + "-" + std::to_string(d1)] =
                        digestOf(compressedPair(d1, d2, metric, side));
                }
            }
        }
        return all;
    }

    // What is no accounting, solver or side.
    static std::vector<std::pair<std::string, MatrixOptions>> furtherVariants() {
        std::vector<std::pair<std::string, MatrixOptions>> all;
        MatrixOptions usual;
        usual.method = &methodFromName("cospadi");
        usual.cr = 0.3;
        usual.side = DictionarySide::Input;
        for (const std::string pattern : {"2:4", "1:2"}) {
            all.emplace_back("cospadi-codes-" + pattern, usual);
            setOwnOption(all.back().second, "code_pattern", pattern);
        }
        all.emplace_back("cospadi-ridge", usual);
        all.back().second.ridge = 0.02;
        all.emplace_back("cospadi-ridge-output", all.back().second);
        all.back().second.side = DictionarySide::Output;
        all.emplace_back("cospadi-rho-3", usual);
        all.back().second.rho = 3;
        for (const std::string method : {"cospadi", "cospadi-free", "svd-llm"}) {
            all.emplace_back(method + "-integers", usual);
            all.back().second.method = &methodFromName(method);
            all.back().second.accounting = Accounting::Integers;
        }
        return all;
    }

    // Every accounting, solver and side that the method has.
    static std::vector<MatrixOptions> variantsOf(const Method& method) {
        std::vector<MatrixOptions> all;
        MatrixOptions options;
        options.method = &method;
        options.cr = 0.3;
        if (method.uses("group_size")) {
            options.own["group_size"] = std::int64_t{16};
        }
        for (const Accounting accounting : {Accounting::Eq10, Accounting::Eq11, Accounting::Packed,
                                            Accounting::Packed8, Accounting::Remapped}) {
            if (accounting != Accounting::Eq10 && !method.uses("accounting")) {
                break;
            }
            if (accounting == Accounting::Remapped && isSparse(method)) {
                break;
            }
            options.accounting = accounting;
            for (const Solver solver : {Solver::Fast, Solver::Ksvd}) {
                options.solver = solver;
                options.iterations = solver == Solver::Ksvd ? 3 : 0;
                if (solver == Solver::Ksvd && !method.uses("solver")) {
                    break;
                }
                const bool hasOutputs =
                    method.uses("side") && (solver == Solver::Fast || !method.needsCalibration());
                options.side = DictionarySide::Input;
                all.push_back(options);
                if (hasOutputs) {
                    options.side = DictionarySide::Output;
                    all.push_back(options);
                }
            }
        }
        return all;
    }

    static std::string nameOf(const MatrixOptions& options) {
        return std::string(options.method->name()) + "-" + name(options.accounting) + "-" +
               name(options.solver) + "-" + name(*options.side);
    }

    // Two layers that share a dictionary, each with inputs of its own: side by side, or one below
    // the other where it spans the outputs.
    std::filesystem::path compressedPair(int d1, int d2, const std::string& metric,
                                         DictionarySide side) {
        const bool isInput = side == DictionarySide::Input;
        const int inputs = isInput ? d1 : d1 / 2;
        const Eigen::MatrixXf w = weightOf(d1, d2);
        const Eigen::MatrixXd first = gramOf(inputs);
        const Eigen::MatrixXd second = gramOf(inputs, 19);
        const Whitening both(first + second, "layers");
        const Whitening ofFirst(first, "first");
        const Whitening ofSecond(second, "second");
        MatrixOptions options;
        options.method = &methodFromName("cospadi");
        options.cr = 0.3;
        options.side = side;
        setOwnOption(options, "groups", std::string(isInput ? "inputs-2" : "all-2"));
        setOwnOption(options, "group_metric", metric);
        const std::int64_t width = (isInput ? d2 : d1) / 2;
        const std::vector<UnitPart> parts{{width, &ofFirst, nullptr, 1},
                                          {width, &ofSecond, nullptr, 1}};
        return written(
            compressMatrix(m_backend, w, isInput ? &both : nullptr, options, {}, {}, parts), w);
    }

    std::filesystem::path compressed(const Eigen::MatrixXf& w, const Whitening& whitening,
                                     const MatrixOptions& options) {
        const Eigen::VectorXd rows = Eigen::VectorXd::LinSpaced(w.rows(), 1, 1000);
        return written(
            compressMatrix(m_backend, w, &whitening, options, {}, {}, {}, nullptr, nullptr, &rows),
            w);
    }

    std::filesystem::path written(const CompressedMatrix& result, const Eigen::MatrixXf& w) {
        MatrixRecord record;
        record.name = "layer";
        record.kind = "layer";
        record.d1 = w.rows();
        record.d2 = w.cols();
        const std::filesystem::path path = m_folder.filePath("matrix.safetensors").toStdString();
        writeMatrixFile(path, *result.weight, record);
        return path;
    }

    CpuBackend m_backend{1};
    QTemporaryDir m_folder;
};

COSPADI_TEST(TestEqualBits)

}  // namespace tst_equal_bits

#include "tst_equal_bits.moc"
