package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Each flag next to {@code --config}: it has its effect, or it is rejected with a line that names both. */
class FlagsWithConfigTest {
    private static final Set<String> OF_POLICIES = Set.of(
            "--algorithm-provider",
            "--hard-pod-affinity-symmetric-weight",
            "--policy-config-file",
            "--policy-configmap",
            "--policy-configmap-namespace",
            "--rule-executor",
            "--rules",
            "--strict-v1.17",
            "--use-legacy-policy-config",
            "--verify-rules");

    private final Path folder;

    FlagsWithConfigTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private Path config(ConfigVersion version, String rest) throws IOException {
        return Files.writeString(
                folder.resolve("config.yaml"),
                "apiVersion: " + version.apiVersion() + "\nkind: KubeSchedulerConfiguration\n" + rest);
    }

    /** A value that differs from the default. */
    private static String value(Setting setting) {
        Shape shape = setting.shape();
        if (shape.equals(Shape.BOOL)) {
            return "true";
        }
        if (shape.equals(Shape.DURATION)) {
            return "7s";
        }
        return switch (setting.flag()) {
            case "--rule-executor" -> "mvel";
            case "--tie-break" -> "first";
            case "--release" -> "1.34";
            case "--compat" -> "1.17";
            case "--feature-gates" -> "EvenPodsSpread=true";
            case "--scheduler-name" -> "default-scheduler";
            default -> shape.equals(Shape.INT32) || shape.equals(Shape.INT64) || shape.equals(Shape.FLOAT) ? "7" : "1";
        };
    }

    @ParameterizedTest
    @EnumSource(ConfigVersion.class)
    void everyFlag(ConfigVersion version) throws IOException {
        Path file = config(version, "");
        Set<String> rejected = new TreeSet<>();
        List<String> ignored = new ArrayList<>();
        for (Setting setting : SettingCatalog.withFlags()) {
            if (setting.flag().equals("--config") || setting.flag().isEmpty()) {
                continue;
            }
            ConfigCommand.Show arguments = new ConfigCommand.Show(Map.of());
            try {
                new CommandLine(arguments)
                        .parseArgs("--config", file.toString(), setting.flag() + "=" + value(setting));
                if (!arguments.settings().isGivenAtStart(setting)) {
                    ignored.add(setting.flag());
                }
            } catch (ParameterException e) {
                String message = String.valueOf(e.getMessage());
                if (message.startsWith(setting.flag()) && message.contains(" next to --config " + file + ": ")) {
                    rejected.add(setting.flag());
                } else if (!message.contains(setting.flag())) {
                    ignored.add(message);
                }
            }
        }
        assertEquals(List.of(), ignored);
        assertEquals(version == ConfigVersion.V1ALPHA1 ? Set.of() : new TreeSet<>(OF_POLICIES), rejected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--policy-config-file=/none.json | --policy-config-file /none.json has no effect next to --config"
                        + " CONFIG: the file selects plugins by profiles; leave one of them out, or add --profile"
                        + " NAME=policy:/none.json for another scheduler name",
                "--policy-configmap=p | --policy-configmap p has no effect next to --config CONFIG: the file selects"
                        + " plugins by profiles; leave one of them out, or add --profile NAME=configmap:kube-system/p for"
                        + " another scheduler name",
                "--algorithm-provider=DefaultProvider | --algorithm-provider DefaultProvider has no effect next to"
                        + " --config CONFIG: the file selects plugins by profiles; leave one of them out, or add --profile"
                        + " NAME=provider:DefaultProvider for another scheduler name",
                "--hard-pod-affinity-symmetric-weight=5 | --hard-pod-affinity-symmetric-weight 5 has no effect next to"
                        + " --config CONFIG: it changes policies, and the file has only profiles; leave one of them out,"
                        + " or set hardPodAffinityWeight in the args of InterPodAffinity",
                "--percentage-of-nodes-to-score=50 | --percentage-of-nodes-to-score 50 has no effect next to --config"
                        + " CONFIG: its profiles set percentageOfNodesToScore; leave one of them out",
                "--bind-timeout-seconds=50 | --bind-timeout-seconds 50 has no effect next to --config CONFIG: its"
                        + " profiles set bindTimeoutSeconds in the args of VolumeBinding; leave one of them out",
            })
    void theMessageNamesBoth(String flag, String message) throws IOException {
        Path file = config(
                ConfigVersion.V1,
                "profiles:\n- percentageOfNodesToScore: 10\n  pluginConfig:\n  - name: VolumeBinding\n"
                        + "    args: {bindTimeoutSeconds: 3}\n");
        for (String command : List.of("run", "config show")) {
            List<String> words = new ArrayList<>(List.of(command.split(" ")));
            words.addAll(List.of("--config", file.toString(), flag));
            CommandRun run = CommandRun.of(words.toArray(String[]::new));
            assertEquals(2, run.code());
            assertTrue(run.err().replace(file.toString(), "CONFIG").startsWith("error: " + message + "\n"), run.err());
        }
    }

    /** Of several flags that name a policy, one takes effect, and a warning names the others. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--policy-config-file=p --policy-configmap=m | --policy-config-file p has no effect next to"
                        + " --policy-configmap m",
                "--policy-config-file=p --policy-configmap=m --use-legacy-policy-config | --policy-configmap m has no"
                        + " effect next to --policy-config-file p",
                "--policy-config-file=p --algorithm-provider=DefaultProvider | --algorithm-provider DefaultProvider"
                        + " has no effect next to --policy-config-file p",
                "--policy-configmap=m --algorithm-provider=DefaultProvider | --algorithm-provider DefaultProvider has"
                        + " no effect next to --policy-configmap m",
                "--policy-config-file=p --policy-configmap-namespace=n | --policy-configmap-namespace n has no effect:"
                        + " no --policy-configmap is read",
                "--policy-configmap=m --policy-configmap-namespace=n | ''",
                "--policy-config-file=p | ''",
                "--algorithm-provider=DefaultProvider | ''",
            })
    void onePolicyTakesEffect(String flags, String warning) {
        List<String> words = new ArrayList<>(List.of("config", "show"));
        words.addAll(List.of(flags.split(" ")));
        String err = CommandRun.of(words.toArray(String[]::new)).err();
        assertEquals(!warning.isEmpty(), err.contains("W149"), err);
        assertTrue(err.contains(warning), err);
    }

    /** With v1alpha1, a source that a flag names replaces the one of the file. */
    @Test
    void aFlagReplacesTheSourceOfTheFile() throws IOException {
        Path policy = Files.writeString(folder.resolve("p.json"), "{\"kind\":\"Policy\",\"apiVersion\":\"v1\"}");
        for (String source :
                List.of("provider: X", "policy: {file: {path: /none}}", "policy: {configMap: {name: m}}")) {
            Path file = config(ConfigVersion.V1ALPHA1, "algorithmSource:\n  " + source + "\n");
            ConfigCommand.Show arguments = new ConfigCommand.Show(Map.of());
            new CommandLine(arguments)
                    .parseArgs("--config", file.toString(), "--policy-config-file", policy.toString());
            assertEquals(policy, arguments.policy().source().file());
            assertEquals("", arguments.policy().source().configMap());
            assertEquals("", arguments.policy().source().provider());
        }
    }
}
