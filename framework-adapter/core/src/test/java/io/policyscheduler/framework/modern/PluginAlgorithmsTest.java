package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.modern.PluginAlgorithms.ConstraintsFirst;
import io.policyscheduler.framework.modern.PluginAlgorithms.FilterPredicate;
import io.policyscheduler.framework.modern.PluginAlgorithms.ScorePriority;
import io.policyscheduler.predicates.PredicateCatalog;
import io.policyscheduler.priorities.PriorityCatalog;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PluginAlgorithmsTest {
    private static final String SINCE_18 = "CheckVolumeBinding EvenPodsSpread MatchNodeSelector"
            + " NoDiskConflict NoVolumeZoneConflict PodFitsHostPorts PodFitsPorts PodFitsResources";

    private final AlgorithmRegistry registry = registry();
    private final PolicyFixture fixture = new PolicyFixture();

    private static AlgorithmRegistry registry() {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder();
        PredicateCatalog.register(builder);
        PriorityCatalog.register(builder);
        PluginAlgorithms.register(builder);
        return builder.build();
    }

    private static AlgorithmConfig at(int minor, Set<String> companions, Set<String> ignoredResources) {
        return new AlgorithmConfig(
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Map.of(),
                ignoredResources,
                1,
                FeatureGates.defaults().at(new Release(minor)),
                name -> "",
                companions);
    }

    private static AlgorithmConfig at(int minor) {
        return at(minor, Set.of(), Set.of());
    }

    @ParameterizedTest
    @CsvSource({
        "17, NodeDeclaredFeatures DynamicResources",
        "18, NodeDeclaredFeatures DynamicResources " + SINCE_18,
        "24, NodeDeclaredFeatures DynamicResources " + SINCE_18,
        "25, NodeDeclaredFeatures DynamicResources MaxAzureDiskVolumeCount MaxCSIVolumeCountPred MaxCinderVolumeCount MaxEBSVolumeCount"
                + " MaxGCEPDVolumeCount " + SINCE_18,
        "34, NodeDeclaredFeatures DynamicResources MaxAzureDiskVolumeCount MaxCSIVolumeCountPred MaxCinderVolumeCount MaxEBSVolumeCount"
                + " MaxGCEPDVolumeCount " + SINCE_18,
    })
    void predicatesThatHaveGrown(int minor, String names) {
        List<String> variants = registry.predicateNames().stream()
                .filter(name -> !name.equals("CheckNodeLabelPresence") && !name.equals("CheckServiceAffinity"))
                .filter(name -> isVariant(registry.predicate(name, at(minor))))
                .sorted()
                .toList();
        assertEquals(List.of(names.split(" ", -1)).stream().sorted().toList(), variants);
    }

    private static boolean isVariant(Object algorithm) {
        return algorithm instanceof FilterPredicate
                || algorithm instanceof ScorePriority
                || algorithm instanceof ConstraintsFirst;
    }

    @ParameterizedTest
    @CsvSource({
        "17, '', ''",
        "18, '', EvenPodsSpreadPriority SelectorSpreadPriority ServiceSpreadingPriority",
        // Constraints have their own priority here, and count once.
        "34, EvenPodsSpreadPriority, EvenPodsSpreadPriority",
    })
    void prioritiesThatHaveGrown(int minor, String companions, String names) {
        AlgorithmConfig config = at(minor, Set.of(companions), Set.of());
        List<String> variants = List.of(
                        "EvenPodsSpreadPriority",
                        "InterPodAffinityPriority",
                        "SelectorSpreadPriority",
                        "ServiceSpreadingPriority")
                .stream()
                .filter(name -> isVariant(registry.priority(name, config)))
                .toList();
        assertEquals(names, String.join(" ", variants));
    }

    private List<String> verdicts(String predicate, int minor, String spec) {
        PodInfo pod = fixture.pod("p", "app: 'web'", spec);
        return fixture.verdicts(registry.predicate(predicate, at(minor)), pod);
    }

    /** A pod with requests in newer fields, on a node with 3 CPUs. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "PodFitsResources | initContainers: [{name: 'i', restartPolicy: 'Always',"
                        + " resources: {requests: {cpu: '2'}}}], containers: [{name: 'c', resources: {requests: {cpu: '2'}}}]"
                        + " | fits | Insufficient cpu !",
                "PodFitsResources | overhead: {cpu: '4'} | fits | Insufficient cpu !",
                "PodFitsResources | resources: {requests: {cpu: '5'}} | fits | Insufficient cpu !",
                "GeneralPredicates | overhead: {cpu: '4'} | fits | Insufficient cpu !",
                "PodFitsHostPorts | initContainers: [{name: 'i', restartPolicy: 'Always',"
                        + " ports: [{containerPort: 80, hostPort: 80, protocol: 'TCP'}]}]"
                        + " | fits | node(s) didn't have free ports for the requested pod ports",
                "EvenPodsSpread | topologySpreadConstraints: [{maxSkew: 1, topologyKey: 'none',"
                        + " whenUnsatisfiable: 'DoNotSchedule', labelSelector: {}}]"
                        + " | fits"
                        + " | node(s) didn't match pod topology spread constraints (missing required label) !",
                "MatchNodeSelector | nodeSelector: {zone: 'b'}"
                        + " | node(s) didn't match node selector ! | node(s) didn't match node selector !",
                "CheckVolumeBinding | volumes: [{name: 'v', ephemeral: {volumeClaimTemplate: {spec: {}}}}] | fits"
                        + " | waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-v\" !",
            })
    void whatNewerFieldsAskFor(String predicate, String spec, String before, String today) {
        fixture.node("n", "zone: 'a'", "cpu: '3'")
                .placed(
                        "a",
                        "",
                        "n",
                        "containers: [{name: 'c', ports: [{containerPort: 80, hostPort: 80, protocol: 'TCP'}]}]");
        assertEquals(List.of(before), verdicts(predicate, 17, spec));
        assertEquals(List.of(today), verdicts(predicate, 34, spec));
    }

    @Test
    void whatAnExtenderAnswersForIsNotCounted() {
        fixture.node("n", "", "cpu: '1'");
        PodInfo pod =
                fixture.pod("p", "", "containers: [{name: 'c', resources: {requests: {'example.com/gpu': '1'}}}]");
        assertEquals(
                List.of("Insufficient example.com/gpu !"),
                fixture.verdicts(registry.predicate("PodFitsResources", at(34)), pod));
        assertEquals(
                List.of("fits"),
                fixture.verdicts(
                        registry.predicate("PodFitsResources", at(34, Set.of(), Set.of("example.com/gpu"))), pod));
    }

    /** Since 1.36, DynamicResources satisfies such a request, if the policy has it. */
    @ParameterizedTest
    @CsvSource({
        "36, DynamicResources, fits",
        "36, NoResourceClaims, Insufficient example.com/gpu !",
        "35, DynamicResources, Insufficient example.com/gpu !",
    })
    void anExtendedResourceOfADeviceClassIsAMatterOfTheClaims(int minor, String companion, String onANodeWithoutIt) {
        fixture.node("n", "", "cpu: '1'")
                .node("o", "", "cpu: '1', 'example.com/gpu': '1'")
                .placed("a", "", "o", "containers: [{name: 'c', resources: {requests: {'example.com/gpu': '1'}}}]")
                .add("DeviceClass", "{metadata: {name: 'gpu'}, spec: {extendedResourceName: 'example.com/gpu'}}");
        PodInfo pod =
                fixture.pod("p", "", "containers: [{name: 'c', resources: {requests: {'example.com/gpu': '1'}}}]");
        assertEquals(
                List.of(onANodeWithoutIt, "Insufficient example.com/gpu"),
                fixture.verdicts(registry.predicate("GeneralPredicates", at(minor, Set.of(companion), Set.of())), pod));
    }

    /** The predicate of each cloud still counts only that cloud's volumes. */
    @Test
    void limitsAreThoseOfOneDriver() {
        fixture.node("n", "", "cpu: '1'")
                .add(
                        "CSINode",
                        "{metadata: {name: 'n'}, spec: {drivers: [{name: 'ebs.csi.aws.com', nodeID: 'n',"
                                + " allocatable: {count: 0}}]}}");
        String disk = "volumes: [{name: 'v', awsElasticBlockStore: {volumeID: 'vol-1'}}]";
        List<String> full = List.of("node(s) exceed max volume count");
        assertEquals(full, verdicts("MaxEBSVolumeCount", 34, disk));
        assertEquals(full, verdicts("MaxCSIVolumeCountPred", 34, disk));
        assertEquals(List.of("fits"), verdicts("MaxGCEPDVolumeCount", 34, disk));
        assertEquals(List.of("fits"), verdicts("MaxEBSVolumeCount", 24, disk));
    }
}
