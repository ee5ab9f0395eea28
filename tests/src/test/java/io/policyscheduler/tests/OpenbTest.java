package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.Splitter;
import io.policyscheduler.cmd.cli.Main;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The published packing experiment on the GPU trace openb, with the commands {@code lab import} and {@code lab compare} and the sample plugin
 * GpuShare. The data is in {@code ../shared/data/openb}; without it, the tests are skipped. {@code -Dopenb.seeds=10 -Dopenb.lists=all} computes the
 * whole table.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenbTest {
    private static final Path DATA = RepositoryFiles.root().resolveSibling("shared/data/openb");
    private static final int SEEDS = Integer.getInteger("openb.seeds", 1);
    private static final boolean ALL =
            System.getProperty("openb.lists", "default").equals("all");
    private static final String ALLOCATED = "allocation.example.com/gpu-milli.end";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PUBLISHED_RUNS = 10;

    /** The published name of each score. */
    private static final Map<String, String> PUBLISHED = Map.of(
            "Random", "Random",
            "DotProduct", "DotProd",
            "GpuClustering", "GpuClustering",
            "GpuPacking", "GpuPacking",
            "BestFit", "BestFit",
            "FGD", "FGD");

    private static final List<String> SCORES =
            List.of("Random", "DotProduct", "GpuClustering", "GpuPacking", "BestFit", "FGD");

    private Path folder = Path.of("");

    private record Published(double mean, double deviation) {}

    @BeforeAll
    void compile(@TempDir Path temp) throws IOException {
        assumeTrue(Files.isDirectory(DATA), "skipped: there is no " + DATA);
        folder = temp;
        Path sources = RepositoryFiles.root().resolve("policy-files/plugins/gpu-share/src");
        List<Path> files;
        try (Stream<Path> all = Files.walk(sources)) {
            files = all.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        }
        new PluginJars(temp.resolve("gpu-share"))
                .compile(files)
                .add(PluginJars.SERVICES, Files.readString(sources.resolve(PluginJars.SERVICES)))
                .write(Files.createDirectories(temp.resolve("jars")).resolve("gpu-share.jar"));
    }

    private static String run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        assertEquals(0, Main.run(args, out, err), err::toString);
        return out.toString();
    }

    private Path trace(String list, int seed) {
        Path trace = folder.resolve(list + "-" + seed);
        if (!Files.exists(trace)) {
            run(
                    "lab",
                    "import",
                    "openb",
                    DATA.resolve("csv/openb_node_list_gpu_node.csv").toString(),
                    DATA.resolve("csv/openb_pod_list_" + list + ".csv").toString(),
                    "--seed=" + seed,
                    "--out=" + trace);
        }
        return trace;
    }

    /** Metrics by score. */
    private Map<String, JsonNode> metrics(String list, int seed, String tieBreak, List<String> scores)
            throws IOException {
        Path trace = trace(list, seed);
        List<String> args = new ArrayList<>(List.of("lab", "compare"));
        scores.forEach(score -> args.add("config:" + trace.resolve(score.toLowerCase(Locale.ROOT) + ".yaml")));
        args.addAll(List.of(
                "--trace=" + trace,
                "--tie-break=" + tieBreak,
                "--plugin-path=" + folder.resolve("jars"),
                "-o",
                "json"));
        JsonNode runs = JSON.readTree(run(args.toArray(String[]::new))).path("runs");
        Map<String, JsonNode> metrics = new LinkedHashMap<>();
        for (int i = 0; i < scores.size(); i++) {
            metrics.put(scores.get(i), runs.get(i).path("metrics"));
        }
        return metrics;
    }

    /** GPUs that are allocated or fragmented at the end, in %. */
    private static double percent(JsonNode metrics, String name) {
        return 100 * metrics.path(name).doubleValue();
    }

    private Map<String, Double> allocated(String list, int seed, String tieBreak, List<String> scores)
            throws IOException {
        Map<String, Double> allocated = new LinkedHashMap<>();
        metrics(list, seed, tieBreak, scores).forEach((score, own) -> allocated.put(score, percent(own, ALLOCATED)));
        return allocated;
    }

    private static Map<String, Published> published(String list, String metric) throws IOException {
        Map<String, Published> found = new LinkedHashMap<>();
        for (String line : Files.readAllLines(DATA.resolve("expected/expected_summary.csv"))) {
            List<String> cells = Splitter.on(',').splitToList(line);
            if (cells.get(0).equals("openb_pod_list_" + list)
                    && cells.get(2).equals(metric)
                    && cells.get(3).equals("130")) {
                found.put(
                        cells.get(1),
                        new Published(Double.parseDouble(cells.get(5)), Double.parseDouble(cells.get(6))));
            }
        }
        return found;
    }

    private static List<String> lists() throws IOException {
        if (!ALL) {
            return List.of("default");
        }
        try (Stream<Path> files = Files.list(DATA.resolve("csv"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("openb_pod_list_"))
                    .map(name -> name.replace("openb_pod_list_", "").replace(".csv", ""))
                    .sorted()
                    .toList();
        }
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(value -> value).average().orElseThrow();
    }

    private static double variance(List<Double> values) {
        double mean = mean(values);
        return values.size() < 2
                ? 0
                : values.stream()
                                .mapToDouble(value -> (value - mean) * (value - mean))
                                .sum()
                        / (values.size() - 1);
    }

    private static <V> V of(Map<String, V> values, String name) {
        return Objects.requireNonNull(values.get(name), name);
    }

    @Test
    void theMeansAndTheirOrderAreThePublishedOnes() throws IOException {
        for (String list : lists()) {
            Map<String, List<Double>> allocated = new LinkedHashMap<>();
            Map<String, List<Double>> fragmented = new LinkedHashMap<>();
            for (int seed = 42; seed < 42 + SEEDS; seed++) {
                metrics(list, seed, "first", SCORES).forEach((score, own) -> {
                    allocated.computeIfAbsent(score, key -> new ArrayList<>()).add(percent(own, ALLOCATED));
                    fragmented.computeIfAbsent(score, key -> new ArrayList<>()).add(percent(own, "frag.fgd.end"));
                });
            }
            assertPublished(list, "alloc_percent", allocated);
            assertPublished(list, "frag_percent_of_all_gpus", fragmented);
        }
    }

    /** @param ours one value per seed, by score */
    private static void assertPublished(String list, String metric, Map<String, List<Double>> ours) throws IOException {
        Map<String, Published> published = published(list, metric);
        Map<String, Double> error = new LinkedHashMap<>();
        for (String score : SCORES) {
            Published theirs = of(published, of(PUBLISHED, score));
            double own = mean(of(ours, score));
            // A single run varies as much as each of the published runs.
            double variance = SEEDS < 2 ? theirs.deviation() * theirs.deviation() : variance(of(ours, score));
            double standardError =
                    Math.sqrt(variance / SEEDS + theirs.deviation() * theirs.deviation() / PUBLISHED_RUNS);
            error.put(score, standardError);
            String figures = String.format(
                    Locale.ROOT,
                    "%s %s of %s: %.2f, published %.2f, standard error %.2f",
                    list,
                    metric,
                    score,
                    own,
                    theirs.mean(),
                    standardError);
            assertEquals(theirs.mean(), own, Math.max(0.01 * theirs.mean(), 3 * standardError), figures);
        }
        for (String more : SCORES) {
            for (String less : SCORES) {
                double difference = of(published, of(PUBLISHED, more)).mean()
                        - of(published, of(PUBLISHED, less)).mean();
                if (difference > 3 * Math.hypot(of(error, more), of(error, less))) {
                    assertTrue(
                            mean(of(ours, more)) > mean(of(ours, less)),
                            list + " " + metric + ": " + more + " is not above " + less);
                }
            }
        }
    }

    /** The published winner wins because equal scores go to the first node by name. */
    @Test
    void theWinnerIsAnotherOneIfTiesAreBrokenByChance() throws IOException {
        Map<String, Double> first = allocated("default", 42, "first", List.of("BestFit", "FGD"));
        Map<String, Double> random = allocated("default", 42, "random", List.of("BestFit", "FGD"));
        assertTrue(of(first, "FGD") > of(first, "BestFit") + 1, first.toString());
        assertTrue(of(random, "FGD") < of(random, "BestFit") - 1, random.toString());
        assertEquals(of(first, "BestFit"), of(random, "BestFit"), 1);
    }
}
