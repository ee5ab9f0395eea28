package io.policyscheduler.tests.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares {@code docs/metrics.md} with the metrics in the sources and with a scrape of a running scheduler. */
class MetricsPageTest {
    private static final Path PAGE = RepositoryFiles.root().resolve("docs/metrics.md");
    private static final String START = "<!-- This table is generated: MetricsPageTest with -Drenew=true. -->\n";
    private static final String END = "<!-- End of the generated table. -->";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern NAME = Pattern.compile("\"((?:policy_)?scheduler_[a-z0-9_]+)\"");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z0-9_]+)` \\|");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

    @TempDir
    private Path folder = Path.of("");

    @Test
    void showsWhatARunningSchedulerTells() throws IOException {
        String page = Files.readString(PAGE);
        int start = page.indexOf(START) + START.length();
        int end = page.indexOf(END);
        String table = table(scrape());
        if (Boolean.getBoolean("renew")) {
            Files.writeString(PAGE, page.substring(0, start) + table + page.substring(end));
        } else {
            assertEquals(
                    table,
                    page.substring(start, end),
                    PAGE + " is stale; this renews it: mvn test -pl tests -Dtest=MetricsPageTest -Drenew=true");
        }
    }

    @Test
    void hasEveryMetricOfTheSources() throws IOException {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(RepositoryFiles.root().resolve("cmd/app/src/main/java"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                Matcher name = NAME.matcher(Files.readString(file));
                while (name.find()) {
                    names.add(name.group(1));
                }
            }
        }
        Matcher row = ROW.matcher(Files.readString(PAGE));
        while (row.find()) {
            names.remove(row.group(1));
        }
        assertEquals(Set.of(), names, "metrics that " + PAGE + " does not have");
    }

    private String scrape() throws IOException {
        Path kubeconfig = folder.resolve("kubeconfig");
        String demo = RepositoryFiles.root().resolve("policy-files/demo") + "/";
        try (Program cluster = Program.start(
                Files.createDirectory(folder.resolve("cluster")),
                "cluster",
                "--load",
                demo + "cluster.yaml",
                demo + "workload.yaml",
                "--write-kubeconfig",
                kubeconfig.toString())) {
            cluster.awaitOutput("serving ");
            try (Program scheduler = Program.start(
                    Files.createDirectory(folder.resolve("run")),
                    "run",
                    "--kubeconfig",
                    kubeconfig.toString(),
                    "--policy-config-file",
                    demo + "policy.json",
                    "--status-address",
                    "127.0.0.1:0")) {
                Await.until(
                        PATIENCE,
                        "pods have come into the queue and been bound",
                        () -> scheduler.metrics().contains("scheduler_queue_incoming_pods_total{")
                                && scheduler.metrics().contains("policy_scheduler_watch_resource_version{"),
                        scheduler::output);
                return scheduler.metrics();
            }
        }
    }

    private static String table(String scrape) {
        Map<String, String> types = new TreeMap<>();
        Map<String, String> helps = new TreeMap<>();
        Map<String, Set<String>> labels = new TreeMap<>();
        String family = "";
        for (String line : scrape.lines().toList()) {
            List<String> words = List.of(line.split(" ", 4));
            if (line.startsWith("# HELP")) {
                family = words.get(2);
                helps.put(family, words.get(3));
                labels.put(family, new LinkedHashSet<>());
            } else if (line.startsWith("# TYPE")) {
                types.put(words.get(2), words.get(3));
            } else {
                Matcher label = LABEL.matcher(line);
                while (label.find()) {
                    labels.computeIfAbsent(family, name -> new LinkedHashSet<>())
                            .add("`" + label.group(1) + "`");
                }
            }
        }
        StringBuilder table = new StringBuilder("| metric | type | labels | from | meaning |\n|---|---|---|---|---|\n");
        helps.forEach((name, help) -> {
            Set<String> names = labels.getOrDefault(name, Set.of());
            names.remove("`le`");
            table.append("| `")
                    .append(name)
                    .append("` | ")
                    .append(types.get(name))
                    .append(" | ")
                    .append(String.join(", ", names))
                    .append(" | ")
                    .append(origin(name, help))
                    .append(" | ")
                    .append(help.replace("[ALPHA] ", "").replace("|", "\\|"))
                    .append(" |\n");
        });
        return table.toString();
    }

    private static String origin(String name, String help) {
        if (name.startsWith("policy_scheduler_")) {
            return "own";
        }
        if (!name.startsWith("scheduler_")) {
            return "process";
        }
        return help.startsWith("[ALPHA] ") ? "1.17, ALPHA" : "current";
    }
}
