// What a name stands for after macros, as text: cublas_v2.h renames functions by macro, and
// versions of libraries are macros. COSPADI_SYMBOL_NAME(cublasCreate) is "cublasCreate_v2".
#pragma once

#define COSPADI_STRINGIFIED(x) #x
#define COSPADI_SYMBOL_NAME(x) COSPADI_STRINGIFIED(x)
