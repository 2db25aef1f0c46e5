#pragma once

// A test among those of a program. A file's class registers itself where Qt's QTEST_MAIN would
// stand, and lies in a namespace of the file's name, so that files can be compiled in units:
//
//   namespace tst_budget {
//   class TestBudget : public QObject { … };
//   COSPADI_TEST(TestBudget)
//   }  // namespace tst_budget
//   #include "tst_budget.moc"
//
// test_program.cpp runs it by the name of its file: `model_tests tst_gguf [Qt Test's arguments]`.
#include <QObject>
#include <memory>

struct RegisteredTest {
    using Make = std::unique_ptr<QObject> (*)();

    // file: a source file's path; its name without ending is the test's.
    RegisteredTest(const char* file, Make make);
};

#define COSPADI_TEST(Class)                    \
    const RegisteredTest k##Class##Registered( \
        __FILE__, []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); });
