package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.rule.RuleCase.CaseOutcome;
import io.policyscheduler.cmd.rule.RuleCase.CasePart;
import io.policyscheduler.engine.rules.RuleProgram;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;

/**
 * The results of all cases.
 *
 * @param files in the order of the command line
 * @param coverage the branches that the cases take; null if not requested
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

    /** The results as JSON. */
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

    /**
     * The result of a case.
     *
     * @param differences from the expected results, in the order of nodes; empty if the case passes
     */
    record CaseResult(RuleCase of, List<Difference> differences) {
        /**
         * One difference from the expected results.
         *
         * @param part a key of {@link CasePart}, or {@code mvel} if the executors differ: then the direct result is the expected
         *     one
         */
        record Difference(String node, String part, String expected, String actual) {
            private String text() {
                return node + " " + part + ": expected " + expected + ", got " + actual;
            }
        }

        CaseResult {
            differences = List.copyOf(differences);
        }

        /** Runs a case with both executors. */
        static CaseResult of(RuleCase about) {
            return compare(
                    about,
                    CaseOutcome.run(about, RuleProgram.Executor.DIRECT),
                    CaseOutcome.run(about, RuleProgram.Executor.MVEL));
        }

        /** Compares expected and actual results, both in the order of nodes. */
        static CaseResult compare(RuleCase about, List<CaseOutcome> direct, List<CaseOutcome> mvel) {
            List<Difference> differences = new ArrayList<>();
            for (int i = 0; i < direct.size(); i++) {
                CaseOutcome outcome = direct.get(i);
                for (RuleCase.Expected expected : about.of(outcome.node())) {
                    String actual = outcome.value(expected.part());
                    if (!expected.value().equals(actual)) {
                        differences.add(
                                new Difference(outcome.node(), expected.part().word(), expected.value(), actual));
                    }
                }
                if (!outcome.equals(mvel.get(i))) {
                    differences.add(new Difference(
                            outcome.node(),
                            RuleProgram.Executor.MVEL.toString(),
                            outcome.text(),
                            mvel.get(i).text()));
                }
            }
            return new CaseResult(about, differences);
        }

        boolean passed() {
            return differences.isEmpty();
        }

        /** All differences in one line. */
        String text() {
            return differences.stream().map(Difference::text).collect(Collectors.joining("; "));
        }
    }

    /** Writes results as JUnit XML for CI systems: one suite per file. */
    static final class JUnitReport {
        private final XMLStreamWriter xml;

        private JUnitReport(XMLStreamWriter xml) {
            this.xml = xml;
        }

        /**
         * Writes a report.
         *
         * @throws IOException if the file cannot be written
         */
        static void write(Path file, CaseReport report) throws IOException {
            try (OutputStream out = Files.newOutputStream(file)) {
                XMLStreamWriter xml =
                        XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out, StandardCharsets.UTF_8.name());
                new JUnitReport(xml).document(report);
                xml.close();
            } catch (XMLStreamException e) {
                throw new IOException(e);
            }
        }

        private void document(CaseReport report) throws XMLStreamException {
            xml.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
            start("testsuites", "rule test", report.cases(), report.failed());
            for (CaseReport.OfFile file : report.files()) {
                start("testsuite", file.file(), file.results().size(), file.failed());
                for (CaseResult result : file.results()) {
                    testCase(file.file(), result);
                }
                xml.writeEndElement();
            }
            coverage(report.coverage());
            xml.writeEndElement();
            xml.writeEndDocument();
        }

        private void start(String element, String name, long cases, long failed) throws XMLStreamException {
            xml.writeStartElement(element);
            attribute("name", name);
            attribute("tests", String.valueOf(cases));
            attribute("failures", String.valueOf(failed));
            attribute("errors", "0");
        }

        /** A suite without cases: its properties are the shares, its output the branches that no case takes. */
        private void coverage(@Nullable CoverageReport coverage) throws XMLStreamException {
            if (coverage == null) {
                return;
            }
            start("testsuite", "coverage", 0, 0);
            xml.writeStartElement("properties");
            property("branches", coverage.branches());
            property("taken", coverage.taken());
            xml.writeEndElement();
            xml.writeStartElement("system-out");
            xml.writeCharacters(printable(String.join("\n", coverage.open())));
            xml.writeEndElement();
            xml.writeEndElement();
        }

        private void property(String name, long value) throws XMLStreamException {
            xml.writeStartElement("property");
            attribute("name", name);
            attribute("value", String.valueOf(value));
            xml.writeEndElement();
        }

        private void testCase(String file, CaseResult result) throws XMLStreamException {
            xml.writeStartElement("testcase");
            attribute("name", result.of().name());
            attribute("classname", result.of().rule().definition().name());
            attribute("file", file);
            attribute("line", String.valueOf(result.of().position().line()));
            if (!result.passed()) {
                xml.writeStartElement("failure");
                attribute("message", result.text());
                xml.writeEndElement();
            }
            xml.writeEndElement();
        }

        private void attribute(String name, String value) throws XMLStreamException {
            xml.writeAttribute(name, printable(value).replace('\n', '?'));
        }

        /** XML cannot contain most control characters, even escaped. */
        private static String printable(String text) {
            return text.replaceAll("[^\\n\\x20-\\uD7FF\\uE000-\\uFFFD\\x{10000}-\\x{10FFFF}]", "?");
        }
    }
}
