package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The files in policy-files are valid, because people copy them. */
class PolicyFilesTest {
    private static final Path FILES = RepositoryFiles.root().resolve("policy-files");
    private static final String SCHEDULER = "policy-scheduler";

    private static final String NAME_CHANGED = PolicyWarningCode.NAME_CHANGED;

    /** The codes of the warnings that each file is expected to have. */
    private static final Map<String, List<String>> WARNINGS = Map.ofEntries(
            entry("alpha-1.16.json", NAME_CHANGED, NAME_CHANGED, PolicyWarningCode.NO_RESOURCE_CHECK),
            entry("docs-1.20.yaml", PolicyWarningCode.NAME_OVERRIDDEN),
            entry(
                    "docs-1.5.json",
                    PolicyWarningCode.EQUAL_PRIORITY,
                    PolicyWarningCode.POD_FITS_PORTS,
                    PolicyWarningCode.SERVICE_SPREADING),
            entry("gpushare.json"),
            entry(
                    "issue-2019.json",
                    NAME_CHANGED,
                    NAME_CHANGED,
                    PolicyWarningCode.EQUAL_PRIORITY,
                    PolicyWarningCode.POD_FITS_PORTS,
                    PolicyWarningCode.GENERAL_AND_PART,
                    PolicyWarningCode.SERVICE_SPREADING),
            entry(
                    "openshift-3.0.json",
                    PolicyWarningCode.FORM,
                    PolicyWarningCode.POD_FITS_PORTS,
                    PolicyWarningCode.SERVICE_SPREADING),
            entry("openshift-3.11.json", NAME_CHANGED, NAME_CHANGED),
            entry("openshift-3.7.json", NAME_CHANGED, NAME_CHANGED, NAME_CHANGED),
            entry(
                    "openshift-4.1.yaml",
                    PolicyWarningCode.EQUAL_PRIORITY,
                    PolicyWarningCode.GENERAL_AND_PART,
                    PolicyWarningCode.SERVICE_SPREADING),
            entry(
                    "operator-1.11.json",
                    NAME_CHANGED,
                    NAME_CHANGED,
                    NAME_CHANGED,
                    NAME_CHANGED,
                    PolicyWarningCode.DUPLICATE_NAME),
            entry("operator-1.16.json", NAME_CHANGED, NAME_CHANGED, NAME_CHANGED, PolicyWarningCode.DUPLICATE_NAME),
            entry(
                    "operator-before-1.12.json",
                    NAME_CHANGED,
                    NAME_CHANGED,
                    NAME_CHANGED,
                    PolicyWarningCode.EQUAL_PRIORITY,
                    PolicyWarningCode.GENERAL_AND_PART),
            entry("policy-1.2.json", PolicyWarningCode.EQUAL_PRIORITY, PolicyWarningCode.SERVICE_SPREADING),
            entry("policy-1.7.json"),
            entry("policy-1.12.json", PolicyWarningCode.HARD_WEIGHT),
            entry("policy-1.15.json"),
            entry("policy-1.17.yaml", PolicyWarningCode.NAME_OVERRIDDEN),
            entry("policy-extender.json", PolicyWarningCode.EQUAL_PRIORITY, PolicyWarningCode.SERVICE_SPREADING),
            entry(
                    "rack-filter.json",
                    PolicyWarningCode.LEFT_OUT,
                    NAME_CHANGED,
                    NAME_CHANGED,
                    PolicyWarningCode.SERVICE_SPREADING),
            entry("stork-1.8.yaml", NAME_CHANGED, NAME_CHANGED, NAME_CHANGED, NAME_CHANGED));

    private final AlgorithmRegistry registry = Algorithms.registry();

    private static Map.Entry<String, List<String>> entry(String file, String... codes) {
        return Map.entry(file, List.of(codes));
    }

    @TestFactory
    Stream<DynamicTest> policiesRun() {
        return RepositoryFiles.in(FILES.resolve("policies"), "").stream()
                .flatMap(file -> Stream.of(Release.V1_17, Release.NEWEST)
                        .map(release -> dynamicTest(file.getFileName() + " in " + release, () -> {
                            PolicyRun run = new PolicyRun(release);
                            EffectivePolicy policy = run.resolve(
                                    Files.readString(file), file.getFileName().toString());
                            Map<String, String> placements = run.placements(policy);
                            assertTrue(placements.size() >= 30, placements::toString);
                        })));
    }

    @TestFactory
    Stream<DynamicTest> policiesAreValid() {
        return RepositoryFiles.in(FILES.resolve("policies"), "").stream()
                .map(file -> dynamicTest(file.getFileName().toString(), () -> {
                    List<String> codes =
                            resolve(file).warnings().stream().map(Warning::code).toList();
                    assertEquals(WARNINGS.get(file.getFileName().toString()), codes);
                }));
    }

    @Test
    void noPolicyIsMissing() {
        Set<String> names = RepositoryFiles.in(FILES.resolve("policies"), "").stream()
                .map(file -> file.getFileName().toString())
                .collect(Collectors.toSet());
        assertEquals(WARNINGS.keySet(), names);
    }

    @Test
    void demoPolicyIsValidWithoutWarnings() throws IOException, PolicyException {
        assertEquals(List.of(), resolve(FILES.resolve("demo/policy.json")).warnings());
    }

    @Test
    void demoObjectsAreWellFormed() throws IOException {
        DumpedCluster dump = demo();
        assertAll(
                () -> assertEquals(List.of(), dump.malformed()),
                () -> assertEquals(13, dump.cluster().nodeCount()),
                () -> assertEquals(41, dump.pending().size()),
                () -> assertEquals(
                        List.of("default/not-ours"),
                        dump.pending().stream()
                                .filter(pod -> !pod.spec().schedulerName().equals(SCHEDULER))
                                .map(PodInfo::key)
                                .toList()));
    }

    @Test
    void demoPlacesWhatItShould() throws IOException, PolicyException {
        DumpedCluster dump = demo();
        SchedulingCycle cycle = SchedulingCycle.of(
                new ProviderAdapter(registry, name -> "")
                        .adapt(resolve(FILES.resolve("demo/policy.json")), dump.cluster()),
                dump.cluster());
        SortedMap<String, String> unschedulable = new TreeMap<>();
        SortedMap<String, Integer> podsByNode = new TreeMap<>();
        for (PodInfo pod : dump.pending()) {
            if (!pod.spec().schedulerName().equals(SCHEDULER)) {
                continue;
            }
            Decision decision = cycle.decide(pod, NominatedPods.NONE);
            String node = decision.node();
            if (node == null) {
                unschedulable.put(pod.name(), decision.message());
            } else {
                podsByNode.merge(node, 1, Integer::sum);
                dump.cluster().addPod(pod.withNodeName(node));
            }
        }
        assertAll(
                () -> assertEquals(
                        Map.of(
                                "db-3",
                                "0/13 nodes are available: 1 Insufficient cpu, 1 node(s) had taints that the pod didn't"
                                        + " tolerate, 1 node(s) were unschedulable, 2 node(s) didn't have the requested"
                                        + " labels, 8 node(s) didn't match pod affinity/anti-affinity.",
                                "huge",
                                "0/13 nodes are available: 1 node(s) were unschedulable, 12 Insufficient cpu.",
                                "old-kernel",
                                "0/13 nodes are available: 1 node(s) were unschedulable, 12 node(s) didn't match node"
                                        + " selector.",
                                "train-wide",
                                "0/13 nodes are available: 1 node(s) were unschedulable, 5 Insufficient cpu, 7"
                                        + " Insufficient nvidia.com/gpu."),
                        unschedulable),
                () -> assertEquals(
                        36,
                        podsByNode.values().stream().mapToInt(Integer::intValue).sum()),
                () -> assertEquals(
                        Map.of(
                                "node-a1", 5, "node-a2", 3, "node-a3", 5, "node-a4", 3, "node-b1", 7, "node-c1", 9,
                                "node-c2", 3, "node-c3", 1),
                        podsByNode));
    }

    private EffectivePolicy resolve(Path file) throws IOException, PolicyException {
        PolicyResolver resolver = new PolicyResolver(FeatureGates.defaults(), 1, false, registry);
        return resolver.resolve(new PolicyReader()
                .read(Files.readString(file), file.getFileName().toString()));
    }

    private static DumpedCluster demo() throws IOException {
        DumpedCluster dump = new DumpedCluster();
        dump.load(FILES.resolve("demo/cluster.yaml"));
        dump.load(FILES.resolve("demo/workload.yaml"));
        return dump;
    }
}
