package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.rule.report.CoverageReport;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of all cases.
 *
 * @param files in the order given
 * @param coverage the branches that the cases take, null when not asked for
 */
record CaseReport(List<OfFile> files, @Nullable CoverageReport coverage) {
    /** The cases of one file, in its order. */
    record OfFile(String file, List<CaseResult> results) {
        OfFile {
            results = List.copyOf(results);
        }

        static OfFile run(CaseFile file) {
            return new OfFile(
                    file.file(), file.cases().stream().map(CaseResult::of).toList());
        }

        long failed() {
            return results.stream().filter(result -> !result.passed()).count();
        }
    }

    CaseReport {
        files = List.copyOf(files);
    }

    /** Number of cases. */
    long cases() {
        return files.stream().mapToLong(file -> file.results().size()).sum();
    }

    /** Number of cases that failed. */
    long failed() {
        return files.stream().mapToLong(OfFile::failed).sum();
    }

    /** A line for each failed case, then the coverage, then the sums. */
    void print(PrintWriter out) {
        for (OfFile file : files) {
            for (CaseResult result : file.results()) {
                if (!result.passed()) {
                    out.println(result.of().position().in(file.file()) + ": "
                            + result.of().name() + ": " + result.text());
                }
            }
        }
        if (coverage != null) {
            coverage.print(out);
        }
        long failed = failed();
        out.println(cases() + (cases() == 1 ? " case, " : " cases, ") + (cases() - failed) + " passed"
                + (failed == 0 ? "" : ", " + failed + " failed"));
    }

    /** The same for programs. */
    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("cases", cases())
                .put("passed", cases() - failed())
                .put("failed", failed());
        ArrayNode results = json.putArray("results");
        for (OfFile file : files) {
            for (CaseResult result : file.results()) {
                ObjectNode node = results.addObject()
                        .put("file", file.file())
                        .put("line", result.of().position().line())
                        .put("column", result.of().position().column())
                        .put("name", result.of().name())
                        .put("rule", result.of().rule().definition().name())
                        .put("passed", result.passed());
                ArrayNode differences = node.putArray("differences");
                result.differences()
                        .forEach(each -> differences
                                .addObject()
                                .put("node", each.node())
                                .put("part", each.part())
                                .put("expected", each.expected())
                                .put("actual", each.actual()));
            }
        }
        if (coverage != null) {
            json.set("coverage", coverage.json());
        }
        return json;
    }
}
