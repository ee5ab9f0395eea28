package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The alerts query metrics of the program, are on the page of metrics, and fire when they should. */
class AlertsTest {
    private static JsonNode rules() throws IOException {
        Path file = Kustomizations.folder().resolve("components/monitoring/alerts.yaml");
        return Kustomizations.documents(file).get(0).path("spec");
    }

    @Test
    void askForMetricsThatTheProgramHas() throws IOException {
        Set<String> asked = new TreeSet<>();
        for (JsonNode rule : rules().at("/groups/0/rules")) {
            Set<String> names = MetricNames.in(rule.path("expr").asText());
            assertTrue(!names.isEmpty(), rule::toString);
            asked.addAll(names);
        }
        assertEquals(Set.of(), MetricNames.unknown(asked), "not in cmd.metrics");
    }

    @Test
    void stayOnThePageOfMetrics() throws IOException {
        StringBuilder expected = new StringBuilder();
        for (JsonNode rule : rules().at("/groups/0/rules")) {
            expected.append("| `" + rule.path("alert").asText() + "` | "
                    + rule.at("/labels/severity").asText() + " | "
                    + rule.at("/annotations/summary").asText() + " |\n");
        }
        String page = Files.readString(RepositoryFiles.root().resolve("docs/metrics.md"));
        String rows = Pattern.compile("(?m)^(\\| `[A-Z]\\w+` \\| \\w+ \\| [^|]+ \\|).*$")
                .matcher(page)
                .results()
                .map(row -> row.group(1) + "\n")
                .collect(Collectors.joining());
        assertEquals(expected.toString(), rows);
    }

    /** Evaluated by promtool on the series in a file next to the test. */
    @Test
    void fireWhenTheyShould(@TempDir Path folder) throws IOException {
        boolean there = Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(place -> Files.isExecutable(Path.of(place, "promtool")));
        assumeTrue(there, "no promtool, which comes with Prometheus, on this machine");
        new YAMLMapper().writeValue(folder.resolve("alerts.yaml").toFile(), rules());
        Path cases = Path.of(Objects.requireNonNull(AlertsTest.class.getResource("/alerts/cases.yaml"))
                .getPath());
        Files.copy(cases, folder.resolve("cases.yaml"));
        Command check = Command.run(folder, System.getenv(), List.of("promtool", "check", "rules", "alerts.yaml"));
        assertEquals(0, check.code(), check::toString);
        Command test = Command.run(folder, System.getenv(), List.of("promtool", "test", "rules", "cases.yaml"));
        assertEquals(0, test.code(), test::toString);
    }
}
