package io.policyscheduler.cmd.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.policyscheduler.cmd.cluster.EverydayCommand.Outcome;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * kubectl on the embedded cluster behaves as recorded on a real one of 1.34: commands.txt lists the commands, and record.py next to it recorded them.
 * The table in docs/kubectl.md is generated from them; {@code -Drenew=true} updates it.
 */
class EverydayKubectlTest {
    private static final Path HERE = Path.of("src/test/resources/kubectl");
    private static final Path PAGE = Path.of("../../docs/kubectl.md");
    private static final String BEGIN = "<!-- The table is generated: EverydayKubectlTest with -Drenew=true. -->\n";
    private static final String END = "<!-- End of the generated table. -->";
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    @Test
    @SuppressWarnings("try") // the scheduler runs by itself
    void doesWhatItDoesOnARealCluster(@TempDir Path directory) throws Exception {
        assumeTrue(hasProgram("kubectl"), "no kubectl in the PATH");
        Map<String, List<Outcome>> recorded = EverydayCommand.recorded(Files.readString(HERE.resolve("recorded.txt")));
        Map<String, Deque<Outcome>> expected = new HashMap<>();
        recorded.forEach((command, outcomes) -> expected.put(command, new ArrayDeque<>(outcomes)));
        List<String> differences = new ArrayList<>();
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                .controllers(true)
                .kubeletPeriod(Duration.ofMillis(10))
                .longestGrace(Duration.ofMillis(50))
                .start()) {
            ManifestFiles.read(HERE.resolve("nodes.yaml")).forEach(cluster::load);
            cluster.startControllers();
            Path kubeconfig = directory.resolve("config");
            cluster.writeKubeconfig(kubeconfig);
            SchedulerSettings settings = new SchedulerSettings(
                    "default-scheduler", policy(), TieBreak.roundRobin(), 0, false, SchedulerListener.NONE);
            try (LiveScheduler scheduler =
                    LiveScheduler.start(settings, KubeConnection.fromUrl(cluster.url()), "test", Clock.systemUTC())) {
                for (EverydayCommand command : commands()) {
                    Outcome outcome = expected.getOrDefault(command.text(), new ArrayDeque<>())
                            .remove();
                    String difference = run(command, outcome, kubeconfig, directory);
                    if (!difference.isEmpty() && command.differs().isEmpty()) {
                        differences.add("$ " + command.text() + "\n" + difference);
                    }
                }
            }
        }
        assertEquals("", String.join("\n", differences));
    }

    private static List<EverydayCommand> commands() throws IOException {
        return EverydayCommand.parse(Files.readString(HERE.resolve("commands.txt")));
    }

    /** Returns the lines that only one of the clusters printed; repeats the command until there are none, because controllers need time. */
    private static String run(EverydayCommand command, Outcome outcome, Path kubeconfig, Path directory)
            throws IOException, InterruptedException {
        String compared = "exit " + outcome.exit() + "\n" + KubectlOutput.compared(command.mode(), outcome.output());
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Outcome found = kubectl(command, kubeconfig, directory);
            String difference = KubectlOutput.difference(
                    compared, "exit " + found.exit() + "\n" + KubectlOutput.compared(command.mode(), found.output()));
            boolean again = command.onlyLooks() && command.differs().isEmpty();
            if (difference.isEmpty() || !again || System.nanoTime() - end > 0) {
                return difference;
            }
        }
    }

    private static Outcome kubectl(EverydayCommand command, Path kubeconfig, Path directory)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command.words()).directory(HERE.toFile()).redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        builder.environment().put("KUBECACHEDIR", directory.resolve("cache").toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("kubectl hangs: " + command.text());
        }
        return new Outcome(process.exitValue(), output);
    }

    private static EffectivePolicy policy() throws PolicyException {
        return new PolicyResolver(FeatureGates.defaults().at(new Release(34)), 1, false, Algorithms.registry())
                .resolveProvider("DefaultProvider");
    }

    private static boolean hasProgram(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .anyMatch(place -> new File(place, name).canExecute());
    }

    @Test
    void thePageHasAllCommands() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        String renewed = page.substring(0, begin) + "\n" + table() + "\n" + page.substring(page.indexOf(END));
        if (Boolean.getBoolean("renew")) {
            Files.writeString(PAGE, renewed);
        }
        assertEquals(renewed, Files.readString(PAGE), "-Drenew=true renews the table");
    }

    private static String table() throws IOException {
        StringBuilder table = new StringBuilder("| | command | equal |\n|---|---|---|\n");
        String heading = "";
        for (EverydayCommand command : commands()) {
            String same = command.differs().isEmpty()
                    ? Map.of(
                                    "text", "output",
                                    "last", "last line",
                                    "keys", "fields",
                                    "labels", "headings",
                                    "types", "names and types",
                                    "exit", "exit code")
                            .getOrDefault(command.mode(), "")
                    : "**no**: " + command.differs();
            table.append("| ")
                    .append(command.heading().equals(heading) ? "" : command.heading())
                    .append(" | `")
                    .append(command.text())
                    .append("` | ")
                    .append(same)
                    .append(" |\n");
            heading = command.heading();
        }
        return table.toString();
    }
}
