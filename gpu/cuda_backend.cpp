// CudaBackend: memory, products, reductions, elementwise verbs.
#include "gpu/cuda_backend.h"

#include <algorithm>
#include <utility>

#include "gpu/kernels/elementwise.h"
#include "gpu/kernels/reductions.h"

namespace cospadi {

CudaBackend::CudaBackend(std::string name, const ProductPrecisions& products)
    : m_name(std::move(name)),
      m_products(products),
      m_memory(std::make_shared<DeviceMemory>()),
      m_blas(openDeviceBlas(*m_memory)),
      m_factorizations(openDeviceFactorizations(*m_memory)),
      m_scalars(std::make_unique<DeviceBuffer<double>>(*m_memory, kernels::kPartials + 1)),
      m_solveFailed(std::make_unique<DeviceBuffer<int>>(*m_memory, 1)) {
    m_solveFailed->clear("opening a device");
}

CudaBackend::~CudaBackend() = default;

std::string CudaBackend::description() const {
    return m_name + ", " + m_blas->description() + ", " + m_factorizations->description() +
           (m_products.onTheWay == StepProducts::Tf32 ? ", TF32" : ", float32") +
           (m_products.steps == StepProducts::Split ? " and split TF32" : "");
}

Matrix CudaBackend::unset(std::int64_t rows, std::int64_t cols) {
    const std::int64_t bytes =
        std::max<std::int64_t>(rows * cols, 1) * static_cast<std::int64_t>(sizeof(float));
    auto* data = static_cast<float*>(m_memory->allocate(bytes));
    return {
        rows, cols, {data, [memory = m_memory, bytes](float* p) { memory->release(p, bytes); }}};
}

Matrix CudaBackend::zeros(std::int64_t rows, std::int64_t cols) {
    Matrix a = unset(rows, cols);
    checkCuda(cudaMemsetAsync(a.data.get(), 0, static_cast<std::size_t>(a.size()) * sizeof(float),
                              m_memory->stream()),
              "clearing a matrix");
    return a;
}

Matrix CudaBackend::upload(const Eigen::Ref<const Eigen::MatrixXf>& host) {
    Matrix a = unset(host.rows(), host.cols());
    const Eigen::MatrixXf packed =
        host.outerStride() == host.rows() ? Eigen::MatrixXf() : Eigen::MatrixXf(host);
    checkCuda(cudaMemcpyAsync(a.data.get(), packed.size() > 0 ? packed.data() : host.data(),
                              static_cast<std::size_t>(a.size()) * sizeof(float),
                              cudaMemcpyHostToDevice, m_memory->stream()),
              "copying a matrix to the device");
    m_memory->synchronize("copying a matrix to the device");
    return a;
}

Eigen::MatrixXf CudaBackend::download(const Matrix& a) {
    Eigen::MatrixXf host(a.rows, a.cols);
    m_memory->download(host.data(), a.data.get(),
                       static_cast<std::size_t>(a.size()) * sizeof(float),
                       "copying a matrix to the host");
    return host;
}

void CudaBackend::copy(const Matrix& from, Matrix& to) {
    checkCuda(cudaMemcpyAsync(to.data.get(), from.data.get(),
                              static_cast<std::size_t>(from.size()) * sizeof(float),
                              cudaMemcpyDeviceToDevice, m_memory->stream()),
              "copying a matrix");
}

void CudaBackend::copyColumn(const Matrix& from, std::int64_t column, Matrix& to,
                             std::int64_t target) {
    checkCuda(
        cudaMemcpyAsync(to.data.get() + target * to.rows, from.data.get() + column * from.rows,
                        static_cast<std::size_t>(from.rows) * sizeof(float),
                        cudaMemcpyDeviceToDevice, m_memory->stream()),
        "copying a column");
}

void CudaBackend::copyRows(const Matrix& from, std::int64_t first, std::int64_t count, Matrix& to,
                           std::int64_t target) {
    kernels::copyRows(count, to.cols, from.data.get() + first, from.rows, to.data.get() + target,
                      to.rows, m_memory->stream());
}

Matrix CudaBackend::transposed(const Matrix& a) {
    Matrix result = unset(a.cols, a.rows);
    kernels::transpose(a.rows, a.cols, a.data.get(), result.data.get(), m_memory->stream());
    return result;
}

void CudaBackend::gemm(Op opA, Op opB, float alpha, const Matrix& a, const Matrix& b, float beta,
                       Matrix& c) {
    if (c.size() == 0) {
        return;
    }
    const std::int64_t inner = opA == Op::None ? a.cols : a.rows;
    m_blas->gemm(opA, opB, c.rows, c.cols, inner, alpha, a.data.get(), a.rows, b.data.get(), b.rows,
                 beta, c.data.get(), c.rows, Precision::Float32);
}

namespace {

class CudaLeftOperand final : public LeftOperand {
  public:
    CudaLeftOperand(std::shared_ptr<DeviceBlas> blas, const Matrix& a, Precision rough)
        : m_blas(std::move(blas)), m_a(a), m_rough(rough) {}

    void times(float alpha, const Matrix& b, float beta, Matrix& c) const override {
        multiply(alpha, b, beta, c, Precision::Float32);
    }
    void timesRoughly(float alpha, const Matrix& b, float beta, Matrix& c) const override {
        multiply(alpha, b, beta, c, m_rough);
    }

  private:
    void multiply(float alpha, const Matrix& b, float beta, Matrix& c, Precision precision) const {
        m_blas->gemm(Op::None, Op::None, c.rows, c.cols, m_a.cols, alpha, m_a.data.get(), m_a.rows,
                     b.data.get(), b.rows, beta, c.data.get(), c.rows, precision);
    }

    std::shared_ptr<DeviceBlas> m_blas;
    Matrix m_a;
    Precision m_rough;
};

}  // namespace

std::unique_ptr<LeftOperand> CudaBackend::leftOperand(const Matrix& a) {
    const bool tensorCores = m_products.onTheWay != StepProducts::Float32;
    return std::make_unique<CudaLeftOperand>(m_blas, a,
                                             tensorCores ? Precision::Tf32 : Precision::Float32);
}

void CudaBackend::axpby(float alpha, const Matrix& a, float beta, Matrix& b) {
    kernels::axpby(b.size(), alpha, a.data.get(), beta, b.data.get(), m_memory->stream());
}

void CudaBackend::syrk(Op op, const Matrix& a, Matrix& c) {
    const std::int64_t inner = op == Op::None ? a.cols : a.rows;
    m_blas->syrk(op, c.rows, inner, a.data.get(), a.rows, c.data.get(), Precision::Float32);
    kernels::mirrorUpper(c.rows, c.data.get(), m_memory->stream());
}

double CudaBackend::scalar(const char* doing) {
    double value = 0;
    m_scalars->download(1, &value, doing);
    return value;
}

double CudaBackend::dot(const Matrix& a, const Matrix& b) {
    kernels::dot(a.size(), a.data.get(), b.data.get(), m_scalars->get() + 1, m_scalars->get(),
                 m_memory->stream());
    return scalar("a scalar product");
}

std::vector<double> CudaBackend::squaredColumnNorms(const Matrix& a) {
    const DeviceBuffer<double> norms(*m_memory, a.cols);
    kernels::squaredColumnNorms(a.rows, a.cols, a.data.get(), norms.get(), m_memory->stream());
    std::vector<double> host(static_cast<std::size_t>(a.cols));
    norms.download(a.cols, host.data(), "column norms");
    return host;
}

std::vector<std::int64_t> CudaBackend::rowCounts(const Matrix& s) {
    static_assert(sizeof(long long) == sizeof(std::int64_t));
    const DeviceBuffer<long long> counts(*m_memory, s.rows);
    kernels::rowCounts(s.rows, s.cols, s.data.get(), counts.get(), m_memory->stream());
    std::vector<long long> host(static_cast<std::size_t>(s.rows));
    counts.download(s.rows, host.data(), "row counts");
    return {host.begin(), host.end()};
}

std::vector<double> CudaBackend::diagonal(const Matrix& a) {
    const std::int64_t n = std::min(a.rows, a.cols);
    const DeviceBuffer<double> values(*m_memory, n);
    kernels::diagonal(a.rows, n, a.data.get(), values.get(), m_memory->stream());
    std::vector<double> host(static_cast<std::size_t>(n));
    values.download(n, host.data(), "a diagonal");
    return host;
}

void CudaBackend::scaleColumns(const Matrix& factors, Matrix& a) {
    kernels::scaleColumns(a.rows, a.cols, factors.data.get(), a.data.get(), m_memory->stream());
}

}  // namespace cospadi
