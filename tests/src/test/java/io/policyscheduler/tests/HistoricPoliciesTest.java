package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyNameHistory;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricName;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The default and example policies of all releases are accepted and run, on clusters of their time and current ones. */
class HistoricPoliciesTest {
    private static final Path FOLDER = RepositoryFiles.root().resolve("tests/src/test/resources/historic");
    private static final int LAST = 22;
    /** Of the demo's 41 pods; huge and four others fit on no node. */
    private static final int MANY = 30;

    /** Names with a warning of their own, because v1.17 accepted them, too. */
    private static final List<String> HAVE_CODES = List.of("PodFitsPorts", "ServiceSpreadingPriority", "EqualPriority");

    /** The default policy of a release; priorities keep their order. */
    private record Defaults(List<String> predicates, Map<String, Long> priorities) {}

    private static SortedMap<String, Defaults> defaults() throws IOException {
        SortedMap<String, Defaults> releases = new TreeMap<>();
        List<String> names = new ArrayList<>();
        List<List<String>> lists = new ArrayList<>();
        for (String line : Files.readAllLines(FOLDER.resolve("defaults.txt"))) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (!line.startsWith(" ")) {
                names.add(line);
                continue;
            }
            lists.add(List.of(line.strip().split(" ")));
            if (lists.size() == 2) {
                Map<String, Long> priorities = new LinkedHashMap<>();
                lists.get(1).forEach(priority -> {
                    int equals = priority.indexOf('=');
                    priorities.put(priority.substring(0, equals), Long.valueOf(priority.substring(equals + 1)));
                });
                Defaults defaults = new Defaults(lists.get(0), priorities);
                names.forEach(name -> releases.put(name, defaults));
                names.clear();
                lists.clear();
            }
        }
        return releases;
    }

    /** OpenShift added the two levels that its documentation describes; 3.0 wrote neither kind nor apiVersion. */
    private static String file(String release, Defaults defaults) {
        boolean openshift = release.startsWith("openshift");
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        if (!release.equals("openshift 3.0")) {
            root.put("kind", "Policy").put("apiVersion", "v1");
        }
        defaults.predicates()
                .forEach(name -> root.withArray("predicates").addObject().put("name", name));
        defaults.priorities()
                .forEach((name, weight) -> root.withArray("priorities")
                        .addObject()
                        .put("name", name)
                        .put("weight", weight));
        if (openshift) {
            root.withArray("predicates")
                    .addObject()
                    .put("name", "Region")
                    .putObject("argument")
                    .putObject("serviceAffinity")
                    .putArray("labels")
                    .add("region");
            root.withArray("priorities")
                    .addObject()
                    .put("name", "Zone")
                    .put("weight", 2)
                    .putObject("argument")
                    .putObject("serviceAntiAffinity")
                    .put("label", "zone");
        }
        return root.toPrettyString();
    }

    @Test
    void everyReleaseIsThere() throws IOException {
        TreeSet<String> names = new TreeSet<>();
        IntStream.rangeClosed(0, LAST).forEach(minor -> names.add("kubernetes 1." + minor));
        IntStream.rangeClosed(0, 11).forEach(minor -> names.add("openshift 3." + minor));
        assertEquals(names, new TreeSet<>(defaults().keySet()));
    }

    @TestFactory
    Stream<DynamicTest> defaultsRun() throws IOException {
        return defaults().entrySet().stream().flatMap(release -> {
            String text = file(release.getKey(), release.getValue());
            return inBothClusters(release.getKey(), text);
        });
    }

    /** ClusterAutoscalerProvider exists since 1.4. */
    @TestFactory
    Stream<DynamicTest> defaultsOfTheOtherProviderRun() throws IOException {
        return defaults().entrySet().stream()
                .filter(release -> release.getKey().startsWith("kubernetes")
                        && release.getValue().priorities().containsKey("NodePreferAvoidPodsPriority"))
                .flatMap(release -> inBothClusters(
                        release.getKey() + " ClusterAutoscalerProvider",
                        file(release.getKey(), release.getValue())
                                .replace("LeastRequestedPriority", "MostRequestedPriority")));
    }

    @TestFactory
    Stream<DynamicTest> examplesRun() {
        return RepositoryFiles.in(FOLDER, ".json").stream()
                .flatMap(file -> inBothClusters(file.getFileName().toString(), read(file)));
    }

    /** A policy with every algorithm of a release. */
    @TestFactory
    Stream<DynamicTest> everyNameOfEveryReleaseRuns() {
        return IntStream.rangeClosed(0, LAST).boxed().flatMap(minor -> {
            Release release = new Release(minor);
            List<String> predicates = new ArrayList<>();
            Map<String, Long> priorities = new LinkedHashMap<>();
            for (HistoricName name : PolicyNameHistory.all()) {
                if (name.first().compareTo(release) > 0 || name.last().compareTo(release) < 0) {
                    continue;
                }
                if (name.kind() == HistoricName.Kind.PREDICATE) {
                    predicates.add(name.name());
                } else {
                    priorities.put(name.name(), 2L);
                }
            }
            String text = file("all of 1." + minor, new Defaults(predicates, priorities));
            return inBothClusters("all of 1." + minor, text);
        });
    }

    private static Stream<DynamicTest> inBothClusters(String name, String text) {
        return Stream.of(Release.V1_17, Release.NEWEST)
                .map(cluster -> dynamicTest(name + " in " + cluster, () -> runs(name, text, cluster)));
    }

    private static void runs(String name, String text, Release cluster) throws IOException, PolicyException {
        PolicyRun run = new PolicyRun(cluster);
        EffectivePolicy policy = run.resolve(text, name);
        SortedMap<String, String> placements = run.placements(policy);
        assertTrue(placements.size() >= MANY, () -> name + " placed only " + placements);
        assertEquals(null, placements.get("huge"), name);
        assertEquals(null, placements.get("old-kernel"), name);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(file.toString(), e);
        }
    }

    /** Each changed entry is reported once, and unchanged names are not reported. */
    @TestFactory
    Stream<DynamicTest> changesAreTold() throws IOException {
        PolicyRun run = new PolicyRun(Release.NEWEST);
        return defaults().entrySet().stream()
                .map(release -> dynamicTest(release.getKey(), () -> {
                    List<String> expected = Stream.concat(
                                    release.getValue().predicates().stream().map(PolicyNameHistory::predicate),
                                    release.getValue().priorities().keySet().stream()
                                            .map(PolicyNameHistory::priority))
                            .flatMap(Optional::stream)
                            .filter(name -> !name.isSame() && !HAVE_CODES.contains(name.name()))
                            .map(HistoricName::describe)
                            .toList();
                    List<String> actual =
                            run.resolve(file(release.getKey(), release.getValue()), "p.json").warnings().stream()
                                    .filter(warning -> warning.code().equals(PolicyWarningCode.NAME_CHANGED))
                                    .map(Warning::message)
                                    .toList();
                    assertEquals(expected, actual);
                }));
    }
}
