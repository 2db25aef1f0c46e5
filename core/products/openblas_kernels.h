// Internal to products: which of its kernels OpenBLAS uses.
#pragma once

namespace cospadi {

// OpenBLAS picks them by the name of the processor, and gives one that is newer than itself those
// for AVX2, at half the rate; OPENBLAS_CORETYPE, set for a whole machine, does the same. This makes
// it use those for AVX-512 wherever the processor has the instructions. COSPADI_OPENBLAS_KERNELS
// names others ("Haswell"). To be called once, before the first product.
void chooseOpenBlasKernels();
// Whether that variable is set: then OpenBLAS computes all products.
bool openBlasKernelsAreNamed();

}  // namespace cospadi
