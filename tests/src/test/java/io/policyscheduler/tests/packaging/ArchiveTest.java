package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archive, unpacked on a machine with only a Java runtime. */
@Timeout(180)
class ArchiveTest {
    private static final Pattern NAME = Pattern.compile("policy-scheduler-.*\\.tar\\.gz");

    /** {@code (MIT) NAME (GROUP:ARTIFACT:VERSION - ADDRESS)}. */
    private static final Pattern LIBRARY = Pattern.compile(" +\\(([^)]+)\\) .*\\([^: ]+:([^: ]+):([^: ]+) - [^ ]*\\)");

    @TempDir
    static Path folder = Path.of("");

    private static Path app = Path.of("");

    @BeforeAll
    static void unpack() throws IOException {
        Path archive = Built.file(NAME, "dist");
        String tar = Built.tool("tar");
        Command unpacked = Command.run(folder, System.getenv(), List.of(tar, "-xzf", archive.toString()));
        assertEquals(new Command(0, "", ""), unpacked);
        app = folder.resolve(archive.getFileName().toString().replace(".tar.gz", ""));
        assertTrue(Files.isDirectory(app), "one folder with the name of the archive");
    }

    /** Starts it in an empty folder with no other environment variable than JAVA_HOME. */
    private static Command start(Path empty, String... arguments) {
        List<String> line =
                new ArrayList<>(List.of(app.resolve("bin/policy-scheduler").toString()));
        line.addAll(List.of(arguments));
        return Command.run(empty, Map.of("JAVA_HOME", System.getProperty("java.home")), line);
    }

    @Test
    void tellsItsVersion(@TempDir Path empty) {
        Command run = start(empty, "--version");

        String version = app.getFileName().toString().replace("policy-scheduler-", "");
        assertEquals(new Command(0, run.out(), ""), run);
        assertTrue(
                run.out()
                        .matches("policy-scheduler " + Pattern.quote(version)
                                + "( \\(commit ([0-9a-f]{40}|unknown)\\))?\n"),
                run.out());
    }

    @Test
    void validatesAPolicy(@TempDir Path empty) throws IOException {
        Files.writeString(empty.resolve("policy.json"), "{\"kind\": \"Policy\", \"apiVersion\": \"v1\"}");
        Files.writeString(
                empty.resolve("bad.json"), "{\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"predicates\": 1}");

        assertEquals(0, start(empty, "validate", "policy.json").code());
        Command bad = start(empty, "validate", "bad.json");
        assertEquals(1, bad.code(), bad::toString);
        Command missing = start(empty, "validate", "missing.json");
        assertEquals(new Command(3, "", "error: no such file: missing.json\n"), missing);
    }

    @Test
    void playsTheDemoByItsOwnFiles(@TempDir Path empty) {
        Command run = start(empty, "demo");

        assertEquals(0, run.code(), run::toString);
        assertTrue(run.out().contains("default/web-6d4cf56db6-01 "), run::toString);
        assertEquals("", run.err(), "no log lines");
    }

    @Test
    void hasTheCommandsInManPagesAndCompletion() throws IOException {
        String completion = Files.readString(app.resolve("share/bash-completion/completions/policy-scheduler"));
        for (String command : Main.commandLine().getSubcommands().keySet()) {
            Path page = app.resolve("share/man/man1/policy-scheduler-" + command + ".1");
            assertTrue(
                    Files.readString(page).contains("\n.SH OPTIONS\n") || command.matches("config|rule"),
                    page::toString);
            assertTrue(completion.contains("\nfunction _picocli_policy-scheduler_" + command + "() {\n"), command);
        }
    }

    @Test
    void completesInBash() {
        String script = "source '" + app + "/share/bash-completion/completions/policy-scheduler'\n"
                // Only a shell sets it while completing.
                + "compopt() { :; }\n"
                + "COMP_WORDS=(policy-scheduler validate --expl); COMP_CWORD=2\n"
                + "_complete_policy-scheduler; echo \"${COMPREPLY[*]}\"\n";

        assertEquals(
                new Command(0, "--explain\n", ""),
                Command.run(folder, System.getenv(), List.of(Built.tool("bash"), "-c", script)));
    }

    @Test
    void holdsWhatItNeedsOnceAndCanBeExecuted() throws IOException {
        Map<String, String> modes = new TreeMap<>();
        try (Stream<Path> files = Files.list(app.resolve("bin"))) {
            files.forEach(file -> modes.put(
                    file.getFileName().toString(), Files.isExecutable(file) ? "executable" : "not executable"));
        }
        assertEquals(Map.of("policy-scheduler", "executable", "kubectl-policy_scheduler", "executable"), modes);
        for (String file : List.of(
                "LICENSE",
                "NOTICE",
                "THIRD-PARTY.txt",
                "CHANGELOG.md",
                "policy-scheduler-sbom.json",
                "policy-files/demo/policy.json",
                "share/doc/policy-scheduler/index.html",
                "share/doc/policy-scheduler/docs/settings.md")) {
            assertTrue(Files.size(app.resolve(file)) > 0, file);
        }
        try (Stream<Path> jars = Files.list(app.resolve("lib"))) {
            List<String> names = jars.map(jar -> jar.getFileName().toString()).toList();
            assertEquals(
                    1, names.stream().filter(name -> name.startsWith("cmd-")).count(), names::toString);
            assertEquals(
                    List.of(),
                    names.stream()
                            .filter(name -> name.matches(".*(junit|mockito|-tests).*"))
                            .toList());
        }
    }

    /** Each jar is in the SBOM, and each third-party jar is in the list with a license. */
    @Test
    void listsEachLibraryWithItsLicense() throws IOException {
        JsonNode sbom = new ObjectMapper()
                .readTree(app.resolve("policy-scheduler-sbom.json").toFile());
        Set<String> all = new TreeSet<>(Set.of(jar(sbom.at("/metadata/component"))));
        Set<String> others = new TreeSet<>();
        for (JsonNode component : sbom.path("components")) {
            all.add(jar(component));
            if (!component.path("group").asText().equals("io.policyscheduler")) {
                others.add(jar(component));
            }
        }
        try (Stream<Path> jars = Files.list(app.resolve("lib"))) {
            assertEquals(all, jars.map(jar -> jar.getFileName().toString()).collect(Collectors.toSet()));
        }
        assertEquals(others, libraries().keySet());
    }

    private static String jar(JsonNode component) {
        return component.path("name").asText() + "-" + component.path("version").asText() + ".jar";
    }

    /** The licenses in THIRD-PARTY.txt by the name of the jar. */
    private static Map<String, String> libraries() throws IOException {
        Map<String, String> libraries = new TreeMap<>();
        for (String line : Files.readAllLines(app.resolve("THIRD-PARTY.txt"))) {
            Matcher library = LIBRARY.matcher(line);
            if (library.matches()) {
                libraries.put(library.group(2) + "-" + library.group(3) + ".jar", library.group(1));
            }
        }
        return libraries;
    }

    /** LICENSE is that of most libraries. Others ask for their text and copyright: it is in the jar or in NOTICE. */
    @Test
    void hasTheTextOfLicensesThatAskForIt() throws IOException {
        String notice = Files.readString(app.resolve("NOTICE"));
        List<String> without = new ArrayList<>();
        for (Map.Entry<String, String> library : libraries().entrySet()) {
            if (library.getValue().matches("Apache-2.0|EPL-2.0")) {
                continue;
            }
            try (ZipFile jar =
                    new ZipFile(app.resolve("lib/" + library.getKey()).toFile())) {
                String name = library.getKey().replaceAll("-\\d.*", "");
                if (jar.stream().noneMatch(entry -> entry.getName().matches(".*/LICENSE(\\.txt)?"))
                        && !notice.contains(name)) {
                    without.add(name);
                }
            }
        }
        assertEquals(List.of(), without);
    }
}
