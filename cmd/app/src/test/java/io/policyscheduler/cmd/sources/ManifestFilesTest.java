package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManifestFilesTest {
    private final Path folder;

    ManifestFilesTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("m.yaml"), text);
    }

    @Test
    void allDocumentsButEmptyOnes() throws IOException {
        List<JsonNode> documents = ManifestFiles.read(file("---\nkind: Pod\n---\n---\n{kind: Node}\n"));
        assertEquals(
                List.of("Pod", "Node"),
                documents.stream()
                        .map(document -> document.path("kind").asText())
                        .toList());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"kind\": | FILE:1:9: Unexpected end-of-input within/between Object entries",
                "[1, 2] | FILE: expected a Kubernetes object, found number",
                "a: [b | FILE:1:6: invalid YAML: did not find expected ',' or ']'",
                "text | FILE: expected a Kubernetes object, found string",
            })
    void whatIsNoManifestIsToldInOneLine(String text, String error) throws IOException {
        Path file = file(text);
        InputException refused = assertThrows(InputException.class, () -> ManifestFiles.read(file));
        assertEquals(error.replace("FILE", file.toString()), refused.getMessage());
    }

    @Test
    void aFileMadeToBeTooDeep() throws IOException {
        Path file = file("{\"a\":".repeat(2000));
        InputException refused = assertThrows(InputException.class, () -> ManifestFiles.read(file));
        assertEquals(file + ": Document nesting depth (1001) exceeds the maximum allowed (1000)", refused.getMessage());
    }
}
