package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.policyscheduler.tests.RealPrograms;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tests/real/cluster.sh} finds programs, here stand-ins, and says what is missing. */
class RealClusterScriptTest {
    private final Path folder;

    RealClusterScriptTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private Path programs(String name, String version, String... programs) throws IOException {
        Path made = Files.createDirectories(folder.resolve(name));
        for (String program : programs) {
            Path file = Files.writeString(made.resolve(program), "#!/bin/sh\necho Kubernetes v" + version + "\n");
            assertTrue(file.toFile().setExecutable(true));
        }
        return made;
    }

    private Command run(Map<String, String> environment, String... arguments) {
        Map<String, String> all = new TreeMap<>(environment);
        // Without an etcd of this machine.
        all.put("PATH", tools().toString());
        all.put("HOME", folder.toString());
        return Command.run(
                folder,
                all,
                Stream.concat(
                                Stream.of(RepositoryFiles.root()
                                        .resolve("tests/real/cluster.sh")
                                        .toString()),
                                Stream.of(arguments))
                        .toList());
    }

    private Path tools() {
        try {
            Path tools = Files.createDirectories(folder.resolve("tools"));
            for (String tool : List.of("bash", "sed", "sort", "basename")) {
                Path link = tools.resolve(tool);
                if (!Files.exists(link)) {
                    Files.createSymbolicLink(link, Path.of("/usr/bin", tool));
                }
            }
            return tools;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void listsReleasesAndWhatIsMissing() throws IOException {
        Path programs = folder.resolve("programs");
        programs("programs/1.17", "1.17.17", "etcd", "kube-apiserver", "kube-scheduler", "kube-controller-manager");
        programs("programs/1.9", "1.9.0", "kube-apiserver");
        Path assets = programs("assets", "1.34.1", "etcd", "kube-apiserver", "kubectl");
        assertEquals(
                """
                1.9 skipped: no etcd kube-scheduler kube-controller-manager
                1.17 complete
                1.34 without kube-scheduler kube-controller-manager: tests that need them are skipped
                """,
                run(Map.of("KUBERNETES_PROGRAMS", programs.toString(), "KUBEBUILDER_ASSETS", assets.toString()), "list")
                        .out());
    }

    @Test
    void saysWhatToInstallWithoutPrograms() {
        Command list = run(Map.of(), "list");
        assertEquals(0, list.code(), list.err());
        assertTrue(list.out().startsWith("no programs of Kubernetes: "), list.out());
        assertTrue(list.out().contains("setup-envtest use"), list.out());
        Command up = run(Map.of(), "up", "1.34");
        assertEquals(1, up.code());
        assertTrue(up.err().startsWith("error: no etcd of 1.34; put it into $KUBERNETES_PROGRAMS/1.34, or "), up.err());
    }

    @Test
    void findsAProgramOfItsRelease() throws IOException {
        Path assets = programs("assets", "1.34.1", "etcd", "kube-apiserver");
        Map<String, String> environment = Map.of("KUBEBUILDER_ASSETS", assets.toString());
        assertEquals(
                assets + "/kube-apiserver\n",
                run(environment, "program", "kube-apiserver", "1.34").out());
        assertEquals(1, run(environment, "program", "kube-apiserver", "1.30").code());
        assertEquals(1, run(environment, "program", "kube-scheduler", "1.34").code());
    }

    @Test
    void rejectsWhatIsNoReleaseAndNoVerb() {
        assertEquals(
                "error: \"34\" is not a release such as 1.36\n",
                run(Map.of(), "up", "34").err());
        assertEquals(2, run(Map.of(), "destroy", "1.34").code());
        assertEquals(2, run(Map.of()).code());
    }

    @Test
    void startsNothingOnAPortInUse() throws IOException {
        Map<String, String> environment = new TreeMap<>(System.getenv());
        Path programs = folder.resolve("programs");
        programs("programs/1.34", "1.34.1", "etcd", "kube-apiserver");
        environment.put("KUBERNETES_PROGRAMS", programs.toString());
        environment.put("CLUSTER_HOME", folder.toString());
        try (ServerSocket used = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            environment.put("CLUSTER_PORT", String.valueOf(used.getLocalPort()));
            List<String> up = List.of(
                    RepositoryFiles.root().resolve("tests/real/cluster.sh").toString(), "up", "1.34");
            assertEquals(
                    new Command(
                            1,
                            "",
                            "error: port " + used.getLocalPort()
                                    + " is in use; stop the program, or set CLUSTER_PORT\n"),
                    Command.run(folder, environment, up));
        }
    }

    @Test
    void stopsTheControlPlaneWhenItsOwnerEnds() throws IOException, InterruptedException {
        Process owner = new ProcessBuilder("sleep", "600").start();
        Process etcd = new ProcessBuilder("sleep", "600").start();
        Path home = Files.createDirectories(folder.resolve("home/1.34"));
        String stat = Files.readString(Path.of("/proc/" + etcd.pid() + "/stat"));
        Files.writeString(home.resolve("etcd.pid"), etcd.pid() + " " + stat.split(" ", -1)[21] + "\n");
        ProcessBuilder builder = new ProcessBuilder(
                        RepositoryFiles.root().resolve("tests/real/cluster.sh").toString(), "guard", "1.34")
                .inheritIO();
        builder.environment().put("CLUSTER_HOME", folder.resolve("home").toString());
        builder.environment().put("CLUSTER_OWNER", String.valueOf(owner.pid()));
        Process guard = builder.start();
        try {
            assertFalse(guard.waitFor(2, TimeUnit.SECONDS), "the owner runs");
            assertTrue(etcd.isAlive());
            owner.destroyForcibly().waitFor();
            assertTrue(guard.waitFor(30, TimeUnit.SECONDS));
            assertEquals(0, guard.exitValue());
            assertTrue(etcd.waitFor(10, TimeUnit.SECONDS));
            assertFalse(Files.exists(home));
        } finally {
            List.of(owner, etcd, guard).forEach(Process::destroyForcibly);
        }
    }

    @Test
    @Tag("real")
    void startsAgainIfEtcdDied() throws IOException {
        List<String> releases = RealPrograms.releases();
        assumeFalse(
                releases.isEmpty(),
                "no kube-apiserver; set KUBERNETES_PROGRAMS or KUBEBUILDER_ASSETS as docs/testing.md describes");
        String release = releases.get(releases.size() - 1);
        Map<String, String> environment = Map.of("CLUSTER_HOME", folder.toString(), "CLUSTER_PORT", "24500");
        RealPrograms.up(release, environment);
        try {
            String etcd = Files.readString(folder.resolve(release).resolve("etcd.pid"));
            ProcessHandle process = ProcessHandle.of(Long.parseLong(etcd.substring(0, etcd.indexOf(' '))))
                    .orElseThrow();
            assertTrue(process.destroyForcibly());
            process.onExit().join();
            Map<String, String> all = new TreeMap<>(System.getenv());
            all.putAll(environment);
            List<String> up = List.of(
                    RepositoryFiles.root().resolve("tests/real/cluster.sh").toString(), "up", release);
            Command again = Command.run(folder, all, up);
            assertEquals(
                    "kube-apiserver " + release + " runs but is not ready: starting the control plane again, empty\n",
                    again.err());
            assertEquals(
                    new Command(0, folder.resolve(release).resolve("kubeconfig") + "\n", ""),
                    Command.run(folder, all, up));
        } finally {
            RealPrograms.down(release, environment);
        }
    }
}
