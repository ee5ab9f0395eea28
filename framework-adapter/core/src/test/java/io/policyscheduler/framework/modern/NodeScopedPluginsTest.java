package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Plugins that read one node only. */
class NodeScopedPluginsTest {
    private static final String OK = "ok";

    private final PluginFixture fixture = new PluginFixture();

    @Test
    void cordonedNodes() {
        NodeUnschedulable plugin = fixture.plugin(handle -> new NodeUnschedulable(), "{}");
        fixture.node("n1", "{}").node("n2", "{}", "{}", "{unschedulable: true}");
        fixture.newCycle();
        String cordoned = "UU node(s) were unschedulable";
        assertEquals(List.of(OK, cordoned), fixture.filterOnly(plugin, fixture.pod("p", "{}", "{}")));
        assertEquals(List.of(OK, OK), fixture.filterOnly(plugin, tolerating("{operator: 'Exists'}")));
        assertEquals(
                List.of(OK, OK),
                fixture.filterOnly(
                        plugin,
                        tolerating("{key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect:"
                                + " 'NoSchedule'}")));
        assertEquals(
                List.of(OK, cordoned),
                fixture.filterOnly(
                        plugin,
                        tolerating(
                                "{key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoExecute'}")));
    }

    private PodInfo tolerating(String toleration) {
        return fixture.pod("p", "{}", "{tolerations: [" + toleration + "]}");
    }

    @Test
    void nodeName() {
        NodeName plugin = fixture.plugin(NodeName::new, "{}");
        fixture.node("n1", "{}").node("n2", "{}");
        fixture.newCycle();
        assertEquals(List.of(OK, OK), fixture.filterOnly(plugin, fixture.pod("p", "{}", "{}")));
        assertEquals(
                List.of("UU node(s) didn't match the requested node name", OK),
                fixture.filterOnly(plugin, fixture.pod("p", "{}", "{nodeName: 'n2'}")));
    }

    @Test
    void theFirstTaintThatIsNotTolerated() {
        TaintToleration plugin = fixture.plugin(TaintToleration::new, "{}");
        fixture.node("n1", "{}")
                .node("n2", "{}", "{}", "{taints: [{key: 'a', value: '1', effect: 'PreferNoSchedule'}]}")
                .node(
                        "n3",
                        "{}",
                        "{}",
                        "{taints: [{key: 'b', effect: 'NoExecute'}, {key: 'c', value: 'x', effect: 'NoSchedule'}]}")
                .node("n4", "{}", "{}", "{taints: [{key: 'c', value: 'x', effect: 'NoSchedule'}]}");
        fixture.newCycle();
        assertEquals(
                List.of(OK, OK, "UU node(s) had untolerated taint {b: }", "UU node(s) had untolerated taint {c: x}"),
                fixture.filterOnly(plugin, fixture.pod("p", "{}", "{}")));
        assertEquals(
                List.of(OK, OK, "UU node(s) had untolerated taint {c: x}", "UU node(s) had untolerated taint {c: x}"),
                fixture.filterOnly(plugin, tolerating("{key: 'b', operator: 'Exists'}")));
        assertEquals(
                List.of(OK, OK, "UU node(s) had untolerated taint {b: }", OK),
                fixture.filterOnly(plugin, tolerating("{key: 'c', value: 'x'}")));
    }

    @Test
    void fewerTaintsThatShouldBeAvoidedAreBetter() {
        TaintToleration plugin = fixture.plugin(TaintToleration::new, "{}");
        String avoid = "{key: '%s', effect: 'PreferNoSchedule'}";
        fixture.node("n1", "{}");
        assertEquals("[100]", fixture.scores(plugin, fixture.pod("p", "{}", "{}")));
        fixture.node("n2", "{}", "{}", "{taints: [" + avoid.formatted("a") + "]}")
                .node(
                        "n3",
                        "{}",
                        "{}",
                        "{taints: [" + avoid.formatted("a") + "," + avoid.formatted("b") + "," + avoid.formatted("c")
                                + "]}");
        assertEquals("[100, 67, 0]", fixture.scores(plugin, fixture.pod("p", "{}", "{}")));
        // A toleration of another effect does not raise the score.
        assertEquals(
                "[100, 67, 0]",
                fixture.scores(plugin, tolerating("{key: 'a', operator: 'Exists', effect: 'NoSchedule'}")));
        assertEquals("[100, 100, 0]", fixture.scores(plugin, tolerating("{key: 'a', operator: 'Exists'}")));
        assertEquals("[100, 100, 100]", fixture.scores(plugin, tolerating("{operator: 'Exists'}")));
    }

    @Test
    void scoringTaintsNeedsTheStepBefore() {
        TaintToleration plugin = fixture.plugin(TaintToleration::new, "{}");
        fixture.node("n1", "{}").newCycle();
        PluginException error = assertThrows(
                PluginException.class,
                () -> plugin.score(
                        fixture.state,
                        fixture.pod("p", "{}", "{}"),
                        fixture.nodes().get(0)));
        assertEquals("failed to read \"PreScoreTaintToleration\" from cycleState: not found", error.getMessage());
    }

    @Test
    void hostPortsWithThoseOfSidecars() {
        NodePorts plugin = fixture.plugin(NodePorts::new, "{}");
        fixture.node("n1", "{}")
                .node("n2", "{}")
                .placed("a", "{}", "n1", "{containers: [{ports: [{hostPort: 80, hostIP: '10.0.0.1'}]}]}")
                .placed(
                        "b",
                        "{}",
                        "n2",
                        "{initContainers: [{restartPolicy: 'Always', ports: [{hostPort: 80}]},"
                                + "{ports: [{hostPort: 81}]}]}");
        String taken = "U node(s) didn't have free ports for the requested pod ports";
        assertEquals(List.of(taken, taken), fixture.filter(plugin, wanting("{hostPort: 80}")));
        assertEquals(List.of(OK, taken), fixture.filter(plugin, wanting("{hostPort: 80, hostIP: '10.0.0.2'}")));
        assertEquals(List.of(OK, OK), fixture.filter(plugin, wanting("{hostPort: 80, protocol: 'UDP'}")));
        assertEquals(List.of(OK, OK), fixture.filter(plugin, wanting("{hostPort: 81}")));
        assertEquals(List.of("skip"), fixture.filter(plugin, wanting("{containerPort: 80}")));
        fixture.newCycle();
        PluginException error =
                assertThrows(PluginException.class, () -> fixture.filterOnly(plugin, wanting("{hostPort: 80}")));
        assertEquals("reading \"PreFilterNodePorts\" from cycleState: not found", error.getMessage());
    }

    private PodInfo wanting(String port) {
        return fixture.pod("p", "{}", "{containers: [{ports: [" + port + "]}]}");
    }

    @Test
    void usedPortsAreASet() {
        NodePorts plugin = fixture.plugin(NodePorts::new, "{}");
        String spec = "{initContainers: [{restartPolicy: 'Always', ports: [{hostPort: 80}]}]}";
        fixture.node("n1", "{}").placed("a", "{}", "n1", spec).placed("b", "{}", "n1", spec);
        fixture.cluster.removePod(fixture.pod("a", "{}", spec).withNodeName("n1"));
        assertEquals(List.of(OK), fixture.filter(plugin, wanting("{hostPort: 80}")));
    }

    @Test
    void imagesOnNodes() {
        ImageLocality plugin = fixture.plugin(ImageLocality::new, "{}");
        String image = "status: {images: [{names: ['nginx:latest'], sizeBytes: 524288000}]}";
        fixture.add("Node", "{metadata: {name: 'n1'}, " + image + "}")
                .add("Node", "{metadata: {name: 'n2'}, " + image + "}");
        PodInfo one = fixture.pod("p", "{}", "{containers: [{image: 'nginx'}]}");
        assertEquals("[48, 48]", fixture.scores(plugin, one));
        assertEquals(
                "[24, 24]",
                fixture.scores(plugin, fixture.pod("p", "{}", "{containers: [{image: 'nginx'}, {image: 'redis'}]}")));
        assertEquals(
                "[49, 49]",
                fixture.scores(
                        plugin,
                        fixture.pod(
                                "p", "{}", "{containers: [{image: 'nginx'}], initContainers: [{image: 'nginx'}]}")));
        assertEquals("[0, 0]", fixture.scores(plugin, fixture.pod("p", "{}", "{containers: [{image: 'nginx:1'}]}")));
        // The size that was reported first counts, and three of four nodes have it.
        fixture.add("Node", "{metadata: {name: 'n3'}, status: {images: [{names: ['nginx:latest'], sizeBytes: 1}]}}")
                .add("Node", "{metadata: {name: 'n4'}}");
        assertEquals("[36, 36, 36, 0]", fixture.scores(plugin, one));
    }
}
