# Reads ctest's LastTest.log: names the skips with their reasons, then prints "N passed, N failed".
# QtTest programs count by their functions ("Totals: 3 passed, 0 failed, 1 skipped …"); a program that
# died before its totals, or that is no QtTest program, counts as one.
/^[0-9]+\/[0-9]+ Testing: / { program = $3; hasTotals = 0 }
/^SKIP +: / {
    reason = $0
    sub(/^SKIP +: /, "", reason)
    skips[++skipCount] = reason
}
/^Totals: [0-9]+ passed, / {
    passed += $2
    failed += $4
    programFailed = $4
    hasTotals = 1
}
/^Test Passed\./ { if (!hasTotals) passed += 1 }
/^Test Failed\./ { if (!hasTotals || programFailed == 0) failed += 1 }
# A program that was not built.
/^Unable to find executable: / { failed += 1 }
END {
    # A program that ctest could not start stands in no section.
    if (status != 0 && failed == 0) failed = 1
    print ""
    for (i = 1; i <= skipCount; ++i) print "skipped: " skips[i]
    printf "%d passed, %d failed\n", passed, failed
    exit failed > 0
}
