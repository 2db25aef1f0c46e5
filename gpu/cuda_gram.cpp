// CudaBackend: Gram matrices of a layer's inputs, and their Cholesky factors, in double.
#include <algorithm>
#include <utility>

#include "core/base/batches.h"
#include "gpu/cuda_backend.h"
#include "gpu/kernels/elementwise.h"
#include "gpu/kernels/reductions.h"

namespace cospadi {

namespace {

constexpr std::int64_t kFactorColumns = 2048;  // of a weight, in double at once
// Columns of a piece whose products are summed in float32 (docs/gpu.md, "Accuracy of Gram sums").
constexpr std::int64_t kShortPiece = 256;
constexpr std::int64_t kWidePiece = 2048;   // of a piece in double
constexpr std::int64_t kStripWidth = 2048;  // columns of G that are one float32 product

class CudaGramFactor final : public GramFactor {
  public:
    CudaGramFactor(std::shared_ptr<DeviceMemory> memory, std::shared_ptr<DeviceBlas> blas,
                   std::int64_t n, std::unique_ptr<DeviceBuffer<double>> factor)
        : m_memory(std::move(memory)),
          m_blas(std::move(blas)),
          m_n(n),
          m_factor(std::move(factor)) {}

    // Column by column Lᵀ L(:, j): no second (n, n) is needed.
    Eigen::MatrixXd product() const override {
        Eigen::MatrixXd result(m_n, m_n);
        inBatches(m_n, kFactorColumns, [&](std::int64_t first, std::int64_t count) {
            const DeviceBuffer<double> image(*m_memory, m_n * count);
            m_blas->multiplyTriangularDouble(Op::Transpose, m_n, count, m_factor->get(),
                                             m_factor->get() + first * m_n, image.get());
            image.download(m_n * count, &result(0, first), "a Gram matrix");
        });
        result.triangularView<Eigen::StrictlyLower>() = result.transpose();
        return result;
    }

    Eigen::MatrixXf times(const Eigen::MatrixXf& w) const override {
        return inPieces(w, 1, [&](std::int64_t count, double* from, double* image) {
            m_blas->multiplyTriangularDouble(Op::None, m_n, count, m_factor->get(), from, image);
            return image;
        });
    }

    Eigen::MatrixXf solve(const Eigen::MatrixXf& d) const override {
        return inPieces(d, 0, [&](std::int64_t count, double* from, double*) {
            m_blas->solveTriangularDouble(m_n, count, m_factor->get(), from);
            return from;
        });
    }

    Eigen::VectorXd diagonal() const override {
        const DeviceBuffer<double> values(*m_memory, m_n);
        kernels::diagonal(m_n, m_n, m_factor->get(), values.get(), m_memory->stream());
        Eigen::VectorXd host(m_n);
        values.download(m_n, host.data(), "a Gram matrix");
        return host;
    }

    Matrix times(Backend& backend, const Matrix& w) const override {
        if (!standsWith(backend)) {
            return GramFactor::times(backend, w);
        }
        Matrix result = backend.zeros(m_n, w.cols);
        inBatches(w.cols, kFactorColumns, [&](std::int64_t first, std::int64_t count) {
            const std::int64_t size = m_n * count;
            const DeviceBuffer<double> wide(*m_memory, size);
            kernels::widen(size, w.data.get() + first * m_n, wide.get(), m_memory->stream());
            multiply(Op::None, count, wide.get(), result.data.get() + first * m_n);
        });
        return result;
    }

    // The mean of the diagonal is ‖L‖²_F / n.
    UnitGram unitProduct(Backend& backend) const override {
        if (!standsWith(backend)) {
            return GramFactor::unitProduct(backend);
        }
        const DeviceBuffer<double> sums(*m_memory, kernels::kPartials + 1);
        kernels::squaredNorm(m_n * m_n, m_factor->get(), sums.get() + 1, sums.get(),
                             m_memory->stream());
        double squared = 0;
        sums.download(1, &squared, "a Gram matrix");
        const double scale = static_cast<double>(m_n) / squared;
        Matrix gram = backend.zeros(m_n, m_n);
        inBatches(m_n, kFactorColumns, [&](std::int64_t first, std::int64_t count) {
            multiply(Op::Transpose, count, m_factor->get() + first * m_n,
                     gram.data.get() + first * m_n);
        });
        backend.axpby(0, gram, static_cast<float>(scale), gram);
        kernels::mirrorUpper(m_n, gram.data.get(), m_memory->stream());
        return {gram, scale};
    }

  private:
    bool standsWith(const Backend& backend) const {
        const auto* cuda = dynamic_cast<const CudaBackend*>(&backend);
        return cuda != nullptr && cuda->sharesMemory(m_memory);
    }

    // to = op(L) from, (n, columns), rounded at the end
    void multiply(Op op, std::int64_t columns, const double* from, float* to) const {
        const DeviceBuffer<double> image(*m_memory, m_n * columns);
        m_blas->multiplyTriangularDouble(op, m_n, columns, m_factor->get(), from, image.get());
        kernels::narrow(m_n * columns, image.get(), to, m_memory->stream());
    }

    // apply(count, piece, image) → where the result stands; `images` is how many images it needs.
    template <typename Apply>
    Eigen::MatrixXf inPieces(const Eigen::MatrixXf& a, std::int64_t images,
                             const Apply& apply) const {
        Eigen::MatrixXf result(m_n, a.cols());
        inBatches(a.cols(), kFactorColumns, [&](std::int64_t first, std::int64_t count) {
            const std::int64_t size = m_n * count;
            DeviceBuffer<float> rounded(*m_memory, size);
            const DeviceBuffer<double> wide(*m_memory, size);
            const DeviceBuffer<double> image(*m_memory, images * size);
            rounded.upload(size, &a.coeffRef(0, first), "a weight");
            kernels::widen(size, rounded.get(), wide.get(), m_memory->stream());
            kernels::narrow(size, apply(count, wide.get(), image.get()), rounded.get(),
                            m_memory->stream());
            rounded.download(size, &result.coeffRef(0, first), "a weight");
        });
        return result;
    }

    std::shared_ptr<DeviceMemory> m_memory;  // what the others stand on: it goes last
    std::shared_ptr<DeviceBlas> m_blas;
    std::int64_t m_n;
    std::unique_ptr<DeviceBuffer<double>> m_factor;  // L (n, n), zero below its diagonal
};

class CudaGramSum final : public GramSum {
  public:
    CudaGramSum(std::shared_ptr<DeviceMemory> memory, std::shared_ptr<DeviceBlas> blas,
                std::int64_t n, GramProducts products)
        : m_memory(std::move(memory)),
          m_blas(std::move(blas)),
          m_n(n),
          m_products(products),
          m_upper(*m_memory, n * n) {
        m_upper.clear("a Gram matrix");
    }

    void add(const Matrix& x) override {
        if (m_products == GramProducts::Double) {
            addInDouble(x);
        } else {
            addInPieces(x);
        }
    }

    Eigen::MatrixXd take() override {
        kernels::mirrorUpper(m_n, m_upper.get(), m_memory->stream());
        Eigen::MatrixXd sum(m_n, m_n);
        m_upper.download(m_n * m_n, sum.data(), "a Gram matrix");
        m_upper.clear("a Gram matrix");
        return sum;
    }

  private:
    void addInDouble(const Matrix& x) {
        inBatches(x.cols, kWidePiece, [&](std::int64_t first, std::int64_t count) {
            const DeviceBuffer<double> wide(*m_memory, m_n * count);
            kernels::widen(m_n * count, x.data.get() + first * m_n, wide.get(), m_memory->stream());
            m_blas->syrkDouble(Op::None, m_n, count, wide.get(), m_n, 1, m_upper.get());
        });
    }

    // A strip of columns of G down to its diagonal block, so that the float32 product is small
    // beside the sum.
    void addInPieces(const Matrix& x) {
        inBatches(m_n, kStripWidth, [&](std::int64_t left, std::int64_t width) {
            const std::int64_t rows = left + width;
            const DeviceBuffer<float> product(*m_memory, rows * width);
            try {
                addStrip(x, left, rows, width, product.get());
            } catch (const OutOfDeviceMemory& error) {
                // Of cuBLAS or a launch: pieces may be in the sum already, so the strip cannot be
                // tried again.
                throw DeviceError(error.problem(), error.where(), error.hint());
            }
        });
    }

    void addStrip(const Matrix& x, std::int64_t left, std::int64_t rows, std::int64_t width,
                  float* product) {
        for (std::int64_t first = 0; first < x.cols; first += kShortPiece) {
            const float* piece = x.data.get() + first * m_n;
            m_blas->gemm(Op::None, Op::Transpose, rows, width,
                         std::min(kShortPiece, x.cols - first), 1, piece, m_n, piece + left, m_n, 0,
                         product, rows, Precision::Float32);
            kernels::addTo(rows, width, product, m_upper.get() + left * m_n, m_n,
                           m_memory->stream());
        }
    }

    std::shared_ptr<DeviceMemory> m_memory;  // what the others stand on: it goes last
    std::shared_ptr<DeviceBlas> m_blas;
    std::int64_t m_n;
    GramProducts m_products;
    DeviceBuffer<double> m_upper;  // (n, n); below the diagonal nothing is kept
};

}  // namespace

std::unique_ptr<GramFactor> CudaBackend::gramFactor(const Eigen::MatrixXd& gram, double shift) {
    const std::int64_t n = gram.rows();
    auto factor = std::make_unique<DeviceBuffer<double>>(*m_memory, n * n);
    factor->upload(n * n, gram.data(), "a Gram matrix");
    if (shift != 0) {
        kernels::affineIdentity(n, shift, 1.0, factor->get(), m_memory->stream());
    }
    const DeviceBuffer<int> failed(*m_memory, 1);
    m_factorizations->cholesky(n, factor->get(), failed.get());
    int info = 0;
    failed.download(1, &info, "a Gram matrix");
    if (info != 0) {
        return nullptr;
    }
    kernels::clearLower(n, factor->get(), m_memory->stream());
    return std::make_unique<CudaGramFactor>(m_memory, m_blas, n, std::move(factor));
}

std::unique_ptr<GramSum> CudaBackend::gramSum(std::int64_t n) {
    return std::make_unique<CudaGramSum>(m_memory, m_blas, n, m_products.grams);
}

}  // namespace cospadi
