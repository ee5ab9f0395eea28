package io.policyscheduler.tests.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.policyscheduler.tests.RepositoryFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands of all pages print what the pages show. Words after the language of a block tell the test what to do; rendered pages do
 * not show them:
 *
 * <ul>
 *   <li>{@code console run}: commands behind {@code $} and their output, compared except for what {@link Likeness} removes;
 *   <li>{@code console run settled}: the same, repeated until the output is right, because background programs need time;
 *   <li>{@code console measured}: measurements of one machine, repeated with {@code -Drenew=measured} only;
 *   <li>{@code sh start}: background programs that run until the page ends;
 *   <li>{@code sh run}: commands whose output does not matter;
 *   <li>{@code sh}: commands that are not run here;
 *   <li>{@code json file=NAME} and other languages: a file for the commands of the page;
 *   <li>{@code text said}: output of the program that takes too long to produce; its words must occur in the sources;
 *   <li>{@code text quoted}: output of another program;
 *   <li>{@code text generated}: checked by another test.
 * </ul>
 *
 * Each page has an empty folder and its own ports. One process runs the short commands of all pages. {@code -Drenew=true} updates the
 * pages, {@code -Dpage=NAME} selects pages whose name contains NAME, {@code -Dpages=all} includes long pages whose commands other pages
 * show, too.
 */
class DocumentRunsTest {
    private static final Set<String> FILES = Set.of("json", "yaml", "java", "xml", "promql", "dockerfile", "mermaid");
    private static final Set<String> LONG = Set.of(
            "docs/commands/lab-record.md",
            "docs/commands/lab-replay.md",
            "docs/commands/lab-show.md",
            "docs/commands/shadow.md",
            "docs/tasks/decision-log.md",
            "docs/tasks/high-availability.md",
            "docs/tutorials/playground.md",
            "docs/tasks/reports.md",
            "docs/tutorials/rules.md",
            "docs/tasks/running.md",
            "docs/tasks/switching.md",
            "docs/tasks/troubleshooting.md");
    private static final List<String> TOOLS = List.of("kubectl", "curl", "jq", "openssl");

    @TempDir
    private static Path folder = Path.of("");

    private static @Nullable CommandServer server;

    @BeforeAll
    static void startServer() throws IOException {
        server = CommandServer.start(folder.toRealPath());
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    static Stream<String> pages() {
        return Pages.read().stream()
                .filter(page -> Block.of(page).stream().anyMatch(Block::isForTest))
                .map(Pages::name)
                .filter(DocumentRunsTest::isWanted);
    }

    private static boolean isWanted(String name) {
        String wish = System.getProperty("page", "");
        boolean all = !wish.isEmpty()
                || System.getProperty("pages", "").equals("all")
                || !System.getProperty("renew", "").isEmpty();
        return name.contains(wish) && (all || !LONG.contains(name));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void showsWhatTheProgramSays(String name) throws IOException {
        Path page = RepositoryFiles.root().resolve(name);
        List<Block> blocks = Block.of(page);
        for (String tool : TOOLS) {
            boolean used = blocks.stream()
                    .filter(block -> block.says("run") || block.says("start"))
                    .anyMatch(block -> block.text().contains(tool + " "));
            assumeTrue(!used || isThere(tool), "no " + tool + " on this machine");
        }
        assumeTrue(isThere("bash"), "no bash on this machine");
        String wish = System.getProperty("renew", "");
        boolean renew = !wish.isEmpty();
        try (Terminals terminals = new Terminals(folder, server)) {
            PageRun run = new PageRun(terminals, renew, wish.equals("measured"));
            run.follow(blocks);
            if (renew) {
                run.paste(page);
            } else {
                assertTrue(
                        run.differences().isEmpty(),
                        () -> name + " shows other answers (-) than the program gives (+); this pastes them:"
                                + " mvn test -pl tests -Dtest=DocumentRunsTest -Drenew=true\n"
                                + String.join("\n", run.differences()));
            }
        }
    }

    @Test
    void everyBlockSaysWhatItIs() {
        List<String> unmarked = new ArrayList<>();
        int marked = 0;
        for (Path page : Pages.read()) {
            if (page.startsWith(RepositoryFiles.root().resolve("docs/guides"))) {
                continue; // They have a script of their own, with marks of its own.
            }
            for (Block block : Block.of(page)) {
                boolean known = switch (block.language()) {
                    case "console" ->
                        (block.says("run") || block.says("measured"))
                                && Step.ofTerminal(block).stream()
                                        .anyMatch(step -> !step.output().isEmpty());
                    case "sh" -> block.text().lines().noneMatch(line -> line.startsWith("$ "));
                    case "text" -> block.says("said") || block.says("quoted") || block.says("generated");
                    default -> FILES.contains(block.language());
                };
                if (known) {
                    marked++;
                } else {
                    unmarked.add(block.place() + ": ```" + String.join(" ", block.info()));
                }
            }
        }
        assertEquals(List.of(), unmarked);
        assertTrue(marked > 50, "blocks found: " + marked);
    }

    @Test
    void everyLineThatIsSaidHasWordsOfTheProgram() {
        List<String> words = Sources.texts();
        List<String> unknown = new ArrayList<>();
        for (Path page : Pages.read()) {
            for (Block block : Block.of(page)) {
                if (block.says("said")) {
                    block.text()
                            .lines()
                            .filter(line -> words.stream().noneMatch(line::contains))
                            .forEach(line -> unknown.add(block.place() + ": " + line));
                }
            }
        }
        assertEquals(List.of(), unknown);
    }

    private static boolean isThere(String tool) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(place -> Files.isExecutable(Path.of(place, tool)));
    }
}
