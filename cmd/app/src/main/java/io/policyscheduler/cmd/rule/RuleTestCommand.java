package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.rule.CaseReport.JUnitReport;
import io.policyscheduler.cmd.rule.CoverageReport.CaseCoverage;
import io.policyscheduler.engine.policy.PolicyTables;
import io.policyscheduler.engine.policy.PolicyWarningCode;
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
}
