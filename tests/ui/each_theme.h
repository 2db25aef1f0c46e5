// Rows of a test that is done in either theme: QFETCH(bool, dark).
#pragma once

#include <QtTest>

namespace cospadi::ui {

inline void eachTheme() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

}  // namespace cospadi::ui
