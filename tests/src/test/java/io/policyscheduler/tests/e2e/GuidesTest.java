package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.policyscheduler.tests.RealPrograms;
import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.StartedProgram;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The guides in {@code docs/guides} show the real output: {@code docs/guides/walk} runs their commands. This test follows one of them on a cluster of
 * 1.34; {@code -Dguides=all} follows all of them, also on 1.17.
 */
@Timeout(600)
class GuidesTest {
    private static final List<String> TOOLS = List.of("bash", "kubectl", "curl", "diff", "sed", "awk");
    private static final Path WALK = RepositoryFiles.root().resolve("docs/guides/walk");
    private static final long LIMIT_SECONDS = 500;

    private final Path folder;

    GuidesTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @Test
    void guidesShowWhatComes() throws Exception {
        if (System.getProperty("guides", "").equals("all")) {
            walk(7);
        } else {
            walk(
                    1,
                    "--release",
                    "1.34",
                    WALK.resolveSibling("second-scheduler.md").toString());
        }
    }

    @Test
    @Tag("real")
    void guidesShowWhatComesOnTheRealServers() throws Exception {
        for (String release : List.of("1.17", "1.34")) {
            RealPrograms.program("kube-apiserver", release);
            RealPrograms.program("kube-scheduler", release);
        }
        walk(7, "--real");
    }

    @Test
    @Tag("long")
    void tellsWhatCameOtherwise() throws Exception {
        requireTools();
        Path guide = Files.writeString(folder.resolve("wrong.md"), """
                <!-- walk: releases 1.34 -->
                ```console
                $ kubectl get nodes --no-headers | wc -l
                7
                ```
                """);

        Path log = folder.resolve("log");
        assertEquals(1, run(log, guide.toString()), () -> text(log));

        assertTrue(text(log).contains("\n-7\n+6\n"), () -> text(log));
        assertTrue(Files.readString(guide).contains("\n7\n"), "only --renew writes");
        assertEquals(0, run(log, "--renew", guide.toString()), () -> text(log));
        assertTrue(Files.readString(guide).contains("\n6\n"), "--renew pastes");
    }

    private void walk(int walks, String... arguments) throws IOException, InterruptedException {
        requireTools();
        Path log = folder.resolve("log");
        assertEquals(0, run(log, arguments), () -> text(log));
        assertTrue(text(log).contains(walks + " walks with policy-scheduler "), () -> text(log));
    }

    private static void requireTools() {
        for (String tool : TOOLS) {
            assumeTrue(
                    Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                            .anyMatch(place -> Files.isExecutable(Path.of(place, tool))),
                    "no " + tool + " on this machine");
        }
    }

    private int run(Path log, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(WALK.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("POLICY_SCHEDULER", program().toString());
        builder.environment().put("TMPDIR", folder.toString());
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), () -> "the walk hangs; so far: " + text(log));
            return process.exitValue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
        }
    }

    /** Starts the program from the tested classes, as {@link Program} does. */
    private Path program() throws IOException {
        Path program = folder.resolve("policy-scheduler");
        Files.writeString(
                program,
                "#!/usr/bin/env bash\nexec '%s' \"$@\"\n"
                        .formatted(String.join("' '", StartedProgram.line("-Dpolicyscheduler.progress=none"))));
        assertTrue(program.toFile().setExecutable(true));
        return program;
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return "no log: " + e;
        }
    }
}
