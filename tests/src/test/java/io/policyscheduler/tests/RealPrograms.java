package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.policyscheduler.tests.packaging.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Programs of Kubernetes, which {@code tests/real/cluster.sh} finds in {@code KUBERNETES_PROGRAMS} or {@code KUBEBUILDER_ASSETS}, and reference
 * deciders in {@code KUBERNETES_ORACLES}. A test that needs a missing one is skipped, with a message that says what to install.
 */
public final class RealPrograms {
    private static final Path SCRIPT = RepositoryFiles.root().resolve("tests/real/cluster.sh");

    /** Longer than the limits of the script, whose messages name the program and its log. */
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private RealPrograms() {}

    /** Returns a program such as {@code kube-scheduler} of a release such as {@code 1.34}. */
    public static Path program(String name, String release) {
        Command found = script(Map.of(), "program", name, release);
        assumeTrue(found.code() == 0, found::err);
        return Path.of(found.out().strip());
    }

    /**
     * Returns a reference scheduler.
     *
     * @param name {@code oracle}, or {@code oracle-dra} for pods with resource claims
     */
    static Path oracle(String name, String release) {
        Path program = Path.of(System.getenv().getOrDefault("KUBERNETES_ORACLES", "/nowhere"), release, name);
        assumeTrue(
                Files.isExecutable(program),
                () -> "no reference scheduler " + program
                        + "; docs/concepts/exact.md describes how to write one, and KUBERNETES_ORACLES names"
                        + " the folder with 1.N/oracle");
        return program;
    }

    /** Returns the releases with etcd and kube-apiserver, oldest first. */
    public static List<String> releases() {
        return Arrays.stream(script(Map.of(), "list").out().split("\n", -1))
                .filter(line -> line.matches("1\\.\\d+ (complete|without.*)"))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }

    /**
     * Starts etcd and kube-apiserver of a release, or finds those that run. Returns the path of the kubeconfig. Those that it starts run until
     * {@link #down} or the end of this process.
     */
    public static Path up(String release, Map<String, String> environment) {
        program("etcd", release);
        program("kube-apiserver", release);
        Map<String, String> owned = new TreeMap<>(environment);
        owned.put("CLUSTER_OWNER", String.valueOf(ProcessHandle.current().pid()));
        Command up = script(owned, "up", release);
        if (up.code() != 0) {
            throw new IllegalStateException(up.err());
        }
        return Path.of(up.out().strip());
    }

    /** Stops what {@link #up} has started, and removes its data. */
    public static void down(String release, Map<String, String> environment) {
        Command down = script(environment, "down", release);
        if (down.code() != 0) {
            throw new IllegalStateException(down.err());
        }
    }

    private static Command script(Map<String, String> more, String... arguments) {
        Map<String, String> environment = new TreeMap<>(System.getenv());
        environment.putAll(more);
        List<String> line = new ArrayList<>(List.of(SCRIPT.toString()));
        line.addAll(List.of(arguments));
        return Command.run(RepositoryFiles.root(), environment, line, LIMIT);
    }
}
