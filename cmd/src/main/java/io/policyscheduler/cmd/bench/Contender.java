package io.policyscheduler.cmd.bench;

import io.policyscheduler.cmd.options.InputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler that is measured.
 *
 * @param name for the table
 * @param command words with which it is started, with {@link #KUBECONFIG}, {@link #SCHEDULER} and {@link #PORT} in them
 */
record Contender(String name, List<String> command) {
    static final String KUBECONFIG = "{kubeconfig}";
    static final String SCHEDULER = "{name}";
    /** Where it serves {@code /readyz} over plain HTTP, if it does. */
    static final String PORT = "{port}";

    Contender {
        command = List.copyOf(command);
    }

    /** This program's own {@code run}, started as its users start it. */
    static Contender own() {
        List<String> command = new ArrayList<>(program());
        command.addAll(List.of(
                "run",
                "--kubeconfig=" + KUBECONFIG,
                "--algorithm-provider=DefaultProvider",
                "--scheduler-name=" + SCHEDULER,
                "--leader-elect=false",
                "--status-address=127.0.0.1:" + PORT));
        return new Contender("policy-scheduler", command);
    }

    private static List<String> program() {
        @Nullable String home = System.getProperty("policyscheduler.home");
        if (home != null) {
            for (String place : new String[] {"cmd/policy-scheduler", "bin/policy-scheduler"}) {
                Path script = Path.of(home, place);
                if (Files.isExecutable(script)) {
                    return List.of(script.toString());
                }
            }
        }
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "io.policyscheduler.cmd.cli.Main");
    }

    /**
     * Another one.
     *
     * @param text {@code NAME=COMMAND}, the words of the command separated by blanks
     * @throws InputException when it is not
     */
    static Contender parse(String text) {
        int equals = text.indexOf('=');
        List<String> words = equals < 1
                ? List.of()
                : Arrays.stream(text.substring(equals + 1).strip().split("\\s+"))
                        .filter(word -> !word.isEmpty())
                        .toList();
        if (words.isEmpty() || text.substring(0, equals).contains("/")) {
            throw new InputException(
                    "--with: \"" + text + "\" is not NAME=COMMAND, for example real=/usr/bin/kube-scheduler"
                            + " --kubeconfig=" + KUBECONFIG + " --leader-elect=false");
        }
        return new Contender(text.substring(0, equals), words);
    }

    /**
     * The same, looked at now rather than after minutes of measuring the others.
     *
     * @throws InputException when there is no such program
     */
    Contender found() {
        String program = command.get(0);
        if (program.contains("/") && !Files.isExecutable(Path.of(program))) {
            throw new InputException("--with: " + name + ": " + program + " is not an executable program");
        }
        return this;
    }

    /** The command for one server. */
    List<String> command(String kubeconfig, String scheduler, int port) {
        return command.stream()
                .map(word -> word.replace(KUBECONFIG, kubeconfig)
                        .replace(SCHEDULER, scheduler)
                        .replace(PORT, Integer.toString(port)))
                .toList();
    }

    /** Whether it says when it is ready. */
    boolean tellsReady() {
        return command.stream().anyMatch(word -> word.contains(PORT));
    }
}
