package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher of the archive, with scripts in place of Java that show how they are called. */
class LauncherTest {
    private static final String NEEDED = "; Java 17 or later is required";
    private static final String SHOW_ARGUMENTS = "#!/bin/sh\nprintf '%s\\n' \"$@\"\n";
    private static final Path REPOSITORY = RepositoryFiles.root().resolve("cmd/app");

    private Path folder = Path.of("");
    private Path launcher = Path.of("");

    @BeforeEach
    void install(@TempDir Path temporary) throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no /bin/sh on this machine");
        folder = temporary.toRealPath();
        launcher = folder.resolve("the app/bin/policy-scheduler");
        Files.createDirectories(launcher.getParent());
        Files.copy(REPOSITORY.resolve("src/dist/bin/policy-scheduler"), launcher);
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Creates a folder like a Java runtime. */
    private Path runtime(String name, String program) throws IOException {
        Path home = folder.resolve(name);
        Path java = home.resolve("bin/java");
        Files.createDirectories(java.getParent());
        Files.writeString(java, program);
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        return home;
    }

    private Path runtimeOf(String release) throws IOException {
        Path home = runtime("jdk-" + release, SHOW_ARGUMENTS);
        Files.writeString(
                home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + release + "\"\nOS_ARCH=\"x\"\n");
        return home;
    }

    private Command launch(Map<String, String> environment, Path program, String... arguments) {
        List<String> line = new ArrayList<>(List.of(program.toString()));
        line.addAll(List.of(arguments));
        return Command.run(folder, environment, line);
    }

    private static final List<String> HEAP_OF_RUN = List.of(
            "-XX:+UseSerialGC", "-Xms96m", "-XX:NewSize=20m", "-XX:MinHeapFreeRatio=20", "-XX:MaxHeapFreeRatio=30");

    private List<String> ofRun() {
        List<String> tuning = new ArrayList<>(HEAP_OF_RUN);
        tuning.addAll(List.of(
                "-XX:CompilerDirectivesFile=" + folder.resolve("the app") + "/conf/compilers.json",
                "-Dpolicyscheduler.compilers=by-size"));
        return tuning;
    }

    /** Creates the class archive in the expected folder; a future Java release may no longer have the option. */
    private static final List<String> IN_PLACE = List.of("-XX:ArchiveRelocationMode=0");

    private List<String> expected(List<String> place, List<String> tuning, List<String> more, String... arguments) {
        List<String> line = new ArrayList<>(
                List.of(
                        "-XX:+ExitOnOutOfMemoryError",
                        "-Xshare:auto",
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:-DisplayVMOutput",
                        "-XX:OnOutOfMemoryError=echo 'error: out of memory: set a larger heap, such as POLICY_SCHEDULER_JAVA_OPTS=-Xmx2g' >&2"));
        line.addAll(place);
        line.addAll(List.of("-Xlog:disable", "-Xlog:all=error:stderr"));
        line.addAll(tuning);
        line.add("-Dpolicyscheduler.home=" + folder.resolve("the app"));
        line.add("-Dpolicyscheduler.stderr.terminal=false");
        line.add("-Dpolicyscheduler.launcher=true");
        line.addAll(more);
        line.addAll(List.of("-cp", folder.resolve("the app") + "/lib/*", "io.policyscheduler.cmd.cli.Main"));
        line.addAll(List.of(arguments));
        return line;
    }

    @ParameterizedTest
    @CsvSource({"17, true", "17.0.15, true", "21.0.1, true", "25, true", "26-ea, false", "100.0.1, false"})
    void startsByTheRuntimeOfJavaHome(String release, boolean inPlace) throws IOException {
        Command run = launch(Map.of("JAVA_HOME", runtimeOf(release).toString()), launcher, "validate", "a b", "*", "");

        assertEquals(
                new Command(
                        0,
                        String.join(
                                        "\n",
                                        expected(
                                                inPlace ? IN_PLACE : List.of(),
                                                StartedProgram.quick(),
                                                List.of(),
                                                "validate",
                                                "a b",
                                                "*",
                                                ""))
                                + "\n",
                        ""),
                run);
    }

    @Test
    void startsByThePathAndPassesOptionsOn() throws IOException {
        Path bin = folder.resolve("bin");
        Files.createDirectories(bin);
        // As distributions install it: a link in the PATH, and the release next to its target.
        Files.createSymbolicLink(bin.resolve("java"), runtimeOf("17.0.15").resolve("bin/java"));
        Command run = launch(
                Map.of("PATH", bin + ":/usr/bin:/bin", "POLICY_SCHEDULER_JAVA_OPTS", "-Xmx8g -Da=b"), launcher, "run");

        assertEquals(
                new Command(
                        0,
                        String.join("\n", expected(IN_PLACE, ofRun(), List.of("-Xmx8g", "-Da=b"), "run")) + "\n",
                        ""),
                run);
    }

    @Test
    void benchHasTheOptionsOfRun() throws IOException {
        Map<String, String> environment = Map.of("JAVA_HOME", runtimeOf("17").toString());

        assertEquals(
                new Command(
                        0, String.join("\n", expected(IN_PLACE, ofRun(), List.of(), "bench", "-o", "json")) + "\n", ""),
                launch(environment, launcher, "bench", "-o", "json"));
    }

    /** Runs of hours of simulated time need C2, which short commands do without. */
    @Test
    void labHasBothCompilers() throws IOException {
        String options = launch(Map.of("JAVA_HOME", runtimeOf("17").toString()), launcher, "lab", "sweep")
                .out();

        assertTrue(options.contains("-XX:+UseParallelGC\n"), options);
        assertFalse(options.contains("-XX:TieredStopAtLevel"), options);
    }

    /** Java itself, with the options of the launcher and of {@code run}, has nothing on stdout, where tables and JSON go. */
    @Test
    void javaPrintsNothingAboutTheDirectivesOfRun() throws IOException {
        Path directives = folder.resolve("the app/conf/compilers.json");
        Files.createDirectories(directives.getParent());
        Files.copy(REPOSITORY.resolve("src/dist/conf/compilers.json"), directives);
        List<String> shown = launch(Map.of("JAVA_HOME", runtimeOf("17").toString()), launcher, "run")
                .out()
                .lines()
                .toList();
        List<String> options = new ArrayList<>(shown.subList(0, shown.indexOf("-cp")));
        assertEquals("", java(options).out());
        options.remove("-XX:-DisplayVMOutput");
        assertEquals("3 compiler directives added\n", java(options).out());
    }

    private static final class FullHeap {
        public static void main(String[] args) {
            List<byte[]> live = new ArrayList<>();
            while (live.size() < 1000) {
                live.add(new byte[1 << 20]);
            }
        }
    }

    /** Java itself runs the command for an OutOfMemoryError. It would split the command at a semicolon. */
    @Test
    void aHeapThatIsTooSmallIsReportedInOneLine() throws IOException {
        List<String> shown = launch(Map.of("JAVA_HOME", runtimeOf("17").toString()), launcher, "validate")
                .out()
                .lines()
                .toList();
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        line.addAll(shown.subList(0, shown.indexOf("-cp")));
        line.addAll(List.of("-Xmx16m", "-cp", System.getProperty("java.class.path"), FullHeap.class.getName()));
        assertEquals(
                new Command(
                        3, "", "error: out of memory: set a larger heap, such as POLICY_SCHEDULER_JAVA_OPTS=-Xmx2g\n"),
                Command.run(folder, Map.of(), line));

        String option = shown.stream()
                .filter(argument -> argument.startsWith("-XX:OnOutOfMemoryError="))
                .findFirst()
                .orElseThrow();
        String ofSources = Files.readString(REPOSITORY.resolveSibling("policy-scheduler"));
        assertTrue(ofSources.contains('"' + option + '"'), option);
    }

    private Command java(List<String> options) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        line.addAll(options);
        line.add("-version");
        return Command.run(folder, Map.of(), line);
    }

    @Test
    void leavesTheCompilersToWhoeverChoosesThem() throws IOException {
        String choice = "-XX:TieredStopAtLevel=4";
        Map<String, String> environment =
                Map.of("JAVA_HOME", runtimeOf("17").toString(), "POLICY_SCHEDULER_JAVA_OPTS", choice);

        assertEquals(
                new Command(0, String.join("\n", expected(IN_PLACE, HEAP_OF_RUN, List.of(choice), "run")) + "\n", ""),
                launch(environment, launcher, "run"));
    }

    @ParameterizedTest
    @CsvSource({"openjdk version \"17.0.15\" 2025-04-15, 17", "openjdk version \"21\" 2023-09-19, 21"})
    void asksARuntimeThatDoesNotSayItsReleaseInAFile(String says, String name) throws IOException {
        Path home = runtime(
                "asked-" + name, "#!/bin/sh\n[ \"$1\" != -version ] || { echo '" + says + "' >&2; exit; }\necho on\n");

        assertEquals(new Command(0, "on\n", ""), launch(Map.of("JAVA_HOME", home.toString()), launcher, "run"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.8.0_402", "9", "11.0.22", "16.0.2", "16-ea"})
    void refusesARuntimeThatIsTooOld(String release) throws IOException {
        Path home = runtimeOf(release);

        assertEquals(
                new Command(
                        3, "", "error: " + home + "/bin/java has release " + release + NEEDED + " (set JAVA_HOME)\n"),
                launch(Map.of("JAVA_HOME", home.toString()), launcher, "--version"));
    }

    @Test
    void refusesWhatDoesNotTellItsRelease() throws IOException {
        Path silent = runtime("silent", "#!/bin/sh\necho hello\n");
        Path broken = runtime("broken", "#!/bin/sh\necho 'cannot open libjvm.so'\nexit 1\n");

        assertEquals(
                new Command(
                        3, "", "error: " + silent + "/bin/java has release unknown" + NEEDED + " (set JAVA_HOME)\n"),
                launch(Map.of("JAVA_HOME", silent.toString()), launcher, "run"));
        assertEquals(
                new Command(3, "", "error: " + broken + "/bin/java -version failed: cannot open libjvm.so\n"),
                launch(Map.of("JAVA_HOME", broken.toString()), launcher, "run"));
    }

    @Test
    void saysThatThereIsNoRuntime() throws IOException {
        Files.createDirectories(folder.resolve("empty"));

        assertEquals(
                new Command(3, "", "error: java is not in the PATH, and JAVA_HOME is not set" + NEEDED + "\n"),
                launch(Map.of("PATH", folder.resolve("empty").toString()), launcher, "run"));
        assertEquals(
                new Command(3, "", "error: JAVA_HOME is /nowhere, but it has no bin/java" + NEEDED + "\n"),
                launch(Map.of("JAVA_HOME", "/nowhere"), launcher, "run"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ABSOLUTE", "../the app/bin/policy-scheduler"})
    void findsItsFilesThroughLinks(String target) throws IOException {
        Path links = folder.resolve("links");
        Files.createDirectories(links);
        Path link = links.resolve("ps");
        Files.createSymbolicLink(link, target.equals("ABSOLUTE") ? launcher : Path.of(target));
        Path plugin = links.resolve("kubectl-policy_scheduler");
        Files.createSymbolicLink(plugin, Path.of("ps"));
        Map<String, String> environment =
                Map.of("JAVA_HOME", runtimeOf("17").toString(), "PATH", links + ":/usr/bin:/bin");
        Command expected = new Command(0, String.join("\n", expected(IN_PLACE, ofRun(), List.of(), "run")) + "\n", "");

        assertEquals(expected, launch(environment, link, "run"));
        assertEquals(expected, launch(environment, plugin, "run"));
        // Found by a shell through the PATH.
        assertEquals(
                expected, Command.run(links, environment, List.of("/bin/sh", "-c", "kubectl-policy_scheduler run")));
        assertEquals(expected, Command.run(links, environment, List.of("/bin/sh", "ps", "run")));
    }

    /** A runtime that writes a class archive. */
    private static final String KEEPS_CLASSES = """
        #!/bin/sh
        for option in "$@"; do
            case $option in
                -XX:ArchiveClassesAtExit=* | -XX:AOTCacheOutput=*) echo "$@" >"${option#*=}" ;;
            esac
        done
        echo "$2"
        """;

    private static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    /** Returns the content of the folder after it has that many class archives and no other file. */
    private static List<Path> kept(Path cache, int count) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            List<Path> files = files(cache);
            if (files.size() == count
                    && files.stream().allMatch(file -> file.toString().endsWith(".classes"))) {
                return files;
            }
            assertTrue(System.nanoTime() < deadline, () -> "only " + files);
            Thread.sleep(10);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "17.0.15, -XX:ArchiveClassesAtExit=, -XX:SharedArchiveFile=",
        "24, -XX:ArchiveClassesAtExit=, -XX:SharedArchiveFile=",
        "25.0.1, -XX:AOTCacheOutput=, -XX:AOTCache="
    })
    void keepsClassesForTheNextStart(String release, String keeps, String takes) throws Exception {
        Path home = runtime("keeps-" + release, KEEPS_CLASSES);
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + release + "\"\n");
        Path cache = folder.resolve("a cache/of it");
        Map<String, String> environment =
                Map.of("JAVA_HOME", home.toString(), "POLICY_SCHEDULER_CACHE", cache.toString());

        assertEquals(new Command(0, "-Xshare:auto\n", ""), launch(environment, launcher, "validate"));
        Path classes = kept(cache, 1).get(0);
        assertTrue(Files.readString(classes).startsWith(keeps + classes + ".new/classes "), classes::toString);
        assertEquals(new Command(0, takes + classes + "\n", ""), launch(environment, launcher, "validate"));

        // A different library makes a different program.
        Files.createDirectories(folder.resolve("the app/lib"));
        Files.writeString(folder.resolve("the app/lib/new.jar"), "x");
        assertEquals(new Command(0, "-Xshare:auto\n", ""), launch(environment, launcher, "validate"));
        assertTrue(kept(cache, 2).contains(classes), classes::toString);

        // Commands that keep running have an archive of their own.
        assertEquals(new Command(0, "-Xshare:auto\n", ""), launch(environment, launcher, "run"));
        Path ofRun = kept(cache, 3).stream()
                .filter(file -> file.toString().endsWith("-run.classes"))
                .findFirst()
                .orElseThrow();
        assertTrue(Files.readString(ofRun).strip().endsWith(" demo"), ofRun::toString);
        assertEquals(new Command(0, takes + ofRun + "\n", ""), launch(environment, launcher, "run"));
    }

    /** A JVM that crashes leaves an empty archive and a report in its folder. */
    @Test
    void aRuntimeThatCrashesIsNotUsedForClassesAgain() throws Exception {
        Path home = runtime("crashes", """
            #!/bin/sh
            report=hs_err_pid1.log
            for option in "$@"; do
                case $option in
                    -XX:ErrorFile=*) report=${option#*=} ;;
                    -XX:AOTCacheOutput=*) : >"${option#*=}"; echo x >>"$0.crashes" ;;
                esac
            done
            case $1 in
                -XX:AOTCacheOutput=*) : >"$report"; exit 134 ;;
            esac
            echo "$2"
            """);
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"25.0.3\"\n");
        Path cache = folder.resolve("crashes-cache");
        Map<String, String> environment =
                Map.of("JAVA_HOME", home.toString(), "POLICY_SCHEDULER_CACHE", cache.toString());
        Path report = folder.resolve("hs_err_pid1.log");
        for (int start = 0; start < 3; start++) {
            assertEquals(new Command(0, "-Xshare:auto\n", ""), launch(environment, launcher, "validate"));
            assertEquals(0, Files.size(kept(cache, 1).get(0)));
        }
        assertEquals("x\n", Files.readString(home.resolve("bin/java.crashes")));
        assertFalse(Files.exists(report));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/dev/null"})
    void startsWhereNothingCanBeKept(String cache) throws IOException {
        Path home = runtime("keeps", KEEPS_CLASSES);
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17\"\n");
        Map<String, String> environment = Map.of(
                "JAVA_HOME", home.toString(),
                "HOME", folder.resolve("home").toString(),
                "POLICY_SCHEDULER_CACHE", cache);

        for (int start = 0; start < 2; start++) {
            assertEquals(new Command(0, "-Xshare:auto\n", ""), launch(environment, launcher, "validate"));
        }
        assertEquals(List.of(), files(folder.resolve("home")));
    }

    /** Returns the JVM options of each command in the text of a launcher. */
    private static Map<String, String> tuning(Path launcher) throws IOException {
        Map<String, String> found = new TreeMap<>();
        Matcher row = Pattern.compile("(?m)^ {4}([a-z* |]+)\\) tuning=(.*) ;;$").matcher(Files.readString(launcher));
        while (row.find()) {
            found.put(row.group(1), row.group(2).replaceAll("[()'\"{}]|\\[@]", ""));
        }
        return found;
    }

    @Test
    void startsCommandsAsTheLauncherOfTheRepositoryDoes() throws IOException {
        Map<String, String> here = tuning(REPOSITORY.resolve("src/dist/bin/policy-scheduler"));

        assertEquals(tuning(RepositoryFiles.root().resolve("cmd/policy-scheduler")), here);
        assertEquals(
                options(RepositoryFiles.root().resolve("cmd/policy-scheduler"), "sooner=", "# Short commands"),
                options(REPOSITORY.resolve("src/dist/bin/policy-scheduler"), "sooner=", "# Short commands"));
        assertEquals(5, here.size(), here::toString);
    }

    /** Returns all JVM options between two positions of a text, in order, without file paths. */
    private static List<String> options(Path text, String from, String to) throws IOException {
        String all = Files.readString(text);
        int start = all.indexOf(from);
        return Pattern.compile("-X(?!X:TieredStopAtLevel)[^ '\")\\n*]+")
                .matcher(all.substring(start, all.indexOf(to, start)))
                .results()
                .map(option -> option.group().replaceAll("File=.*", "File="))
                .toList();
    }

    @Test
    void runIsTheSameWhereverItStarts() throws IOException {
        List<String> packed =
                options(REPOSITORY.resolve("src/dist/bin/policy-scheduler"), "    run | bench)", "cluster |");

        // The file and the system property come last, as arguments of their own.
        assertEquals(ofRun().stream().limit(packed.size()).toList(), packed);
        assertEquals(ofRun().size() - 2, packed.size());
        List<String> whole = new ArrayList<>(packed);
        whole.add("-XX:CompilerDirectivesFile=");
        assertEquals(
                whole,
                options(RepositoryFiles.root().resolve("cmd/policy-scheduler"), "    run | bench)", "cluster |"));
        // All commands of the image start alike, with the quick compiler.
        assertEquals(
                HEAP_OF_RUN,
                options(REPOSITORY.resolve("src/image/prepare"), "-XX:+UseSerialGC -Xms96m", "-XX:SharedArchive"));
    }
}
