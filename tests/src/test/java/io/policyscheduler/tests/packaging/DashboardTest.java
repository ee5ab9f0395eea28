package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The dashboard asks only for metrics that the program has. */
class DashboardTest {
    private static final Pattern METRIC = Pattern.compile("\\b(?:policy_)?scheduler_\\w+");
    /** What a name is followed by in the samples of a histogram. */
    private static final Pattern SAMPLE = Pattern.compile("_(?:bucket|sum|count)$");

    private static Set<String> asked(JsonNode dashboard) {
        Set<String> asked = new TreeSet<>();
        for (JsonNode panel : dashboard.path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                Matcher metric = METRIC.matcher(target.path("expr").asText());
                while (metric.find()) {
                    asked.add(SAMPLE.matcher(metric.group()).replaceFirst(""));
                }
            }
        }
        return asked;
    }

    private static String sources() throws IOException {
        Path folder = RepositoryFiles.root().resolve("cmd/src/main/java/io/policyscheduler/cmd/metrics");
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                text.append(Files.readString(file));
            }
        }
        return text.toString();
    }

    @Test
    void asksForMetricsThatTheProgramHas() throws IOException {
        JsonNode dashboard = new ObjectMapper()
                .readTree(Kustomizations.folder()
                        .resolve("components/monitoring/policy-scheduler.json")
                        .toFile());
        Set<String> asked = asked(dashboard);
        assertTrue(asked.contains("policy_scheduler_policy_generation"), asked::toString);
        assertTrue(asked.contains("scheduler_pending_pods"), asked::toString);
        String sources = sources();
        asked.removeIf(name -> sources.contains("\"" + name + "\""));
        assertEquals(Set.of(), asked, "not in cmd.metrics");
        assertEquals(
                "policy_scheduler_policy_generation",
                METRIC.matcher(dashboard.at("/templating/list/1/query/query").asText())
                        .results()
                        .findFirst()
                        .orElseThrow()
                        .group());
    }
}
