package io.policyscheduler.tests.documents;

import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.StartedProgram;
import io.policyscheduler.tests.e2e.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The terminals of a reader who follows a page: a folder that looks like the repository, in which bash runs the commands, and background programs.
 * {@code cmd/policy-scheduler} runs the tested classes. Paths below {@code /tmp} are mapped to the folder, and the default ports to free ones, so
 * that pages do not disturb each other.
 */
final class Terminals implements AutoCloseable {
    private static final String MARK = "\u001e";
    private static final Duration START = Duration.ofSeconds(120);
    private static final long COMMAND_SECONDS = 300;
    private static final long END_SECONDS = 20;
    private static final List<String> PORTS = List.of("10251", "10259", "8888");

    /** The log line of a program that is ready. */
    private static final Map<String, String> READY = Map.of(
            "run", "caches are synced",
            "cluster", "serving ",
            "extender", "serving ",
            "shadow", "watching ");

    private final Path folder;
    private final @Nullable CommandServer server;
    private final Map<String, String> ports = new LinkedHashMap<>();
    private final List<Process> beside = new ArrayList<>();

    /**
     * @param folder an empty folder; it is empty again after {@link #close}
     * @param server a server that works in the folder and runs the commands that need no process of their own; null for none
     */
    Terminals(Path folder, @Nullable CommandServer server) throws IOException {
        this.folder = folder.toRealPath();
        this.server = server;
        try (Stream<Path> files = Files.list(RepositoryFiles.root())) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (!name.equals("cmd") && !name.startsWith(".")) {
                    Files.createSymbolicLink(this.folder.resolve(name), file);
                }
            }
        }
        Files.createDirectories(this.folder.resolve("tmp"));
        for (String port : PORTS) {
            try (ServerSocket any = new ServerSocket(0)) {
                ports.put(port, Integer.toString(any.getLocalPort()));
            }
        }
        launcher();
    }

    private void launcher() throws IOException {
        Path launcher = folder.resolve("cmd/policy-scheduler");
        Files.createDirectories(launcher.getParent());
        List<String> program =
                StartedProgram.line("-Dpolicyscheduler.progress=none", "-Dpolicyscheduler.home=" + folder);
        Files.writeString(
                launcher,
                String.join(
                        "\n",
                        "#!/usr/bin/env bash",
                        "if [ \"${1:-}\" = why ] && [[ \" $* \" != *--url* ]]; then",
                        "    set -- \"$@\" --url http://127.0.0.1:" + ports.get("10251"),
                        "fi",
                        request(),
                        "exec '" + String.join("' '", program) + "' \"$@\"",
                        ""));
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Commands run in the server unless they keep running, or read the environment, stdin, or another folder. */
    private String request() {
        if (server == null) {
            return "";
        }
        return String.join(
                "\n",
                "own=",
                "[ \"$PWD\" = '" + folder + "' ] && [ -z \"${!POLICY_SCHEDULER_*}\" ] || own=1",
                "case ${1:-} in run | cluster | demo | extender | shadow | dump | config | bench | lab) own=1 ;; esac",
                "case \" $* \" in *' --live'* | *' --kubeconfig'* | *' configmap:'* | *' - '*) own=1 ;; esac",
                "if [ -z \"$own\" ]; then",
                "    exec 3<>/dev/tcp/127.0.0.1/" + server.port(),
                "    printf '%s\\0' $# \"$@\" >&3",
                "    eval \"$(cat <&3)\"",
                "fi");
    }

    /** Creates a file that the page shows. */
    void write(String name, String text) {
        try {
            Path file = folder.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a program that runs until the page ends, and waits until it is ready. */
    void start(String command) {
        Path log = folder.resolve(".terminal-" + beside.size());
        Process process = bash("exec " + here(command), log);
        beside.add(process);
        String ready = READY.entrySet().stream()
                .filter(entry -> command.contains("policy-scheduler " + entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nobody knows when this is ready: " + command));
        Await.until(
                START,
                command + " is ready",
                () -> {
                    if (!process.isAlive()) {
                        throw new IllegalStateException(command + " has ended: " + read(log));
                    }
                    return read(log).contains(ready);
                },
                () -> read(log));
    }

    /** Runs commands one after the other in one shell. Returns the combined output of each. */
    List<List<String>> run(List<String> commands) {
        StringBuilder script = new StringBuilder();
        for (String command : commands) {
            script.append(here(command)).append("\nprintf '").append(MARK).append("\\n'\n");
        }
        script.append("export -p >").append(folder).append("/.environment\n");
        Path log = folder.resolve(".terminal");
        Process process = bash(script.toString(), log);
        try {
            if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
                end(process);
                throw new IllegalStateException(commands + " hangs; so far: " + read(log));
            }
        } catch (InterruptedException e) {
            end(process);
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        List<List<String>> outputs = new ArrayList<>();
        for (String output : read(log).split(MARK + "\n", -1)) {
            outputs.add(there(output).lines().toList());
        }
        return List.copyOf(outputs.subList(0, commands.size()));
    }

    private Process bash(String script, Path log) {
        try {
            Path file = folder.resolve(log.getFileName() + ".sh");
            Path environment = folder.resolve(".environment");
            Files.writeString(file, (Files.exists(environment) ? ". " + environment + "\n" : "") + script);
            // Several programs write to it, each with its own offset.
            Files.write(log, new byte[0]);
            ProcessBuilder builder = new ProcessBuilder("bash", file.toString())
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            builder.environment().keySet().removeIf(name -> name.startsWith("POLICY_SCHEDULER_"));
            builder.environment().remove("KUBECONFIG");
            Process process = builder.start();
            process.getOutputStream().close();
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replaces the folders and ports of a command by those of these terminals. */
    private String here(String command) {
        String result = command;
        for (Map.Entry<String, String> port : ports.entrySet()) {
            result = result.replace(port.getKey(), port.getValue());
        }
        // Last, because the random name of the folder may contain such a number.
        return result.replace("/tmp/", folder + "/tmp/");
    }

    /** Replaces the folders and ports of an output by those of the page. */
    private String there(String output) {
        String result = output.replace(folder + "/tmp/", "/tmp/").replace(folder + "/", "");
        for (Map.Entry<String, String> port : ports.entrySet()) {
            result = result.replace(port.getValue(), port.getKey());
        }
        return result;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        // Stops the scheduler before its cluster.
        for (int i = beside.size() - 1; i >= 0; i--) {
            end(beside.get(i));
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!file.equals(folder)) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
