package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Settings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigCommandTest {
    private static final String PROFILES = """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            leaderElection: {leaderElect: true, leaseDuration: 20s}
            percentageOfNodesToScore: 50
            profiles:
            - schedulerName: packed
              plugins:
                score:
                  enabled: [{name: NodeResourcesBalancedAllocation, weight: 3}]
            """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private final Path folder;

    ConfigCommandTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private int run(String... args) {
        List<String> all = new ArrayList<>(List.of("config", "show"));
        all.addAll(List.of(args));
        return Main.run(all.toArray(String[]::new), new PrintWriter(out), new PrintWriter(err));
    }

    private String file(String text) throws IOException {
        return Files.writeString(folder.resolve("config.yaml"), text).toString();
    }

    private Map<String, String> settings() throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        for (JsonNode setting : new ObjectMapper().readTree(out.toString())) {
            settings.put(
                    setting.path("setting").asText(),
                    setting.path("value").asText() + " ("
                            + setting.path("source").asText() + ")");
        }
        return settings;
    }

    @Test
    void eachValueTellsItsSource() throws IOException {
        String file = file(PROFILES);
        assertEquals(ExitCode.OK, run("--config", file, "--tie-break=first", "-o", "json"), err::toString);
        Map<String, String> settings = settings();
        assertEquals(file + " (flag --config)", settings.get("config"));
        assertEquals("first (flag --tie-break)", settings.get("tie-break"));
        assertEquals("50 (file " + file + ":4)", settings.get("percentage-of-nodes-to-score"));
        assertEquals("true (file " + file + ":3)", settings.get("leader-elect"));
        assertEquals("20s (file " + file + ":3)", settings.get("leader-elect-lease-duration"));
        assertEquals("10s (default)", settings.get("leader-elect-renew-deadline"));
        assertEquals("packed (file " + file + ":6)", settings.get("scheduler-name"));
    }

    @Test
    void aFlagGoesBeforeTheFile() throws IOException {
        String file = file(PROFILES);
        assertEquals(
                ExitCode.OK,
                run("--config=" + file, "--percentage-of-nodes-to-score", "7", "--leader-elect=false", "-o", "json"));
        assertEquals("7 (flag --percentage-of-nodes-to-score)", settings().get("percentage-of-nodes-to-score"));
        assertEquals("false (flag --leader-elect)", settings().get("leader-elect"));
    }

    /** Settings that only a file has follow those with flags. A flag for the port replaces the address for metrics. */
    @ParameterizedTest
    @CsvSource({"'', 127.0.0.1:9998", "--port=0, ''"})
    void settingsWithoutFlags(String flag, String address) throws IOException {
        String file = file("""
                apiVersion: kubescheduler.config.k8s.io/v1beta2
                kind: KubeSchedulerConfiguration
                parallelism: 8
                metricsBindAddress: 127.0.0.1:9998
                """);
        List<String> flags = new ArrayList<>(List.of("--config", file, "-o", "json"));
        if (!flag.isEmpty()) {
            flags.add(flag);
        }
        assertEquals(ExitCode.OK, run(flags.toArray(String[]::new)), err::toString);
        assertEquals(address + " (file " + file + ":4)", settings().get("metricsBindAddress"));
        assertEquals("8 (file " + file + ":3)", settings().get("parallelism"));
    }

    /** A flag replaces the policy of a v1alpha1 file, and the warning names both. */
    @Test
    void aFlagReplacesTheSourceOfTheFile() throws IOException {
        String file = file("""
                apiVersion: kubescheduler.config.k8s.io/v1alpha1
                kind: KubeSchedulerConfiguration
                algorithmSource: {policy: {configMap: {namespace: kube-system, name: p}}}
                """);
        assertEquals(
                ExitCode.OK,
                run("--config", file, "--algorithm-provider=DefaultProvider", "-o", "json"),
                err::toString);
        assertEquals(" (file " + file + ":3)", settings().get("policy-configmap"));
        assertEquals("DefaultProvider (flag --algorithm-provider)", settings().get("algorithm-provider"));
        assertEquals(
                "warning: W149 algorithmSource.policy.configMap.name of " + file
                        + ":3 has no effect next to --algorithm-provider DefaultProvider, which takes precedence; remove one of"
                        + " them",
                err.toString().strip());
    }

    @Test
    void anUnknownProviderOfTheFlagIsRejected() {
        assertEquals(ExitCode.BAD_INPUT, run("--algorithm-provider=Nope"));
        assertEquals(
                "error: --algorithm-provider: provider \"Nope\" is not registered",
                err.toString().strip());
    }

    @ParameterizedTest
    @ValueSource(strings = {"other", "policy-scheduler"})
    void aNameThatContradictsTheProfilesIsRefused(String name) throws IOException {
        String file = file(PROFILES);
        assertEquals(ExitCode.USAGE, run("--config", file, "--scheduler-name", name));
        assertTrue(
                err.toString()
                        .contains(
                                "--scheduler-name: \"" + name + "\" contradicts " + file
                                        + ":6:18, whose profiles are for packed; remove the flag, or change profiles[0].schedulerName"),
                err::toString);
    }

    @Test
    void theNameOfTheProfileMayBeSaidAgain() throws IOException {
        assertEquals(
                ExitCode.OK,
                run("--config", file(PROFILES), "--scheduler-name", "packed", "-o", "json"),
                err::toString);
        assertEquals("packed (flag --scheduler-name)", settings().get("scheduler-name"));
    }

    @Test
    void defaultsWithoutAFile() throws IOException {
        assertEquals(ExitCode.OK, run("-o", "json"));
        Map<String, String> settings = settings();
        assertTrue(
                settings.values().stream()
                        .allMatch(value -> value.endsWith("(default)") || value.contains(Setting.PREFIX)),
                settings::toString);
        assertEquals("600 (default)", settings.get("bind-timeout-seconds"));
        assertEquals("1 (default)", settings.get("pod-initial-backoff-seconds"));
        assertEquals("10 (default)", settings.get("pod-max-backoff-seconds"));
        assertEquals("false (default)", settings.get("requeue-hints"));
        assertEquals("200 (default)", settings.get("decision-budget-millis"));
        assertEquals("false (default)", settings.get("disable-preemption"));
    }

    @Test
    void everyFieldBelongsToAFlag() throws IOException {
        assertEquals(ExitCode.OK, run("-o", "json"));
        Set<String> shown = settings().keySet();
        Settings.all().stream()
                .map(Setting::flag)
                .filter(flag -> !flag.isEmpty())
                .forEach(flag -> assertTrue(shown.contains(flag.substring(2)), flag));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "percentageOfNodesToScore: 50|percentageOfNodesToScore: 150|"
                        + ":4:27: percentageOfNodesToScore: Invalid value: 150: not in valid range [0-100]",
                "NodeResourcesBalancedAllocation|NodeResourcesBalanced|"
                        + ":9:17: initializing profiles: creating profile for scheduler name packed: ScorePlugin"
                        + " \"NodeResourcesBalanced\" does not exist (did you mean \"NodeResourcesBalancedAllocation\"?)",
            })
    void mistakesAreToldWithTheirPlace(String right, String wrong, String message) throws IOException {
        String file = file(PROFILES.replace(right, wrong));
        assertEquals(ExitCode.BAD_INPUT, run("--config", file));
        assertEquals("error: " + file + message, err.toString().strip());
    }

    @Test
    void aFileThatIsNotThere() {
        assertEquals(ExitCode.BAD_INPUT, run("--config", "/no/such/file"));
        assertEquals("error: no such file: /no/such/file", err.toString().strip());
    }

    @Test
    void timesThatMakeNoSense() {
        assertEquals(ExitCode.USAGE, run("--pod-initial-backoff-seconds", "0"));
        assertTrue(err.toString().contains("must be greater than 0"), err::toString);
    }
}
