package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.rule.CoverageReport.CaseCoverage;
import io.policyscheduler.cmd.rule.RuleCase.CaseOutcome;
import io.policyscheduler.cmd.rule.RuleCase.CasePart;
import io.policyscheduler.cmd.rule.RuleTestCommand.CaseReport.JUnitReport;
import io.policyscheduler.engine.policy.PolicyTables;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import io.policyscheduler.engine.rules.RuleProgram;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rule test}. */
@Command(
        name = "test",
        description = "Runs test cases for rules.",
        sortOptions = false,
        footer = {
            "",
            "A test file names a policy or a library by its path from the test file, and lists cases. A case has a rule",
            "or an expression, nodes, their pods, the pod to schedule, and the expected result for all nodes or for",
            "each node: fits (true or false), score, reason, or error. policy-files/rules/README.md describes the",
            "format.",
            "",
            "Each case runs with both evaluators of rules (see run --rule-executor). A case also fails if their",
            "results differ. For a failed case, rule test prints its position and, for each node, the expected and",
            "the actual value. The exit code is then 1. If a file is invalid, no case runs and the exit code is 3.",
            "",
            "--coverage reports which branches of the rules the cases take. A condition in the fields expression",
            "and when of a rule has two branches: true and false. Conditions are the sides of && and ||, the",
            "conditions of ?: and if, the conditions of any, all, count, and filter, and a whole predicate. Rules",
            "without a case count, too. The lines below the table list the branches that no case takes.",
            "",
            "-o json prints (coverage with --coverage only)",
            "  {\"cases\": 2, \"passed\": 1, \"failed\": 1, \"results\": [ {\"file\": \"c.yaml\", \"line\": 4, \"column\": 3,",
            "      \"name\": \"full\", \"rule\": \"UnderlayIPs\", \"passed\": false, \"differences\": [",
            "        {\"node\": \"n1\", \"part\": \"fits\", \"expected\": \"false\", \"actual\": \"true\"} ]} ],",
            "   \"coverage\": {\"branches\": 4, \"taken\": 3, \"percent\": 75.0, \"rules\": [ {\"rule\": \"UnderlayIPs\",",
            "      \"file\": \"p.yaml\", \"line\": 7, \"column\": 5, \"branches\": 4, \"taken\": 3, \"open\": [",
            "        {\"field\": \"when\", \"line\": 1, \"column\": 1, \"way\": false,",
            "         \"text\": \"pod.hasLabel('net')\"} ]} ]}}"
        },
        customSynopsis = "policy-scheduler rule test FILE... [--coverage] [--junit=FILE] [OPTION...]")
final class RuleTestCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Test files, JSON or YAML.")
    private List<Path> files = List.of();

    @Option(
            names = "--table",
            paramLabel = "NAME=FILE",
            description = "Read the lookup table NAME of the rules from FILE. Repeatable.")
    private Map<String, Path> tableFiles = Map.of();

    @Option(names = "--junit", paramLabel = "FILE", description = "Also write the results to FILE as JUnit XML.")
    private @Nullable Path junit;

    @Option(names = "--coverage", description = "Report the branches that the cases take.")
    private boolean coverage;

    @Option(
            names = "--coverage-min",
            paramLabel = "PERCENT",
            description =
                    "Exit with code 1 if less than this percentage of the branches is taken. Implies" + " --coverage.")
    private @Nullable String coverageMin;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        double least = least();
        List<CaseFile> read = read();
        CoverageReport covered = coverage || coverageMin != null ? CaseCoverage.of(read) : null;
        CaseReport report =
                new CaseReport(read.stream().map(CaseReport.OfFile::run).toList(), covered);
        if (junit != null) {
            try {
                JUnitReport.write(junit, report);
            } catch (IOException e) {
                throw new InputException("cannot write " + junit + ": " + e, e);
            }
        }
        common.output().write(() -> report.print(common.out()), report::json);
        boolean enough = true;
        if (covered != null && covered.percent() < least) {
            enough = false;
            common.err()
                    .println("error: " + covered.taken() + " of " + covered.branches()
                            + " branches are taken; --coverage-min requires " + coverageMin
                            + "; write cases for the branches listed above");
        }
        return enough && report.failed() == 0 ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    /** A number with or without a percent sign. */
    private double least() {
        if (coverageMin == null) {
            return 0;
        }
        if (!coverageMin.matches("[0-9]{1,3}(\\.[0-9]{1,3})?%?")) {
            throw badLeast();
        }
        double percent = Double.parseDouble(coverageMin.replace("%", ""));
        if (percent > 100) {
            throw badLeast();
        }
        return percent;
    }

    private ParameterException badLeast() {
        return new ParameterException(
                spec.commandLine(),
                "--coverage-min " + coverageMin + ": set a percentage from 0% to 100%, such as 90%");
    }

    /** Reads all files; their problems are reported together. */
    private List<CaseFile> read() {
        List<CaseFile> read = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        for (Path file : files) {
            try {
                read.add(CaseFile.read(file, tableFiles));
            } catch (InputException e) {
                wrong.add(String.valueOf(e.getMessage()));
            }
        }
        if (!wrong.isEmpty()) {
            throw new InputException(String.join("\n", wrong));
        }
        Set<String> known = new TreeSet<>();
        read.forEach(file -> known.addAll(file.tables()));
        PolicyTables.unknownTables(tableFiles.keySet(), "objects of the cases", known)
                .forEach(line -> common.err().println("warning: " + PolicyWarningCode.NO_SUCH_TABLE + " " + line));
        return read;
    }

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
                            differences.add(new Difference(
                                    outcome.node(), expected.part().word(), expected.value(), actual));
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
                    XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory()
                            .createXMLStreamWriter(out, StandardCharsets.UTF_8.name());
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
}
