package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CommandPagesTest {
    private static final String RENEW = "mvn test -pl cmd/app -Dtest=CommandPagesTest -Drenew=true";

    private static Path folder() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve("policy-files"))) {
                return folder.resolve("docs/commands");
            }
        }
        throw new IllegalStateException(
                "no folder with policy-files at or above " + Path.of("").toAbsolutePath());
    }

    @Test
    void thePagesSayWhatTheCommandsSay() throws IOException {
        for (Map.Entry<String, String> page : CommandPages.all().entrySet()) {
            Path file = folder().resolve(page.getKey());
            String now = Files.exists(file) ? Files.readString(file) : "";
            int end = now.indexOf(CommandPages.END);
            String byHand = end < 0
                    ? ""
                    : now.substring(end + CommandPages.END.length()).stripLeading();
            String expected = page.getValue() + (byHand.isEmpty() ? "" : "\n" + byHand);
            if (Boolean.getBoolean("renew")) {
                Files.writeString(file, expected);
            } else {
                assertEquals(expected, now, file + " is stale; this renews it: " + RENEW);
            }
        }
    }

    @Test
    void thereIsNoPageOfACommandThatIsGone() throws IOException {
        try (Stream<Path> files = Files.list(folder())) {
            Set<String> there =
                    files.map(file -> file.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
            assertEquals(new TreeSet<>(CommandPages.all().keySet()), there);
        }
    }

    @Test
    void everyPageHasAnExample() throws IOException {
        for (String page : CommandPages.all().keySet()) {
            if (!page.equals("README.md")) {
                String text = Files.readString(folder().resolve(page));
                String byHand = text.substring(text.indexOf(CommandPages.END));
                assertTrue(
                        byHand.contains("```console ") && byHand.contains("cmd/policy-scheduler "),
                        page + " has no example");
            }
        }
    }
}
