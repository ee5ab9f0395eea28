package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.predicates.PredicateCatalog;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MatchInterPodAffinitySince1_18Test {
    private static final String GENERIC = "node(s) didn't match pod affinity/anti-affinity, ";
    private static final String AFFINITY = GENERIC + "node(s) didn't match pod affinity rules !";
    private static final String ANTI = GENERIC + "node(s) didn't match pod anti-affinity rules";
    private static final String EXISTING = GENERIC + "node(s) didn't satisfy existing pods anti-affinity rules";

    private final PolicyFixture fixture = new PolicyFixture()
            .add("Namespace", "{metadata: {name: 'default', labels: {team: 'red'}}}")
            .add("Namespace", "{metadata: {name: 'other', labels: {team: 'blue'}}}")
            .node("n1", "zone: 'a'", "cpu: '1'")
            .node("n2", "zone: 'b'", "cpu: '1'")
            .node("n3", "", "cpu: '1'");
    private final Predicate predicate = predicate(Release.NEWEST);

    private static Predicate predicate(Release release) {
        AlgorithmRegistry.Builder builder = AlgorithmRegistry.builder();
        PredicateCatalog.register(builder);
        PluginAlgorithms.register(builder);
        return builder.build()
                .predicate(
                        "MatchInterPodAffinity",
                        AlgorithmConfig.of(FeatureGates.defaults().at(release)));
    }

    private static String term(String kind, String more) {
        return "affinity: {" + kind + ": {requiredDuringSchedulingIgnoredDuringExecution:"
                + " [{topologyKey: 'zone', labelSelector: {matchLabels: {app: 'web'}}" + more + "}]}}";
    }

    private static String ofTeam(String team) {
        return ", namespaceSelector: {matchLabels: {team: '" + team + "'}}";
    }

    @Test
    void theFirstOfAGroupGoesWhereItsKeysAre() {
        PodInfo pod = fixture.pod("p", "app: 'web'", term("podAffinity", ""));
        assertEquals(List.of("fits", "fits", AFFINITY), fixture.verdicts(predicate, pod));
        assertEquals(List.of("fits", "fits", "fits"), fixture.verdicts(predicate(Release.V1_17), pod));
        fixture.placed("a", "app: 'web'", "n1", "");
        assertEquals(List.of("fits", AFFINITY, AFFINITY), fixture.verdicts(predicate, pod));
    }

    @Test
    void namespacesAreMeantByTheirLabels() {
        fixture.placed("a", "app: 'web'", "n1", "");
        assertEquals(
                List.of(ANTI, "fits", "fits"),
                fixture.verdicts(predicate, fixture.pod("p", "", term("podAntiAffinity", ofTeam("red")))));
        assertEquals(
                List.of("fits", "fits", "fits"),
                fixture.verdicts(predicate, fixture.pod("p", "", term("podAntiAffinity", ofTeam("blue")))));
        fixture.placed("b", "", "n2", term("podAntiAffinity", ofTeam("red")));
        assertEquals(
                List.of("fits", EXISTING, "fits"), fixture.verdicts(predicate, fixture.pod("p", "app: 'web'", "")));
    }

    /** Release 1.34.1 applies such a term to the namespaces that it excludes. */
    @Test
    void namespacesThatASelectorExcludesAreNotMeant() {
        fixture.placed("a", "app: 'web'", "n1", "");
        for (String excluded : List.of("red", "blue")) {
            String more = ", namespaceSelector: {matchExpressions: [{key: 'team', operator: 'NotIn', values: ['"
                    + excluded + "']}]}";
            String expected = excluded.equals("red") ? "fits" : ANTI;
            assertEquals(
                    List.of(expected, "fits", "fits"),
                    fixture.verdicts(predicate, fixture.pod("p", "", term("podAntiAffinity", more))),
                    excluded);
        }
        assertEquals(
                List.of(ANTI, "fits", "fits"),
                fixture.verdicts(predicate, fixture.pod("p", "", term("podAntiAffinity", ", namespaceSelector: {}"))));
    }

    /** The namespaces that a selector selects, and those that the term lists, for each operator. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['default']} | | false",
                "{key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['other']} | | true",
                "{key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['default', 'other']} | | false",
                "{key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['default']} | ['default'] | true",
                "{key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['default']} | ['other'] | false",
                "{key: 'kubernetes.io/metadata.name', operator: 'DoesNotExist'} | | false",
                "{key: 'kubernetes.io/metadata.name', operator: 'In', values: ['default']} | | true",
                "{key: 'nobody', operator: 'NotIn', values: ['x']} | | true",
                "{key: 'nobody', operator: 'DoesNotExist'} | | true",
                "{key: 'nobody', operator: 'Exists'} | | false",
            })
    void aTermOfAntiAffinityAppliesToTheNamespacesThatItSelects(
            String expression, @Nullable String listed, boolean applies) {
        PolicyFixture cluster = new PolicyFixture()
                .add("Namespace", "{metadata: {name: 'default', labels: {'kubernetes.io/metadata.name': 'default'}}}")
                .add("Namespace", "{metadata: {name: 'other', labels: {'kubernetes.io/metadata.name': 'other'}}}")
                .node("n1", "zone: 'a'", "cpu: '1'");
        cluster.placed("a", "app: 'web'", "n1", "");
        String more = ", namespaceSelector: {matchExpressions: [" + expression + "]}"
                + (listed == null ? "" : ", namespaces: " + listed);
        assertEquals(
                List.of(applies ? ANTI : "fits"),
                cluster.verdicts(predicate, cluster.pod("p", "", term("podAntiAffinity", more))));
        // The other direction: a running pod has the term, and a new pod is selected by it.
        PolicyFixture reverse = new PolicyFixture()
                .add("Namespace", "{metadata: {name: 'default', labels: {'kubernetes.io/metadata.name': 'default'}}}")
                .node("n1", "zone: 'a'", "cpu: '1'");
        reverse.placed("a", "", "n1", term("podAntiAffinity", more));
        assertEquals(
                List.of(applies ? EXISTING : "fits"), reverse.verdicts(predicate, reverse.pod("p", "app: 'web'", "")));
    }

    @Test
    void aPodThatSaysNothingIsLetPassForGood() {
        PodFilter silent = predicate.start(fixture.context(fixture.pod("p", "app: 'web'", "")));
        assertSame(PodFilter.FITS_ALL, silent);
    }

    /** The pod is feasible now, but not next to one that is only nominated. */
    @Test
    void aPodWithAntiAffinityIsAskedAgainBesideNominatedPods() {
        PodFilter own = predicate.start(fixture.context(fixture.pod("p", "", term("podAntiAffinity", ""))));
        assertNotSame(PodFilter.FITS_ALL, own);
        assertEquals(List.of("fits", "fits", "fits"), fixture.verdicts(own));
        PodInfo nominated = fixture.pod("q", "app: 'web'", "");
        PodFilter beside = own.copy();
        assertEquals(null, beside.addPod(nominated, fixture.nodes().get(0)));
        assertEquals(List.of(ANTI, "fits", "fits"), fixture.verdicts(beside));
        assertEquals(null, beside.removePod(nominated, fixture.nodes().get(0)));
        assertEquals(List.of("fits", "fits", "fits"), fixture.verdicts(beside));
    }

    @Test
    void changesAreFollowedForGroupsToo() {
        PodFilter filter = predicate.start(fixture.context(fixture.pod("p", "", term("podAffinity", ""))));
        assertEquals(List.of(AFFINITY, AFFINITY, AFFINITY), fixture.verdicts(filter));
        PodFilter copy = filter.copy();
        PodInfo friend = fixture.pod("q", "app: 'web'", "");
        assertEquals(null, copy.addPod(friend, fixture.nodes().get(1)));
        assertEquals(List.of(AFFINITY, "fits", AFFINITY), fixture.verdicts(copy));
        assertEquals(List.of(AFFINITY, AFFINITY, AFFINITY), fixture.verdicts(filter));
        assertEquals(null, copy.removePod(friend, fixture.nodes().get(1)));
        assertEquals(List.of(AFFINITY, AFFINITY, AFFINITY), fixture.verdicts(copy));
    }

    /** The pod has no affinity, but an existing pod's anti-affinity rejects it, so it is evaluated. */
    @Test
    void aNominatedPodMayMeanNamespacesByTheirLabels() {
        fixture.placed("a", "", "n1", term("podAntiAffinity", ""));
        PodFilter filter = predicate.start(fixture.context(fixture.pod("p", "app: 'web'", "")));
        assertEquals(List.of(EXISTING, "fits", "fits"), fixture.verdicts(filter));
        PodFilter copy = filter.copy();
        assertEquals(
                null,
                copy.removePod(fixture.nodes().get(0).pod(0), fixture.nodes().get(0)));
        assertEquals(List.of("fits", "fits", "fits"), fixture.verdicts(copy));
        PodInfo foreign = (PodInfo) fixture.read(
                "Pod",
                "{metadata: {namespace: 'other', name: 'q', uid: 'q'}, spec: {" + term("podAntiAffinity", ofTeam("red"))
                        + "}}");
        assertEquals(null, copy.addPod(foreign, fixture.nodes().get(1)));
        assertEquals(List.of("fits", EXISTING, "fits"), fixture.verdicts(copy));
        assertEquals(List.of("fits", EXISTING, "fits"), fixture.verdicts(copy.copy()));
        assertEquals(List.of(EXISTING, "fits", "fits"), fixture.verdicts(filter));
    }

    /** v1.17 counts an added pod for every term as soon as it matches one. */
    @Test
    void podsAreCountedByTheTermsThatTheyMatch() {
        PodInfo pod = fixture.pod(
                "p",
                "",
                "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: ["
                        + "{topologyKey: 'zone', labelSelector: {matchLabels: {app: 'db'}}},"
                        + "{topologyKey: 'rack', labelSelector: {matchLabels: {app: 'web'}}}]}}");
        PodFilter filter = predicate.start(fixture.context(pod)).copy();
        PodInfo web = fixture.pod("q", "app: 'web'", "").withNodeName("n1");
        assertEquals(null, filter.addPod(web, fixture.nodes().get(0)));
        assertEquals(List.of("fits", "fits", "fits"), fixture.verdicts(filter));
    }
}
