package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class MainTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "validate --stric x | unknown option --stric (did you mean --strict-v1.17?) | policy-scheduler validate",
                "validate -o jsn x | --output: 'jsn' is not one of table, wide, json, yaml, markdown (did you mean json?) | policy-scheduler validate",
                "validate | FILE, --provider, or --profile is required | policy-scheduler validate",
                "validate --feature-gates Foo=true x | --feature-gates: unrecognized feature gate: Foo |"
                        + " policy-scheduler validate",
                "validate --hard-pod-affinity-symmetric-weight 101 x | --hard-pod-affinity-symmetric-weight: 101 is not"
                        + " in the valid range [1-100] | policy-scheduler validate",
                "simulate --policy a --provider b --cluster c | use only one of --policy=FILE, --provider=NAME | policy-scheduler simulate",
                "simulate --policy a --cluster c --percentage-of-nodes-to-score 101 | --percentage-of-nodes-to-score: 101"
                        + " is not in the valid range [0-100] | policy-scheduler simulate",
                "bench --nodes 0 | --nodes: '0' is not a positive integer |" + " policy-scheduler bench",
                "bench --runs 0 | --runs: '0' is not a positive integer |" + " policy-scheduler bench",
                "bench --runs -1 | --runs: '-1' is not a positive integer |" + " policy-scheduler bench",
                "bench --runs few | --runs: 'few' is not a positive integer |" + " policy-scheduler bench",
                "bench --pods -1 | --pods: '-1' is not a non-negative integer |" + " policy-scheduler bench",
                "bench --percentage-of-nodes-to-score 101 | --percentage-of-nodes-to-score:"
                        + " '101' is not an integer from 0 to 100 | policy-scheduler bench",
                "cluster --port 99999 | --port: '99999' is not a port from" + " 0 to 65535 | policy-scheduler cluster",
                "simulate --policy a --cluster c --add-nodes 999999999:like=x | --add-nodes: \"999999999:like=x\": at most"
                        + " 100000 nodes can be added | policy-scheduler simulate",
                "replay --emit x --mode both y | --emit writes one mode: --mode legacy, --mode framework, --mode modern, or --mode release |"
                        + " policy-scheduler replay",
            })
    void usageErrorsAreOneLineAndAHint(String line, String error, String command) {
        CommandRun run = CommandRun.of(line.split(" "));

        assertEquals(new CommandRun(2, "", "error: " + error + "\nsee " + command + " --help\n"), run);
    }

    @Test
    void unknownCommandsGetASuggestion() {
        CommandRun run = CommandRun.of("simulte");

        assertEquals(2, run.code());
        assertTrue(run.err().startsWith("error: unknown command 'simulte' (did you mean simulate?)"), run.err());
    }

    @Test
    void showsItsVersion() {
        CommandRun run = CommandRun.of("--version");

        assertEquals(0, run.code());
        assertTrue(run.out().matches("policy-scheduler \\S+( \\(commit ([0-9a-f]{40}|unknown)\\))?\n"), run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"validate", "simulate", "replay"})
    void everyCommandHasHelpWithTheFormatsOfItsResult(String command) {
        CommandRun run = CommandRun.of(command, "--help");

        assertEquals("", run.err());
        assertEquals(0, run.code());
        assertTrue(run.out().startsWith("Usage: policy-scheduler " + command), run.out());
        assertTrue(run.out().contains("-o json prints"), run.out());
    }

    @Test
    void noArgumentsPrintTheHelp() {
        assertEquals(CommandRun.of("--help"), CommandRun.of());
    }

    @Test
    void theHelpListsAllCommands() {
        CommandRun run = CommandRun.of("-h");

        assertEquals(0, run.code());
        for (String command : Main.commandLine().getSubcommands().keySet()) {
            assertTrue(run.out().contains("\n  " + command + " "), run.out());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--debug validate /nowhere/a", "validate --debug /nowhere/a", "validate /nowhere/a --debug"})
    void debugIsTakenAnywhere(String line) {
        assertEquals(new CommandRun(3, "", "error: no such file: /nowhere/a\n"), CommandRun.of(line.split(" ")));
    }

    @Command(name = "fails")
    private record Failing(RuntimeException failure) implements Callable<Integer> {
        @Override
        public Integer call() {
            throw failure;
        }
    }

    private static CommandRun fail(RuntimeException failure, boolean debug) {
        StringWriter err = new StringWriter();
        ErrorReport errors = new ErrorReport(() -> debug);
        int code = new CommandLine(new Failing(failure))
                .setErr(new PrintWriter(err))
                .setExecutionExceptionHandler(errors)
                .execute();
        return new CommandRun(code, "", err.toString());
    }

    @Test
    void exceptionsBecomeExitCodes() {
        assertEquals(new CommandRun(3, "", "error: a\nerror: b\n"), fail(new InputException("a\nb"), false));
        assertEquals(new CommandRun(4, "", "error: gone\n"), fail(new ClusterFailure("gone"), false));
        assertEquals(
                new CommandRun(
                        70,
                        "",
                        "error: internal error: java.lang.IllegalStateException: oops; use --debug for the stack trace\n"),
                fail(new IllegalStateException("oops"), false));
    }

    @Test
    void debugShowsTheStack() {
        CommandRun run = fail(new ClusterFailure("gone", new IllegalStateException("cause")), true);

        assertTrue(run.err().startsWith("error: gone\n" + ClusterFailure.class.getName() + ": gone\n\tat "));
        assertTrue(run.err().contains("Caused by: java.lang.IllegalStateException: cause"));
    }
}
