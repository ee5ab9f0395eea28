package io.policyscheduler.framework.insight.migrate;

import static io.policyscheduler.framework.config.ConfigVersion.V1;
import static io.policyscheduler.framework.config.ConfigVersion.V1BETA1;
import static io.policyscheduler.framework.insight.migrate.Migrations.findings;
import static io.policyscheduler.framework.insight.migrate.Migrations.migrate;
import static io.policyscheduler.framework.insight.migrate.Migrations.policy;
import static io.policyscheduler.framework.insight.migrate.Migrations.target;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.rules.RuleDefinition.OnError;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration.ExtenderPolicy;
import io.policyscheduler.framework.insight.migrate.Migrator.Options;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExtenderAlgorithmsTest {
    private static final Options KEEP =
            new Options("default-scheduler", false, true, "http://10.0.0.1:9000/x", "dir/kept.json");
    private static final String AFFINITY =
            "{\"name\":\"SameRegion\",\"argument\":{\"serviceAffinity\":{\"labels\":[\"region\"]}}}";
    private static final String AVOID = "{\"name\":\"NodePreferAvoidPodsPriority\",\"weight\":10000}";
    private static final String RULES = "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":["
            + "{\"name\":\"Small\",\"argument\":{\"rule\":{\"use\":\"few-pods\",\"params\":{\"max\":10},"
            + "\"reason\":\"too many\",\"onError\":\"ignore\"}}}],"
            + "\"priorities\":[{\"name\":\"Empty\",\"weight\":3,\"argument\":{\"rule\":{"
            + "\"expression\":\"100 - node.pods.size\",\"normalize\":\"max\"}}},"
            + "{\"name\":\"LeastRequestedPriority\",\"weight\":1}],"
            + "\"rules\":[{\"name\":\"few-pods\",\"expression\":\"node.pods.size < params.max\","
            + "\"params\":{\"max\":5}},"
            + "{\"name\":\"unused\",\"expression\":\"true\"}]}";

    private static EffectivePolicy resolve(ExtenderPolicy kept) throws PolicyException {
        return Migrations.resolver(FeatureGates.defaults(), false)
                .resolve(new PolicyReader().read(kept.text(), kept.file()));
    }

    @Test
    void lostAlgorithmsAreOnlyKeptOnRequest() {
        Migration lost = migrate(policy(AFFINITY, AVOID), target(V1));
        assertTrue(lost.retained().isEmpty());
        assertFalse(lost.configuration().contains("extenders:"));
        assertEquals(
                List.of("M001 ERROR IMPOSSIBLE SameRegion", "M002 WARN IMPOSSIBLE NodePreferAvoidPodsPriority"),
                findings(lost).subList(0, 2));
        assertTrue(
                lost.findings()
                        .get(0)
                        .wayOut()
                        .contains("{urlPrefix: http://127.0.0.1:8888, filterVerb: filter, nodeCacheCapable: true}"),
                lost.findings().get(0).wayOut());
    }

    @Test
    void avoidedPodsGetAnExtenderOfTheirOwn() throws PolicyException {
        Migration kept = migrate(policy(AFFINITY, AVOID), target(V1), KEEP);
        assertFalse(kept.loses());
        assertEquals(
                List.of(
                        "policy-scheduler extender --policy dir/kept.json --port 9000",
                        "policy-scheduler extender --policy dir/kept-avoid-pods.json --port 9001"),
                kept.retained().stream().map(ExtenderPolicy::command).toList());
        assertEquals(
                List.of(
                        "{urlPrefix: http://10.0.0.1:9000/x, filterVerb: filter, nodeCacheCapable: true}",
                        "{urlPrefix: http://10.0.0.1:9001/x, prioritizeVerb: prioritize, weight: 10000,"
                                + " nodeCacheCapable: true}"),
                kept.retained().stream().map(ExtenderPolicy::entry).toList());
        EffectivePolicy first = resolve(kept.retained().get(0));
        assertEquals(
                Set.of("CheckNodeUnschedulable", "CheckServiceAffinity", "PodToleratesNodeTaints"),
                first.predicates().keySet());
        assertEquals(List.of("region"), first.arguments().affinityLabels());
        assertEquals(Map.of(), first.priorities());
        EffectivePolicy second = resolve(kept.retained().get(1));
        assertEquals(Map.of("NodePreferAvoidPodsPriority", 10_000L), second.priorities());
        assertEquals(
                2,
                Migrations.read(kept.configuration(), Release.NEWEST)
                        .extenders()
                        .size());
    }

    @Test
    void aSingleExtenderListensWhereItWasTold() {
        Migration kept = migrate(policy("", AVOID), target(V1), KEEP);
        assertEquals(
                List.of("http://10.0.0.1:9000/x"),
                kept.retained().stream().map(ExtenderPolicy::urlPrefix).toList());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rulesAlwaysRunBehindAnExtender(boolean keep) throws PolicyException {
        Migration migration = migrate(RULES, target(V1), keep ? KEEP : Options.DEFAULTS);
        ExtenderPolicy kept = migration.retained().get(0);
        assertEquals(List.of("Small", "Empty"), kept.items());
        assertTrue(kept.entry().contains("filterVerb: filter, prioritizeVerb: prioritize, weight: 3"), kept.entry());
        EffectivePolicy policy = resolve(kept);
        assertEquals(
                OnError.IGNORE,
                Objects.requireNonNull(policy.rules().predicates().get("Small")).onError());
        assertEquals(Map.of("Empty", 3L), policy.priorities());
        assertFalse(kept.text().contains("unused"));
        assertEquals(
                List.of("M005 WARN APPROXIMATED Small", "M005 WARN APPROXIMATED Empty"),
                findings(migration).subList(0, 2));
        assertEquals("{NodeResourcesFit=1}", Migrations.scores(migration));
    }

    @Test
    void algorithmsOfOthersAreKeptByName() {
        String policy = policy("{\"name\":\"OwnPredicate\"}", "{\"name\":\"OwnPriority\",\"weight\":2}");
        assertEquals(
                List.of("M006 ERROR IMPOSSIBLE OwnPredicate", "M006 ERROR IMPOSSIBLE OwnPriority"),
                findings(migrate(policy, target(V1))).subList(0, 2));
        Migration kept = migrate(policy, target(V1), KEEP);
        assertEquals(
                List.of("OwnPredicate", "OwnPriority"), kept.retained().get(0).items());
        assertFalse(kept.loses());
    }

    @Test
    void nothingIsLostWhereThePluginsAreStillThere() {
        Migration migration = migrate(policy(AFFINITY, AVOID), target(V1BETA1), KEEP);
        assertTrue(migration.retained().isEmpty());
        assertEquals(
                "NodeUnschedulable TaintToleration ServiceAffinity PodTopologySpread", Migrations.filters(migration));
        assertEquals("{NodePreferAvoidPods=10000}", Migrations.scores(migration));
        assertEquals("{\"affinityLabels\":[\"region\"]}", Migrations.arguments(migration, "ServiceAffinity"));
    }
}
