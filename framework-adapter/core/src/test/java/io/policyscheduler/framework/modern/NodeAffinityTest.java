package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeAffinityTest {
    private static final String MISMATCH = "UU node(s) didn't match Pod's node affinity/selector";

    private final PluginFixture fixture = new PluginFixture();

    private PodInfo requiring(String terms) {
        return fixture.pod(
                "p",
                "{}",
                "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                        + terms + "}}}}");
    }

    private NodeAffinity plugin(String args) {
        fixture.node("n1", "{disk: 'ssd', gen: '7'}")
                .node("n2", "{disk: 'hdd', gen: 'x'}")
                .node("n3", "{}");
        return fixture.plugin(NodeAffinity::new, args);
    }

    @Test
    void selectorsAndTerms() {
        NodeAffinity plugin = plugin("{}");
        assertEquals(List.of("skip"), fixture.filter(plugin, fixture.pod("p", "{}", "{}")));
        assertEquals(
                List.of("ok", MISMATCH, MISMATCH),
                fixture.filter(plugin, fixture.pod("p", "{}", "{nodeSelector: {disk: 'ssd'}}")));
        assertEquals(
                List.of("ok", MISMATCH, MISMATCH),
                fixture.filter(
                        plugin, requiring("[{matchExpressions: [{key: 'gen', operator: 'Gt', values: ['6']}]}]")));
        assertEquals(
                List.of("ok", MISMATCH, "ok"),
                fixture.filter(
                        plugin,
                        requiring("[{matchExpressions: [{key: 'disk', operator: 'NotIn', values: ['hdd']}]}]")));
        // ORed; an empty term and one that cannot be parsed match nothing.
        assertEquals(
                List.of(MISMATCH, "ok", MISMATCH),
                fixture.filter(
                        plugin,
                        requiring("[{}, {matchExpressions: [{key: 'gen', operator: 'Gt', values: ['a']}]},"
                                + "{matchExpressions: [{key: 'disk', operator: 'In', values: ['hdd']}]}]")));
        assertEquals(List.of(MISMATCH, MISMATCH, MISMATCH), fixture.filter(plugin, requiring("[]")));
    }

    @Test
    void termsThatNameNodesNarrowTheSearch() {
        NodeAffinity plugin = plugin("{}");
        String named = "{matchFields: [{key: 'metadata.name', operator: 'In', values: ['%s']}]}";
        assertEquals("ok [n2]", fixture.preFilter(plugin, requiring("[" + named.formatted("n2") + "]")));
        assertEquals(
                "ok [n2, n3]",
                fixture.preFilter(plugin, requiring("[" + named.formatted("n2") + "," + named.formatted("n3") + "]")));
        assertEquals("ok", fixture.preFilter(plugin, requiring("[" + named.formatted("n2") + ", {}]")));
        assertEquals(
                "ok",
                fixture.preFilter(
                        plugin,
                        requiring("[{matchFields: [{key: 'metadata.name', operator: 'NotIn', values: ['n1']}]}]")));
        assertEquals(
                "UU pod affinity terms conflict",
                fixture.preFilter(
                        plugin,
                        requiring("[{matchFields: [{key: 'metadata.name', operator: 'In', values: ['n1']},"
                                + "{key: 'metadata.name', operator: 'In', values: ['n2']}]}]")));
    }

    @Test
    void affinityThatTheProfileAdds() {
        NodeAffinity plugin =
                plugin("{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
                        + "{matchExpressions: [{key: 'disk', operator: 'Exists'}]}]}}}");
        String enforced = "UU node(s) didn't match scheduler-enforced node affinity";
        assertEquals(List.of("ok", "ok", enforced), fixture.filter(plugin, fixture.pod("p", "{}", "{}")));
        assertEquals(
                List.of("ok", MISMATCH, enforced),
                fixture.filter(plugin, fixture.pod("p", "{}", "{nodeSelector: {disk: 'ssd'}}")));
    }

    @Test
    void filtersWithoutTheStepBefore() {
        NodeAffinity plugin = plugin("{}");
        fixture.newCycle();
        assertEquals(
                List.of("ok", MISMATCH, MISMATCH),
                fixture.filterOnly(plugin, fixture.pod("p", "{}", "{nodeSelector: {disk: 'ssd'}}")));
    }

    @Test
    void preferences() {
        String term = "{weight: %d, preference: {matchExpressions: [{key: 'disk', operator: 'In', values: ['%s']}]}}";
        NodeAffinity plugin = plugin("{}");
        assertEquals("skip", fixture.scores(plugin, fixture.pod("p", "{}", "{}")));
        PodInfo pod = fixture.pod(
                "p",
                "{}",
                "{affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: ["
                        + term.formatted(3, "ssd") + "," + term.formatted(7, "hdd")
                        + ", {weight: 0, preference: {}}, {weight: 9, preference: {}}]}}}");
        assertEquals("[42, 100, 0]", fixture.scores(plugin, pod));
        NodeAffinity adding = fixture.plugin(
                NodeAffinity::new,
                "{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" + term.formatted(4, "ssd")
                        + "]}}");
        assertEquals("[100, 100, 0]", fixture.scores(adding, pod));
        assertEquals("[100, 0, 0]", fixture.scores(adding, fixture.pod("p", "{}", "{}")));
    }
}
