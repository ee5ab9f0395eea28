package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.rule.report.CoverageReport;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import io.policyscheduler.engine.policy.table.PolicyTables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
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
        description = "Runs cases: what rules have to say about a pod on some nodes.",
        sortOptions = false,
        footer = {
            "",
            "A file of cases names a policy or a library, relative to itself, and lists cases: the rule or an expression,",
            "nodes, the pods on them, the pod to decide about, and what is expected: fits, score, reason or error, for all",
            "nodes or for each. policy-files/rules/README.md tells how to write them.",
            "",
            "Both executors run each case; where they differ it fails. A failed case gives one line with its place and,",
            "for each node and part, what is expected and what came of it; the exit code is then 1. A file that is wrong",
            "gives a line for each thing that is wrong with it, and exit code 3; no case is run.",
            "",
            "--coverage tells which branches of the rules the cases take: for each condition of an expression and of its",
            "'when' that it was true once and false once. A condition is what decides by itself: a side of && and ||, what is",
            "asked by ? : and if, what any, all, count and filter ask, and the whole of a predicate. Rules of the policies and",
            "libraries that have no case count too. Below the table stands a line for each branch that no case takes.",
            "",
            "-o json gives (coverage with --coverage only)",
            "  {\"cases\": 2, \"passed\": 1, \"failed\": 1, \"results\": [ {\"file\": \"c.yaml\", \"line\": 4, \"column\": 3,",
            "      \"name\": \"full\", \"rule\": \"UnderlayIPs\", \"passed\": false, \"differences\": [",
            "        {\"node\": \"n1\", \"part\": \"fits\", \"expected\": \"false\", \"actual\": \"true\"} ]} ],",
            "   \"coverage\": {\"branches\": 4, \"taken\": 3, \"percent\": 75.0, \"rules\": [ {\"rule\": \"UnderlayIPs\",",
            "      \"file\": \"p.yaml\", \"line\": 7, \"column\": 5, \"branches\": 4, \"taken\": 3, \"open\": [ {\"field\": \"when\",",
            "        \"line\": 1, \"column\": 1, \"way\": false, \"text\": \"pod.hasLabel('net')\"} ]} ]}}"
        })
final class RuleTestCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files of cases, JSON or YAML.")
    private List<Path> files = List.of();

    @Option(
            names = "--table",
            paramLabel = "NAME=FILE",
            description = "Values of a table of the policy or library from a file; may be given several times.")
    private Map<String, Path> tableFiles = Map.of();

    @Option(names = "--junit", paramLabel = "FILE", description = "Write the results as JUnit XML too.")
    private @Nullable Path junit;

    @Option(names = "--coverage", description = "Tell which branches of the rules the cases take.")
    private boolean coverage;

    @Option(
            names = "--coverage-min",
            paramLabel = "PERCENT",
            description = "With less of the branches taken the exit code is 1; implies --coverage.")
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
                            + " branches are taken, --coverage-min asks for " + coverageMin
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
                spec.commandLine(), "--coverage-min " + coverageMin + ": give a share from 0% to 100%, such as 90%");
    }

    /** All files; what is wrong with them is told together. */
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
        PolicyTables.notThere(tableFiles.keySet(), "what the cases are about", known)
                .forEach(line -> common.err().println("warning: " + PolicyWarningCode.NO_SUCH_TABLE + " " + line));
        return read;
    }
}
