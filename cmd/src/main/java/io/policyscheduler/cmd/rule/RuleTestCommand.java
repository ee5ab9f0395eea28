package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
            "-o json gives",
            "  {\"cases\": 2, \"passed\": 1, \"failed\": 1, \"results\": [ {\"file\": \"c.yaml\", \"line\": 4, \"column\": 3,",
            "      \"name\": \"full\", \"rule\": \"UnderlayIPs\", \"passed\": false, \"differences\": [",
            "        {\"node\": \"n1\", \"part\": \"fits\", \"expected\": \"false\", \"actual\": \"true\"} ]} ]}"
        })
final class RuleTestCommand implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files of cases, JSON or YAML.")
    private List<Path> files = List.of();

    @Option(names = "--junit", paramLabel = "FILE", description = "Write the results as JUnit XML too.")
    private @Nullable Path junit;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        CaseReport report =
                new CaseReport(read().stream().map(CaseReport.OfFile::run).toList());
        if (junit != null) {
            try {
                JUnitReport.write(junit, report);
            } catch (IOException e) {
                throw new InputException("cannot write " + junit + ": " + e, e);
            }
        }
        common.output().write(() -> report.print(common.out()), report::json);
        return report.failed() == 0 ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    /** All files; what is wrong with them is told together. */
    private List<CaseFile> read() {
        List<CaseFile> read = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        for (Path file : files) {
            try {
                read.add(CaseFile.read(file));
            } catch (InputException e) {
                wrong.add(String.valueOf(e.getMessage()));
            }
        }
        if (!wrong.isEmpty()) {
            throw new InputException(String.join("\n", wrong));
        }
        return read;
    }
}
