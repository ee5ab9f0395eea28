package io.policyscheduler.cmd.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The completions for editors contain the current members. */
class RuleSnippetsTest {
    private static final Path FILE = Path.of("../../policy-files/schema/rules.code-snippets");

    @Test
    void theFileIsCurrent() throws IOException {
        CommandRun run = CommandRun.of("rule", "docs", "--snippets");
        if (Boolean.getBoolean("renew")) {
            Files.writeString(FILE, run.out());
        }
        assertEquals(
                run.out(),
                Files.readString(FILE),
                FILE + " is stale; this renews it: mvn test -pl cmd/app -Dtest=RuleSnippetsTest -Drenew=true");
    }

    @Test
    void argumentsArePlacesToFillIn() throws IOException {
        JsonNode snippets = new ObjectMapper()
                .readTree(CommandRun.of("rule", "docs", "--snippets").out());
        assertEquals(
                "node.podsWithLabel('${1:key}', '${2:value}')",
                snippets.path("node.podsWithLabel(key, value)").path("body").asText());
        assertEquals("${1:taint}.key", snippets.path("taint.key").path("body").asText());
    }
}
