package io.policyscheduler.cmd.options;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.hash.Hashing;
import io.policyscheduler.cmd.options.HtmlOption.Origins;
import io.policyscheduler.cmd.report.HtmlReport.Origin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

class OriginsTest {
    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    @Command(name = "look")
    private static final class Look {
        @Parameters(paramLabel = "SCHEDULER", arity = "0..*")
        private List<String> deciders = List.of();

        @Option(names = "--cluster", paramLabel = "FILE", arity = "1..*")
        private List<Path> files = List.of();

        @Option(names = "--html", paramLabel = "FILE")
        private Path html = Path.of("");

        @Option(names = "--master", paramLabel = "URL")
        private String master = "";

        @Option(names = "--pod", paramLabel = "POD")
        private String pod = "";
    }

    @Command(name = "program", version = "program 7")
    private static final class Program {}

    private static Origin origin(String... line) throws IOException {
        CommandLine look = new CommandLine(new Look());
        new CommandLine(new Program()).addSubcommand(look).parseArgs(line);
        return Origins.of(look.getCommandSpec(), NOW);
    }

    private static String file(Path folder, String name) throws IOException {
        return Files.writeString(folder.resolve(name), name).toString();
    }

    private static Origin.Source source(String name, String content) {
        return new Origin.Source(
                name,
                Hashing.sha256().hashString(content, StandardCharsets.UTF_8).toString());
    }

    @Test
    void filesAreFoundWhereverTheCommandLineNamesThem(@TempDir Path folder) throws IOException {
        String policy = file(folder, "policy.json");
        String config = file(folder, "config.yaml");
        String dump = file(folder, "dump.json");
        String old = file(folder, "old.html");
        Origin origin = origin(
                "look",
                "legacy:policy:" + policy,
                "config:" + config + "#two",
                "modern",
                "--cluster",
                dump,
                "--html",
                old,
                "--pod",
                dump + "x");
        assertEquals(
                List.of(source(policy, "policy.json"), source(config, "config.yaml"), source(dump, "dump.json")),
                origin.files());
        assertEquals("program 7", origin.version());
        assertEquals(NOW, origin.when());
    }

    @Test
    void theCommandLineCanBePastedIntoAShell() throws IOException {
        assertEquals(
                "program look --pod 'it'\\''s; rm -rf $HOME' --cluster=a.json",
                origin("look", "--pod", "it's; rm -rf $HOME", "--cluster=a.json")
                        .command());
    }

    /** Pages are passed on and must not contain passwords. */
    @Test
    void passwordsAreLeftOut() throws IOException {
        assertEquals(
                "program look --master https://...@host:6443",
                origin("look", "--master", "https://me:secret@host:6443").command());
    }
}
