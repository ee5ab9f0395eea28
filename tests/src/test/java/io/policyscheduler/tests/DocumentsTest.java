package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documents lead to files that exist, and the short ones stay short. */
class DocumentsTest {
    private static final int MOST_LINES_OF_A_MODULE = 40;
    private static final List<String> MODULES =
            List.of("policy-engine", "predicates", "priorities", "framework-adapter", "cmd", "tests");

    /** What is linked to, unless it is a page of the web or a place on the same page. */
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|#)([^)#\\s]+)(?:#[^)]*)?\\)");

    @Test
    void linksLeadToFiles() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path document : documents()) {
            Matcher link = LINK.matcher(Files.readString(document));
            while (link.find()) {
                links++;
                if (!Files.exists(document.resolveSibling(link.group(1)))) {
                    broken.add(RepositoryFiles.root().relativize(document) + " -> " + link.group(1));
                }
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(links > 100, "links found: " + links);
    }

    @Test
    void everyModuleIntroducesItselfShortly() throws IOException {
        for (String module : MODULES) {
            Path readme = RepositoryFiles.root().resolve(module).resolve("README.md");
            int lines = Files.readAllLines(readme).size();
            assertTrue(lines <= MOST_LINES_OF_A_MODULE, readme + " has " + lines + " lines");
        }
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> files = Files.walk(RepositoryFiles.root())) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file ->
                            !RepositoryFiles.root().relativize(file).toString().contains("target"))
                    .sorted()
                    .toList();
        }
    }
}
