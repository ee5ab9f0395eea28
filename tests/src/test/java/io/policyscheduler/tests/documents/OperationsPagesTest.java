package io.policyscheduler.tests.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages for operators are complete: an entry for each alert, tests that exist, and the resources of the manifests. */
class OperationsPagesTest {
    private static final Path ROOT = RepositoryFiles.root();

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }

    private static List<String> all(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map((MatchResult result) -> result.group(1))
                .toList();
    }

    @Test
    void theRunbookHasAnEntryForEachAlert() throws IOException {
        List<String> alerts = all("(?m)- alert: (\\w+)", read("policy-files/deploy/components/monitoring/alerts.yaml"));
        String runbook = read("docs/tasks/runbook.md");
        assertEquals(alerts, all("(?m)^## (\\w+)$", runbook));
        for (String part : List.of("Effect", "Look at", "Do")) {
            assertEquals(
                    alerts.size(),
                    all("(?m)^- \\*\\*(" + part + ")\\.\\*\\* ", runbook).size(),
                    part);
        }
        List<String> linked = all("(?m)^\\| `[A-Z]\\w+` \\|.*\\(tasks/runbook\\.md#(\\w+)\\)", read("docs/metrics.md"));
        assertEquals(
                alerts.stream()
                        .map(alert -> alert.toLowerCase(java.util.Locale.ROOT))
                        .toList(),
                linked);
    }

    @Test
    void guaranteesAndThreatsNameTestsThatExist() throws IOException {
        Set<String> named = new TreeSet<>();
        for (String page : List.of("docs/concepts/promises.md", "docs/concepts/threat-model.md")) {
            named.addAll(all("`(\\w+Test)`", read(page)));
        }
        assertTrue(named.size() > 20, named::toString);
        try (Stream<Path> files = Files.walk(ROOT)) {
            Set<String> there = files.map(Path::toString)
                    .filter(file -> file.contains("/src/test/java/") && file.endsWith("Test.java"))
                    .map(file -> file.substring(file.lastIndexOf('/') + 1, file.length() - ".java".length()))
                    .collect(Collectors.toSet());
            named.removeAll(there);
        }
        assertEquals(Set.of(), named, "tests that do not exist");
    }

    /** Each threat has a test, or says that there is none. */
    @Test
    void eachThreatHasATest() throws IOException {
        String actors =
                read("docs/concepts/threat-model.md").split("## Actors")[1].split("## Not protected")[0];
        List<String> rows = all("(?m)^(\\| (?!Attempt|---).*)$", actors);
        assertTrue(rows.size() > 15, rows::toString);
        List<String> without = rows.stream()
                .filter(row -> !row.matches(".*\\| (`\\w+Test`(, )?)+ \\||.*\\| none: [^|]+ \\|"))
                .toList();
        assertEquals(List.of(), without);
    }

    @Test
    void manifestsHaveTheResourcesOfTheSizingPage() throws IOException {
        String page = read("docs/tasks/size-the-scheduler.md");
        List<String> row = all("(?m)^\\| [^|]*default of the manifests[^|]* \\| ([^|]+ \\| [^|]+ \\| [^|]+) \\|", page);
        assertEquals(1, row.size(), page);
        String[] cells = row.get(0).split(" \\| ");
        for (String file : List.of(
                "policy-files/deploy/base/deployment.yaml", "policy-files/deploy/helm/policy-scheduler/values.yaml")) {
            String text = read(file);
            assertEquals(List.of(cells[0]), all("cpu: (\\w+)", text), file);
            assertEquals(List.of(cells[1], cells[2]), all("memory: (\\w+)", text), file);
        }
        List<String> heap = all("-XX:MaxRAMPercentage=(\\d+)", read("cmd/app/src/image/prepare"));
        assertEquals(List.of(heap.get(0) + " %"), all("\\| image \\| (\\d+ %) of the memory limit", page));
        assertTrue(page.contains("`maxUnavailable: 1`"));
        assertTrue(read("policy-files/deploy/base/disruption-budget.yaml").contains("maxUnavailable: 1"));
    }
}
