#include <lapacke.h>

#include <vector>

#include "core/linalg/symmetric_eigen.h"
#include "gpu/device_blas.h"

namespace cospadi {

namespace {

class LapackFactorizations final : public DeviceFactorizations {
  public:
    LapackFactorizations(DeviceMemory& memory, const std::string& reason)
        : m_memory(memory),
          m_description("LAPACK on the host" + (reason.empty() ? reason : ": " + reason)) {}

    std::string description() const override { return m_description; }

    void cholesky(std::int64_t n, float* a, int* failed) override {
        factorize(LAPACKE_spotrf, n, a, failed);
    }
    void cholesky(std::int64_t n, double* a, int* failed) override {
        factorize(LAPACKE_dpotrf, n, a, failed);
    }

    bool symmetricEigen(std::int64_t n, float* a, float* values) override {
        return eigen(cospadi::symmetricEigen, n, a, values);
    }
    bool symmetricEigen(std::int64_t n, double* a, double* values) override {
        return eigen(
            [](std::int64_t count, double* vectors, double* found) {
                const auto size = static_cast<lapack_int>(count);
                return LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', size, vectors, size, found) == 0;
            },
            n, a, values);
    }

    bool leadingEigenvector(std::int64_t n, double* a, double* vector) override {
        std::vector<double> host = fetched(a, n * n);
        const auto size = static_cast<lapack_int>(n);
        std::vector<double> values(static_cast<std::size_t>(n));
        std::vector<double> found(static_cast<std::size_t>(n));
        std::vector<lapack_int> support(2);
        lapack_int count = 0;
        if (LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'U', size, host.data(), size, 0, 0, size,
                           size, 0, &count, values.data(), found.data(), size,
                           support.data()) != 0 ||
            count != 1) {
            return false;
        }
        send(found, vector);
        return true;
    }

  private:
    template <typename Potrf, typename T>
    void factorize(Potrf potrf, std::int64_t n, T* a, int* failed) {
        std::vector<T> host = fetched(a, n * n);
        const auto size = static_cast<lapack_int>(n);
        const std::vector<int> info{potrf(LAPACK_COL_MAJOR, 'U', size, host.data(), size)};
        send(host, a);
        send(info, failed);
    }

    template <typename Decompose, typename T>
    bool eigen(const Decompose& decompose, std::int64_t n, T* a, T* values) {
        std::vector<T> host = fetched(a, n * n);
        std::vector<T> found(static_cast<std::size_t>(n));
        if (!decompose(n, host.data(), found.data())) {
            return false;
        }
        send(host, a);
        send(found, values);
        return true;
    }

    template <typename T>
    std::vector<T> fetched(const T* from, std::int64_t count) {
        std::vector<T> host(static_cast<std::size_t>(count));
        checkCuda(cudaMemcpyAsync(host.data(), from, host.size() * sizeof(T),
                                  cudaMemcpyDeviceToHost, m_memory.stream()),
                  "copying a matrix to the host");
        m_memory.synchronize("copying a matrix to the host");
        return host;
    }

    template <typename T>
    void send(const std::vector<T>& host, T* to) {
        checkCuda(cudaMemcpyAsync(to, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice,
                                  m_memory.stream()),
                  "copying a matrix to the device");
        m_memory.synchronize("copying a matrix to the device");
    }

    DeviceMemory& m_memory;
    std::string m_description;
};

}  // namespace

std::unique_ptr<DeviceFactorizations> lapackFactorizations(DeviceMemory& memory,
                                                           const std::string& reason) {
    return std::make_unique<LapackFactorizations>(memory, reason);
}

}  // namespace cospadi
