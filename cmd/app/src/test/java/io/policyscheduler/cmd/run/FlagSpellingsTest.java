package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.run.SchedulerArguments.SettingFlags.Spellings;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class FlagSpellingsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "--leader-elect | --leader-elect=true",
                "--leader-elect=false | --leader-elect=false",
                "--leader_elect=0 | --leader-elect=0",
                "--leader-elect false | --leader-elect=true false",
                "--leader-elect --kubeconfig k | --leader-elect=true --kubeconfig=k",
                "--kubeconfig=a=b | --kubeconfig=a=b",
                "--kubeconfig= | --kubeconfig=",
                "--kubeconfig | --kubeconfig",
                "--kubeconfig --leader-elect | --kubeconfig --leader-elect=true",
                "--bind-timeout-seconds -1 | --bind-timeout-seconds=-1",
                "--kubeconfig a --master m --kubeconfig b | --master=m --kubeconfig=b",
                "--rules a --rules b_c | --rules=a --rules=b_c",
                "-v=2 | --v=2",
                "-v2 | --v=2",
                "-v 2 --leader-elect | --v=2 --leader-elect=true",
                "--v 2 -v 3 | --v=3",
                "--lock-object-name a --leader-elect-resource-name b | --leader-elect-resource-name=b",
                "--leader-elect-resource-name b --lock_object_name=a | --leader-elect-resource-name=a",
                "--feature-gates A=true --feature_gates=B=false | --feature-gates=A=true --feature-gates=B=false",
                "-o json --debug -h | -o json --debug -h",
                "--no_such-flag x | --no_such-flag x",
                "--leader-elect -- --leader-elect | --leader-elect=true -- --leader-elect",
            })
    void flagsInOneSpelling(String given, String written) {
        assertEquals(List.of(written.split(" ")), Spellings.write(List.of(given.split(" "))));
    }

    @Test
    void theCommandLineTakesThem() {
        CommandLine.ParseResult run = Main.commandLine()
                .parseArgs(
                        "run", "--leader_elect", "--policy_config_file", "p", "--policy-config-file=q", "--rules=a,b")
                .subcommand();
        assertEquals(true, run.matchedOptionValue("--leader-elect", false));
        assertEquals("q", run.matchedOptionValue("--policy-config-file", ""));
        assertEquals(List.of("a,b"), run.matchedOptionValue("--rules", List.of()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--leader-elect=maybe | --leader-elect: 'maybe' is not true or false",
                "--leader-elect true | unexpected argument 'true'",
                "--kubeconfig | --kubeconfig requires a value: FILE",
                "--bind-timeout-seconds=soon | --bind-timeout-seconds: 'soon' is not an integer",
                "--tie-break=last | --tie-break: 'last' is not one of round-robin, random, first",
                "--verify-rules=much | --verify-rules: 'much' is not a share (such as 0.1% or" + " 0.001)",
                "--verify-decisions=7 | --verify-decisions: '7' is more than all; did you mean \"7%\"?",
                "--verify-decisions=some | --verify-decisions: 'some' is not a share (such as 0.1% or 0.001)",
                "--no-such-flag | unknown option --no-such-flag",
                "--leader-elekt | unknown option --leader-elekt (did you mean --leader-elect?)",
            })
    void mistakesAreUsageErrors(String flags, String error) {
        CommandRun run = CommandRun.of(("run " + flags).split(" "));
        assertEquals(new CommandRun(2, "", "error: " + error + "\nsee policy-scheduler run --help\n"), run);
    }
}
