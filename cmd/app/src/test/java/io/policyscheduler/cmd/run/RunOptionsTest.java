package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.options.CommonOptions.DurationConverter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class RunOptionsTest {
    @ParameterizedTest
    @CsvSource({"15s, 15000", "1m30s, 90000", "500ms, 500", "1.5h, 5400000", "0s, 0", "2h1m, 7260000", "0.5s, 500"})
    void durations(String text, long millis) {
        assertEquals(Duration.ofMillis(millis), new DurationConverter().convert(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "15", "s", "-1s", "1 s", "1d", "1s2", "99999999999999999999h"})
    void malformedDurations(String text) {
        assertThrows(TypeConversionException.class, () -> new DurationConverter().convert(text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--leader-elect --leader-elect-lease-duration 10s | leader election: leaseDuration 10s must be greater"
                        + " than renewDeadline 10s",
                "--leader-elect=true --leader-elect-retry-period 9s | leader election: renewDeadline 10s must be greater"
                        + " than retryPeriod 9s * 1.2",
                "--leader-elect --leader-elect-resource-namespace= | leader election: resourceNamespace is required",
                "--leader-elect --leader-elect-resource-lock zookeeper | --leader-elect-resource-lock:"
                        + " \"zookeeper\" is not one of leases, endpointsleases, endpoints, configmapsleases, configmaps",
                "--leader-elect --leader-elect-resource-lock endpoints --leader-elect-lease-duration 10500ms | leader"
                        + " election: leaseDuration 10500ms must be at least 1s greater than renewDeadline 10s with the"
                        + " resourceLock endpoints, whose records have whole seconds",
                "--leader-elect --leader-elect-lease-duration 10 | --leader-elect-lease-duration: '10' is not a duration (such as 15s, 1m30s or"
                        + " 500ms)",
                "--policy-configmap ops/policy | --policy-configmap: \"ops/policy\" is not a name (did you mean"
                        + " --policy-configmap-namespace ops --policy-configmap policy?)",
            })
    void usageErrorsAreOneLine(String flags, String error) {
        CommandRun run = CommandRun.of(("run --master http://127.0.0.1:1 " + flags).split(" "));
        assertEquals(new CommandRun(2, "", "error: " + error + "\nsee policy-scheduler run --help\n"), run);
    }

    @Test
    void theStatusAddressIsChecked() {
        CommandRun run = CommandRun.of("run", "--master", "http://127.0.0.1:1", "--status-address", "nowhere");
        assertEquals(
                new CommandRun(
                        2,
                        "",
                        "error: --status-address: \"nowhere\" is not an address to listen on (such as 127.0.0.1:10251,"
                                + " [::]:10251, :10251 or 10251)\nsee policy-scheduler run --help\n"),
                run);
    }
}
