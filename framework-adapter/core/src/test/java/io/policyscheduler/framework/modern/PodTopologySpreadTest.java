package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PodTopologySpreadTest {
    private static final String SKEWED = "U node(s) didn't match pod topology spread constraints";
    private static final String NO_LABEL =
            "UU node(s) didn't match pod topology spread constraints (missing required label)";

    private final PluginFixture fixture = new PluginFixture();

    private PodTopologySpread plugin(String args) {
        return fixture.plugin(PodTopologySpread::new, args);
    }

    /** Zones a, a, b and none. */
    private void zones() {
        fixture.node("n1", "{zone: 'a'}")
                .node("n2", "{zone: 'a'}")
                .node("n3", "{zone: 'b'}")
                .node("n4", "{}");
    }

    private PodInfo spread(String constraint) {
        return fixture.pod("p", "{app: 'w', v: '1'}", "{topologySpreadConstraints: [" + constraint + "]}");
    }

    private static String hard(String more) {
        return "{maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {matchLabels:"
                + " {app: 'w'}}"
                + more + "}";
    }

    @Test
    void hardConstraints() {
        PodTopologySpread plugin = plugin("{}");
        zones();
        assertEquals(List.of("ok", "ok", "ok", NO_LABEL), fixture.filter(plugin, spread(hard(""))));
        fixture.placed("a", "{app: 'w'}", "n1", "{}");
        assertEquals(List.of(SKEWED, SKEWED, "ok", NO_LABEL), fixture.filter(plugin, spread(hard(""))));
        assertEquals(List.of("skip"), fixture.filter(plugin, fixture.pod("p", "{}", "{}")));
        // With three required domains, the emptiest counts as empty.
        fixture.placed("b", "{app: 'w'}", "n3", "{}");
        assertEquals(List.of("ok", "ok", "ok", NO_LABEL), fixture.filter(plugin, spread(hard(""))));
        assertEquals(
                List.of(SKEWED, SKEWED, SKEWED, NO_LABEL), fixture.filter(plugin, spread(hard(", minDomains: 3"))));
    }

    @Test
    void whichPodsCount() {
        PodTopologySpread plugin = plugin("{}");
        zones();
        fixture.add(
                        "Pod",
                        "{metadata: {namespace: 'other', name: 'x', uid: 'x', labels: {app: 'w'}}, spec: {nodeName:"
                                + " 'n1'}}")
                .add(
                        "Pod",
                        "{metadata: {namespace: 'default', name: 'y', uid: 'y', labels: {app: 'w'},"
                                + "deletionTimestamp: '2020-01-01T00:00:00Z'}, spec: {nodeName: 'n1'}}")
                .placed("a", "{app: 'w', v: '2'}", "n1", "{}");
        assertEquals(List.of(SKEWED, SKEWED, "ok", NO_LABEL), fixture.filter(plugin, spread(hard(""))));
        assertEquals(
                List.of("ok", "ok", "ok", NO_LABEL),
                fixture.filter(plugin, spread(hard(", matchLabelKeys: ['v', 'none']"))));
        // An empty selector counts no pod but the incoming one; no selector not even that.
        String base = "{maxSkew: %d, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule'%s}";
        assertEquals(
                List.of(SKEWED, SKEWED, SKEWED, NO_LABEL),
                fixture.filter(plugin, spread(base.formatted(0, ", labelSelector: {}"))));
        assertEquals(List.of("ok", "ok", "ok", NO_LABEL), fixture.filter(plugin, spread(base.formatted(0, ""))));
    }

    @Test
    void policies() {
        PodTopologySpread plugin = plugin("{}");
        fixture.node("n1", "{zone: 'a'}")
                .node("n2", "{zone: 'b'}", "{}", "{taints: [{key: 't', effect: 'NoSchedule'}]}")
                .placed("a", "{app: 'w'}", "n1", "{}");
        assertEquals(List.of(SKEWED, "ok"), fixture.filter(plugin, spread(hard(""))));
        assertEquals(List.of("ok", "ok"), fixture.filter(plugin, spread(hard(", nodeTaintsPolicy: 'Honor'"))));
        String selecting = "{nodeSelector: {zone: 'a'}, topologySpreadConstraints: [%s]}";
        assertEquals(
                List.of("ok", "ok"),
                fixture.filter(plugin, fixture.pod("p", "{app: 'w'}", selecting.formatted(hard("")))));
        assertEquals(
                List.of(SKEWED, "ok"),
                fixture.filter(
                        plugin,
                        fixture.pod("p", "{app: 'w'}", selecting.formatted(hard(", nodeAffinityPolicy: 'Ignore'")))));
    }

    @Test
    void podsThatComeAndGo() {
        PodTopologySpread plugin = plugin("{}");
        zones();
        fixture.placed("a", "{app: 'w'}", "n1", "{}");
        PodInfo pod = spread(hard(""));
        assertEquals(List.of(SKEWED, SKEWED, "ok", NO_LABEL), fixture.filter(plugin, pod));
        NodeInfo n1 = fixture.nodes().get(0);
        NodeInfo n3 = fixture.nodes().get(2);
        CycleState copy = fixture.state.copy();
        assertNull(plugin.addPod(fixture.state, pod, fixture.pod("b", "{app: 'w'}", "{}"), n3));
        assertEquals(List.of("ok", "ok", "ok", NO_LABEL), fixture.filterOnly(plugin, pod));
        assertNull(plugin.removePod(fixture.state, pod, fixture.pod("a", "{app: 'w'}", "{}"), n1));
        assertEquals(List.of("ok", "ok", SKEWED, NO_LABEL), fixture.filterOnly(plugin, pod));
        fixture.state = copy;
        assertEquals(List.of(SKEWED, SKEWED, "ok", NO_LABEL), fixture.filterOnly(plugin, pod));
    }

    @Test
    void defaultsOfTheSystem() {
        PodTopologySpread plugin = plugin("{}");
        fixture.node("n1", labels("n1", "a"))
                .node("n2", labels("n2", "a"))
                .node("n3", labels("n3", "b"))
                .node("n4", labels("n4", "b"));
        PodInfo pod = fixture.pod("p", "{app: 'w'}", "{}");
        assertEquals("skip", fixture.scores(plugin, pod));
        fixture.add("Service", "{metadata: {namespace: 'default', name: 's'}, spec: {selector: {app: 'w'}}}");
        assertEquals("[100, 100, 100, 100]", fixture.scores(plugin, pod));
        fixture.placed("a", "{app: 'w'}", "n2", "{}")
                .placed("b", "{app: 'w'}", "n3", "{}")
                .placed("c", "{app: 'w'}", "n3", "{}");
        assertEquals("[100, 83, 58, 83]", fixture.scores(plugin, pod));
        assertEquals("skip", fixture.scores(plugin(" {defaultingType: 'List', defaultConstraints: []}"), pod));
    }

    private static String labels(String host, String zone) {
        return "{'kubernetes.io/hostname': '" + host + "', 'topology.kubernetes.io/zone': '" + zone + "'}";
    }

    private PodInfo ownedBy(String apiVersion) {
        return (PodInfo) fixture.read(
                "Pod",
                "{metadata: {namespace: 'default', name: 'p', uid: 'p', labels: {app: 'w'}, ownerReferences: [{apiVersion: '"
                        + apiVersion + "', kind: 'ReplicaSet', name: 'r', uid: 'r', controller: true}]}}");
    }

    @Test
    void theOwnerSaysWhichPodsBelongTogether() {
        PodTopologySpread plugin = plugin("{}");
        fixture.node("n1", labels("n1", "a"))
                .node("n2", labels("n2", "b"))
                .add(
                        "ReplicaSet",
                        "{metadata: {namespace: 'default', name: 'r'}, spec: {selector: {matchLabels: {app: 'w'}}}}")
                .placed("a", "{app: 'w'}", "n1", "{}");
        assertEquals("[66, 100]", fixture.scores(plugin, ownedBy("apps/v1")));
        assertEquals("skip", fixture.scores(plugin, ownedBy("extensions/v1beta1")));
        assertEquals("skip", fixture.scores(plugin, ownedBy("")));
        // A selector alone, without being the owner, does not count.
        assertEquals("skip", fixture.scores(plugin, fixture.pod("p", "{app: 'w'}", "{}")));
    }

    @Test
    void nodesThatLackAKeyAreWorstUnderOwnConstraints() {
        PodTopologySpread plugin = plugin("{}");
        zones();
        fixture.placed("a", "{app: 'w'}", "n1", "{}");
        String soft =
                "{maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {matchLabels:"
                        + " {app: 'w'}}}";
        assertEquals("[0, 0, 100, 0]", fixture.scores(plugin, spread(soft)));
        assertEquals("skip", fixture.scores(plugin, spread(hard(""))));
    }

    @Test
    void anInvalidSelectorIsAnError() {
        PodTopologySpread plugin = plugin("{}");
        zones();
        PodInfo pod = spread("{maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector:"
                + "{matchExpressions: [{key: 'a', operator: 'Nope'}]}}");
        assertEquals(
                "obtaining pod's hard topology spread constraints: \"Nope\" is not a valid pod selector operator",
                assertThrows(PluginException.class, () -> fixture.preFilter(plugin, pod))
                        .getMessage());
    }
}
