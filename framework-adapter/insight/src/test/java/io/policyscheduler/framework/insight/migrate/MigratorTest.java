package io.policyscheduler.framework.insight.migrate;

import static io.policyscheduler.framework.config.ConfigVersion.V1;
import static io.policyscheduler.framework.config.ConfigVersion.V1BETA1;
import static io.policyscheduler.framework.config.ConfigVersion.V1BETA2;
import static io.policyscheduler.framework.config.ConfigVersion.V1BETA3;
import static io.policyscheduler.framework.insight.migrate.Migrations.arguments;
import static io.policyscheduler.framework.insight.migrate.Migrations.filters;
import static io.policyscheduler.framework.insight.migrate.Migrations.findings;
import static io.policyscheduler.framework.insight.migrate.Migrations.migrate;
import static io.policyscheduler.framework.insight.migrate.Migrations.policy;
import static io.policyscheduler.framework.insight.migrate.Migrations.scores;
import static io.policyscheduler.framework.insight.migrate.Migrations.target;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration.Layout;
import io.policyscheduler.framework.insight.migrate.Migrator.Options;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MigratorTest {
    private static final String FIT = "{\"name\":\"PodFitsResources\"}";
    private static final String LEAST = "{\"name\":\"LeastRequestedPriority\",\"weight\":%d}";
    private static final String MOST = "{\"name\":\"MostRequestedPriority\",\"weight\":%d}";
    private static final String RATIO =
            "{\"name\":\"Ratio\",\"weight\":%d,\"argument\":{\"requestedToCapacityRatioArguments\":"
                    + "{\"shape\":[{\"utilization\":0,\"score\":10},{\"utilization\":100,\"score\":0}],\"resources\":[%s]}}}";

    @Test
    void emptyListsLeaveTheMandatoryFiltersAndNoScores() {
        Migration migration = migrate(policy("", ""), target(V1));
        assertEquals(
                "NodeUnschedulable TaintToleration PodTopologySpread DynamicResources NodeDeclaredFeatures",
                filters(migration));
        assertEquals("{}", scores(migration));
        assertEquals(
                List.of("SchedulingGates", "DynamicResources", "DefaultPreemption"),
                Migrations.plugins(migration).at(ExtensionPoint.PRE_ENQUEUE));
        assertEquals(
                List.of(
                        "M041 WARN APPROXIMATED",
                        "M025 INFO EXACT CheckNodeUnschedulable",
                        "M025 INFO EXACT PodToleratesNodeTaints",
                        "M046 INFO EXACT",
                        "M043 INFO EXACT",
                        "M044 INFO EXACT",
                        "M040 INFO EXACT"),
                findings(migration));
        assertFalse(migration.loses());
    }

    @ParameterizedTest
    @EnumSource(
            value = ConfigVersion.class,
            names = {"V1", "V1BETA3", "V1BETA2", "V1BETA1"})
    void tellsWhereTheKubeconfigGoes(ConfigVersion version) {
        String flags = migrate(policy(FIT, ""), target(version)).findings().stream()
                .filter(finding -> finding.code() == FindingCode.M060)
                .map(Finding::wayOut)
                .findFirst()
                .orElseThrow();
        assertTrue(
                flags.contains(
                        "Add clientConnection: {kubeconfig: FILE} to the configuration to replace --kubeconfig."),
                flags);
    }

    @ParameterizedTest
    @CsvSource({
        "1,3,'{NodeResourcesFit=2}',MostAllocated,M004 WARN APPROXIMATED",
        "5,1,'{NodeResourcesFit=4}',LeastAllocated,M004 WARN APPROXIMATED",
        "2,2,'{}',,M004 WARN APPROXIMATED",
    })
    void leastAndMostShareOneStrategy(int least, int most, String scores, String type, String finding) {
        String priorities = LEAST.formatted(least) + "," + MOST.formatted(most);
        Migration migration = migrate(policy(FIT, priorities), target(V1));
        assertEquals(scores, scores(migration));
        assertEquals(
                finding + " LeastRequestedPriority, MostRequestedPriority",
                findings(migration).get(0));
        if (type != null) {
            assertTrue(arguments(migration, "NodeResourcesFit").contains(type));
        }
        assertEquals(
                "{NodeResourcesLeastAllocated=" + least + ", NodeResourcesMostAllocated=" + most + "}",
                scores(migrate(policy(FIT, priorities), target(V1BETA1))));
    }

    @Test
    void theHeaviestStrategyStays() {
        String cpu = "{\"name\":\"cpu\",\"weight\":1}";
        Migration migration = migrate(policy(FIT, LEAST.formatted(2) + "," + RATIO.formatted(3, cpu)), target(V1));
        assertEquals("{NodeResourcesFit=3}", scores(migration));
        assertEquals(
                "M004 ERROR IMPOSSIBLE LeastRequestedPriority",
                findings(migration).get(0));
        assertTrue(migration.loses());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"name\":\"cpu\",\"weight\":200},{\"name\":\"memory\",\"weight\":100}"
                        + "|cpu 100 memory 50|M007 INFO EXACT Ratio",
                "{\"name\":\"cpu\",\"weight\":300},{\"name\":\"memory\",\"weight\":1}"
                        + "|cpu 100 memory 1|M007 WARN APPROXIMATED Ratio",
                "{\"name\":\"cpu\",\"weight\":-2}|cpu 1|M007 ERROR IMPOSSIBLE Ratio",
            })
    void weightsOfResourcesAreBroughtIntoRange(String resources, String written, String finding) {
        Migration migration = migrate(policy(FIT, RATIO.formatted(1, resources)), target(V1));
        String arguments = arguments(migration, "NodeResourcesFit");
        String[] pairs = written.split(" ", -1);
        for (int i = 0; i < pairs.length; i += 2) {
            String resource = "{\"name\":\"" + pairs[i] + "\",\"weight\":" + pairs[i + 1] + "}";
            assertTrue(arguments.contains(resource), arguments);
        }
        assertTrue(
                findings(migration).contains(finding), () -> findings(migration).toString());
    }

    @ParameterizedTest
    @CsvSource({"0", "3000000000"})
    void weightsBeyond32BitsAreCutAndReported(long more) {
        String priorities = "{\"name\":\"SelectorSpreadPriority\",\"weight\":2147483647},"
                + "{\"name\":\"ServiceSpreadingPriority\",\"weight\":" + (1 + more) + "}";
        Migration migration = migrate(policy(FIT, priorities), target(V1));
        assertEquals("{PodTopologySpread=2147483647}", scores(migration));
        assertEquals(
                "M007 ERROR IMPOSSIBLE SelectorSpreadPriority, ServiceSpreadingPriority",
                findings(migration).get(0));
    }

    @Test
    void nodeAffinityTakesLabelPreferences() {
        String priorities = "{\"name\":\"NodeAffinityPriority\",\"weight\":2},"
                + "{\"name\":\"Ssd\",\"weight\":3,\"argument\":{\"labelPreference\":{\"label\":\"ssd\",\"presence\":true}}},"
                + "{\"name\":\"NotOld\",\"weight\":3,\"argument\":{\"labelPreference\":{\"label\":\"old\",\"presence\":false}}}";
        Migration migration = migrate(policy(FIT, priorities), target(V1));
        assertEquals("{NodeAffinity=8}", scores(migration));
        assertEquals(
                "{\"addedAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":["
                        + "{\"weight\":100,\"preference\":{\"matchExpressions\":"
                        + "[{\"key\":\"ssd\",\"operator\":\"Exists\"}]}},"
                        + "{\"weight\":100,\"preference\":{\"matchExpressions\":"
                        + "[{\"key\":\"old\",\"operator\":\"DoesNotExist\"}]}}]}}",
                arguments(migration, "NodeAffinity"));
        assertFalse(filters(migration).contains("NodeAffinity"));
        assertEquals(
                List.of("M011 WARN APPROXIMATED Ssd, NotOld", "M015 WARN APPROXIMATED Ssd, NotOld"),
                findings(migration).subList(0, 2));
        assertTrue(migration.configuration().contains("{key: old, operator: DoesNotExist}  # NotOld p.json:3"));
    }

    @Test
    void labelPreferencesOfDifferentWeightsKeepTheirProportion() {
        String preference =
                "{\"name\":\"%s\",\"weight\":%d,\"argument\":{\"labelPreference\":{\"label\":\"%s\",\"presence\":%s}}}";
        String priorities =
                preference.formatted("Ssd", 4, "ssd", true) + "," + preference.formatted("NotOld", 2, "old", false);
        String terms = "{\"addedAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":["
                + "{\"weight\":%d,\"preference\":{\"matchExpressions\":[{\"key\":\"ssd\",\"operator\":\"Exists\"}]}},"
                + "{\"weight\":%d,\"preference\":{\"matchExpressions\":[{\"key\":\"old\",\"operator\":\"DoesNotExist\"}]}}]}}";
        Migration alone = migrate(policy(FIT, priorities), target(V1));
        assertEquals(terms.formatted(2, 1), arguments(alone, "NodeAffinity"));
        assertEquals("{NodeAffinity=6}", scores(alone));
        Migration beside =
                migrate(policy(FIT, "{\"name\":\"NodeAffinityPriority\",\"weight\":2}," + priorities), target(V1));
        assertEquals(terms.formatted(100, 50), arguments(beside, "NodeAffinity"));
    }

    @Test
    void namesOfOtherReleasesMigrateToWhatTheyMean() {
        Migration migration = migrate(
                policy(
                        "{\"name\":\"CheckNodeCondition\"},{\"name\":\"NoVolumeNodeConflict\"},{\"name\":\"EvenPodsSpread\"}",
                        ""),
                target(V1));
        assertEquals(
                "NodeUnschedulable TaintToleration VolumeBinding PodTopologySpread DynamicResources"
                        + " NodeDeclaredFeatures",
                filters(migration));
        for (String remark : List.of(
                "- name: NodeUnschedulable             # CheckNodeCondition p.json:2",
                "- name: TaintToleration               # CheckNodeCondition p.json:2",
                "- name: VolumeBinding                 # NoVolumeNodeConflict p.json:2",
                "- name: PodTopologySpread             # EvenPodsSpread p.json:2")) {
            assertTrue(migration.configuration().contains(remark), () -> remark + "\n" + migration.configuration());
        }
    }

    @Test
    void labelsThatNoNodeCanHaveAreNotWritten() {
        String possible =
                "{\"name\":\"A\",\"argument\":{\"labelsPresence\":{\"labels\":[\"a b\",\"ok\"],\"presence\":true}}}";
        String impossible = "{\"name\":\"B\",\"argument\":{\"labelsPresence\":{\"labels\":[\"\"],\"presence\":false}}}";
        Migration migration = migrate(policy(possible + "," + impossible, ""), target(V1));
        assertEquals(
                "{\"addedAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":["
                        + "{\"matchExpressions\":[{\"key\":\"ok\",\"operator\":\"Exists\"}]}]}}}",
                arguments(migration, "NodeAffinity"));
        assertEquals("M007 ERROR IMPOSSIBLE A, B", findings(migration).get(0));
        assertTrue(findings(migration).contains("M009 INFO EXACT A, B"));
        assertTrue(findings(migration).contains("M010 WARN APPROXIMATED A, B"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Selector|{PodTopologySpread=1}|\"defaultingType\":\"System\"",
                "Selector Service|{PodTopologySpread=3}|\"defaultingType\":\"System\"",
                "Even|{PodTopologySpread=4}|{\"defaultingType\":\"List\",\"defaultConstraints\":[]}",
                "Selector Even|{PodTopologySpread=5}|\"defaultingType\":\"System\"",
                "Anti|{PodTopologySpread=8}|"
                        + "[{\"maxSkew\":1,\"topologyKey\":\"rack\",\"whenUnsatisfiable\":\"ScheduleAnyway\"}]",
                "Selector Anti|{PodTopologySpread=9}|\"maxSkew\":5,\"topologyKey\":\"topology.kubernetes.io/zone\"",
            })
    void spreadingSharesOnePlugin(String parts, String scores, String arguments) {
        String priorities = String.join(
                ",",
                List.of(parts.split(" ", -1)).stream()
                        .map(part -> switch (part) {
                            case "Selector" -> "{\"name\":\"SelectorSpreadPriority\",\"weight\":1}";
                            case "Service" -> "{\"name\":\"ServiceSpreadingPriority\",\"weight\":2}";
                            case "Even" -> "{\"name\":\"EvenPodsSpreadPriority\",\"weight\":4}";
                            default ->
                                "{\"name\":\"R\",\"weight\":8,\"argument\":{\"serviceAntiAffinity\":{\"label\":\"rack\"}}}";
                        })
                        .toList());
        FeatureGates gates = FeatureGates.parse("EvenPodsSpread=true");
        Migration migration = migrate(policy(FIT, priorities), target(V1), Options.DEFAULTS, gates);
        assertEquals(scores, scores(migration));
        String written = arguments(migration, "PodTopologySpread");
        assertTrue(written.contains(arguments), written);
        assertEquals(parts.contains(" "), findings(migration).stream().anyMatch(finding -> finding.startsWith("M015")));
    }

    @ParameterizedTest
    @CsvSource({"V1,34,NodeVolumeLimits", "V1,31,NodeVolumeLimits", "V1BETA3,24,EBSLimits", "V1BETA1,21,EBSLimits"})
    void inTreeVolumesAreFoldedWhereTheirPluginIsGone(ConfigVersion version, int minor, String plugin) {
        Migration migration = migrate(policy("{\"name\":\"MaxEBSVolumeCount\"}", ""), target(version, minor));
        assertEquals(
                "NodeUnschedulable TaintToleration " + plugin + " PodTopologySpread"
                        + (minor == 34 ? " DynamicResources" : ""),
                filters(migration));
    }

    @Test
    void resourcesOfExtendersNeedArgumentsOfAPluginThatIsNotUsed() {
        String policy = "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[],\"priorities\":[],\"extenders\":["
                + "{\"urlPrefix\":\"http://x\",\"filterVerb\":\"f\",\"httpTimeout\":1500000000,"
                + "\"managedResources\":[{\"name\":\"a.com/b\",\"ignoredByScheduler\":true}]}]}";
        Migration migration = migrate(policy, target(V1));
        assertTrue(migration.configuration().contains("httpTimeout: \"1.5s\""), migration.configuration());
        assertTrue(arguments(migration, "NodeResourcesFit").contains("\"ignoredResources\":[\"a.com/b\"]"));
        assertTrue(findings(migration).contains("M051 WARN APPROXIMATED extender http://x"));
        assertTrue(findings(migration).contains("M052 INFO EXACT"));
    }

    @ParameterizedTest
    @CsvSource({
        "7,true,WARN APPROXIMATED,7",
        "7,false,INFO EXACT,",
        "0,true,,1",
    })
    void hardWeightGoesToInterPodAffinity(int weight, boolean scored, String finding, String written) {
        String priorities = scored ? "[{\"name\":\"InterPodAffinityPriority\",\"weight\":1}]" : "[]";
        Migration migration = migrate(
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"priorities\":" + priorities
                        + ",\"predicates\":[],\"hardPodAffinitySymmetricWeight\":" + weight + "}",
                target(V1));
        assertEquals(
                finding == null ? List.of() : List.of("M030 " + finding + " hardPodAffinitySymmetricWeight"),
                findings(migration).stream()
                        .filter(line -> line.startsWith("M030"))
                        .toList());
        String arguments = arguments(migration, "InterPodAffinity");
        assertTrue(
                written == null ? arguments.isEmpty() : arguments.contains("\"hardPodAffinityWeight\":" + written),
                arguments);
    }

    @ParameterizedTest
    @EnumSource(
            value = ConfigVersion.class,
            names = {"V1", "V1BETA3", "V1BETA2", "V1BETA1"})
    void isTheSameEachTime(ConfigVersion version) {
        String policy = Migrations.resource("most-requested.json");
        Migration first = migrate(policy, target(version));
        Migration second = migrate(policy, target(version));
        assertEquals(first.configuration(), second.configuration());
        assertEquals(first.findings(), second.findings());
    }

    @Test
    void choosesTheShortestLayout() {
        String volumes = policy(FIT + ",{\"name\":\"CheckVolumeBinding\"}", "");
        assertEquals(Layout.MULTI_POINT, migrate(policy(FIT, ""), target(V1)).layout());
        assertEquals(
                Layout.MULTI_POINT, migrate(policy(FIT, ""), target(V1BETA3)).layout());
        assertEquals(Layout.POINTS, migrate(policy(FIT, ""), target(V1BETA2)).layout());
        assertEquals(Layout.POINTS, migrate(volumes, target(V1)).layout());
        assertTrue(migrate(volumes, target(V1, 30)).configuration().contains("- name: DynamicResources  "));
        assertEquals(
                Layout.DEFAULTS,
                Migrations.migrateProvider("DefaultProvider", target(V1BETA2), Options.DEFAULTS)
                        .layout());
    }
}
