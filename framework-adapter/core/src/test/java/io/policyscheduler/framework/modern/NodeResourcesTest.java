package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeResourcesTest {
    private final PluginFixture fixture = new PluginFixture();

    private PodInfo asking(String requests) {
        return fixture.pod("p", "{}", "{containers: [{resources: {requests: " + requests + "}}]}");
    }

    @Test
    void allThatIsMissingIsTold() {
        NodeResourcesFit plugin = fixture.plugin(NodeResourcesFit::new, "{}");
        fixture.node("n1", "{}", "{cpu: '1', memory: '1Gi', 'a.com/gpu': '2'}", "{}")
                .placed("a", "{}", "n1", "{containers: [{resources: {requests: {cpu: '600m', 'a.com/gpu': '1'}}}]}");
        assertEquals(List.of("ok"), fixture.filter(plugin, asking("{cpu: '400m', memory: '1Gi', 'a.com/gpu': '1'}")));
        assertEquals(
                List.of("U Insufficient cpu, Insufficient a.com/gpu"),
                fixture.filter(plugin, asking("{cpu: '401m', 'a.com/gpu': '2'}")));
        assertEquals(
                List.of("UU Insufficient cpu, Insufficient memory"),
                fixture.filter(plugin, asking("{cpu: '401m', memory: '2Gi'}")));
        assertEquals(
                List.of("UU Insufficient ephemeral-storage, Insufficient b.com/x"),
                fixture.filter(plugin, asking("{'ephemeral-storage': '1', 'b.com/x': '1', 'c.com/x': '0'}")));
    }

    @Test
    void aRequestOfNothingFitsEvenAnOvercommittedNode() {
        NodeResourcesFit plugin = fixture.plugin(NodeResourcesFit::new, "{}");
        fixture.node("n1", "{}", "{cpu: '1', memory: '1Gi', pods: '2'}", "{}")
                .placed("a", "{}", "n1", "{containers: [{resources: {requests: {cpu: '2'}}}]}");
        assertEquals(List.of("ok"), fixture.filter(plugin, asking("{}")));
        assertEquals(List.of("ok"), fixture.filter(plugin, asking("{memory: '1Gi'}")));
        fixture.placed("b", "{}", "n1", "{}");
        assertEquals(List.of("U Too many pods"), fixture.filter(plugin, asking("{}")));
        assertEquals(List.of("U Too many pods, Insufficient cpu"), fixture.filter(plugin, asking("{cpu: '1'}")));
        assertEquals(List.of("UU Too many pods, Insufficient cpu"), fixture.filter(plugin, asking("{cpu: '1001m'}")));
    }

    @Test
    void ignoredResources() {
        fixture.node("n1", "{}", "{cpu: '1'}", "{}");
        PodInfo pod = asking("{'a.com/gpu': '1', 'b.com/x': '1', 'hugepages-2Mi': '2Mi'}");
        assertEquals(
                List.of("UU Insufficient b.com/x, Insufficient hugepages-2Mi"),
                fixture.filter(
                        fixture.plugin(NodeResourcesFit::new, "{ignoredResources: ['a.com/gpu', 'hugepages-2Mi']}"),
                        pod));
        assertEquals(
                List.of("UU Insufficient a.com/gpu, Insufficient hugepages-2Mi"),
                fixture.filter(fixture.plugin(NodeResourcesFit::new, "{ignoredResourceGroups: ['b.com']}"), pod));
    }

    @Test
    void filteringNeedsTheStepBefore() {
        NodeResourcesFit plugin = fixture.plugin(NodeResourcesFit::new, "{}");
        fixture.node("n1", "{}").newCycle();
        assertEquals(
                List.of("ERROR error reading \"PreFilterNodeResourcesFit\" from cycleState: not found"),
                fixture.filterOnly(plugin, asking("{}")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{type: 'LeastAllocated'} | [62]",
                "{type: 'MostAllocated'} | [37]",
                "{type: 'LeastAllocated', resources: [{name: 'cpu', weight: 3}, {name: 'memory'}]} | [62]",
                "{type: 'LeastAllocated', resources: [{name: 'cpu', weight: 1}, {name: 'a.com/gpu', weight: 9}]} |"
                        + " [62]",
                "{type: 'LeastAllocated', resources: [{name: 'ephemeral-storage', weight: 1}]} | [0]",
                "{type: 'RequestedToCapacityRatio', requestedToCapacityRatio: {shape: [{utilization: 0, score: 10},"
                        + "{utilization: 100, score: 0}]}} | [63]",
                "{type: 'RequestedToCapacityRatio', requestedToCapacityRatio: {shape: [{utilization: 37, score: 0},"
                        + "{utilization: 100, score: 10}]}} | [0]",
                "{type: 'RequestedToCapacityRatio', requestedToCapacityRatio: {shape: [{utilization: 20, score: 2},"
                        + "{utilization: 30, score: 7}]}} | [70]",
            })
    void strategies(String strategy, String expected) {
        NodeResourcesFit plugin = fixture.plugin(NodeResourcesFit::new, "{scoringStrategy: " + strategy + "}");
        fixture.node("n1", "{}", "{cpu: '4', memory: '16Gi', 'a.com/gpu': '1'}", "{}")
                .placed("a", "{}", "n1", "{containers: [{resources: {requests: {cpu: '1', memory: '4Gi'}}}]}");
        assertEquals(expected, fixture.scores(plugin, asking("{cpu: '500m', memory: '2Gi'}")));
    }

    /** Node n1 has devices, one of them in use; n2 has none; n3 has a device plugin; devices of an old generation count as well. */
    private PodInfo withDevices(int minor) {
        fixture.at(new Release(minor));
        fixture.node("n1", "{}", "{cpu: '4'}", "{}")
                .node("n2", "{}", "{cpu: '4'}", "{}")
                .node("n3", "{}", "{cpu: '4', 'a.com/gpu': '4'}", "{}")
                .add(
                        "DeviceClass",
                        "{metadata: {name: 'gpu'}, spec: {extendedResourceName: 'a.com/gpu', selectors: [{cel:"
                                + " {expression: 'device.driver == \"gpu\"'}}]}}");
        int generation = 0;
        for (String device : List.of("a", "b", "c", "d")) {
            fixture.add(
                    "ResourceSlice",
                    "{metadata: {name: '" + device + "'}, spec: {driver: 'gpu', nodeName: 'n1', pool: {name: 'n1',"
                            + " generation: " + generation++ + ", resourceSliceCount: 1}, devices: [{name: '" + device
                            + "'}]}}");
        }
        fixture.add(
                "ResourceSlice",
                "{metadata: {name: 'nic'}, spec: {driver: 'nic', allNodes: true, pool: {name: 'nic', generation: 1,"
                        + " resourceSliceCount: 1}, devices: [{name: 'a'}]}}");
        fixture.add(
                "ResourceClaim",
                "{metadata: {namespace: default, name: 'c', uid: 'c'}, spec: {devices: {requests: [{name: 'r',"
                        + " exactly: {deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1}}]}}, status:"
                        + " {allocation: {devices: {results: [{request: 'r', driver: 'gpu', pool: 'n1', device:"
                        + " 'a'}]}}}}");
        return asking("{cpu: '1', 'a.com/gpu': '1'}");
    }

    /** Since 1.36, a resource that no device plugin of the node provides has the devices of its class as capacity. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "36 | LeastAllocated | [50, 0, 75]",
                "36 | MostAllocated | [50, 0, 25]",
                "35 | LeastAllocated | [0, 0, 75]",
            })
    void devicesOfExtendedResourcesAreScored(int minor, String strategy, String expected) {
        PodInfo pod = withDevices(minor);
        NodeResourcesFit plugin = fixture.plugin(
                NodeResourcesFit::new,
                "{scoringStrategy: {type: '" + strategy + "', resources: [{name: 'a.com/gpu', weight: 1}]}}");
        assertEquals(expected, fixture.scores(plugin, pod));
    }

    /** The pod brings n1 from 0 % CPU and 25 % devices to 25 % and 50 %, and n3 from 0 % of both to 25 %. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"36 | [75, 75, 75]", "35 | [100, 100, 100]"})
    void devicesOfExtendedResourcesAreBalanced(int minor, String expected) {
        PodInfo pod = withDevices(minor);
        NodeResourcesBalancedAllocation plugin = fixture.plugin(
                NodeResourcesBalancedAllocation::new,
                "{resources: [{name: 'cpu', weight: 1}, {name: 'a.com/gpu', weight: 1}]}");
        assertEquals(expected, fixture.scores(plugin, pod));
    }

    /** Such a resource is a matter of DynamicResources, unless the profile ignores it or the node has a device plugin. */
    @ParameterizedTest
    @CsvSource({"36, ok", "35, UU Insufficient a.com/gpu"})
    void devicesOfExtendedResourcesAreNotChecked(int minor, String expected) {
        PodInfo pod = withDevices(minor);
        fixture.placed("full", "{}", "n3", "{containers: [{resources: {requests: {'a.com/gpu': '4'}}}]}");
        assertEquals(
                List.of(expected, expected, "U Insufficient a.com/gpu"),
                fixture.filter(fixture.plugin(NodeResourcesFit::new, "{}"), pod));
        assertEquals(
                List.of("ok", "ok", "ok"),
                fixture.filter(fixture.plugin(NodeResourcesFit::new, "{ignoredResources: ['a.com/gpu']}"), pod));
    }

    @Test
    void anEmptyPodIsScoredWithDefaults() {
        NodeResourcesFit plugin = fixture.plugin(NodeResourcesFit::new, "{}");
        fixture.node("n1", "{}", "{cpu: '4', memory: '16Gi'}", "{}").node("n2", "{}");
        assertEquals("[97, 0]", fixture.scores(plugin, asking("{}")));
    }

    @Test
    void aStrategyWithoutShapeIsRefused() {
        assertThrows(
                PluginException.class,
                () -> fixture.plugin(NodeResourcesFit::new, "{scoringStrategy: {type: 'RequestedToCapacityRatio'}}"));
    }

    @ParameterizedTest
    @CsvSource({
        "5, 2.5, 87",
        "9, 1, 60",
        "10, 5, 75",
        "3, 3, 100",
        "20, 10, 100",
        "10, 0, 50",
    })
    void balanceOfTwoResources(String cpu, String memory, String expected) {
        NodeResourcesBalancedAllocation plugin = fixture.plugin(NodeResourcesBalancedAllocation::new, "{}");
        fixture.node("n1", "{}", "{cpu: '10', memory: '1000'}", "{}");
        String bytes = String.valueOf((long) (Double.parseDouble(memory) * 100));
        assertEquals(
                "[" + expected + "]", fixture.scores(plugin, asking("{cpu: '" + cpu + "', memory: '" + bytes + "'}")));
    }

    @Test
    void balanceOfMoreResources() {
        NodeResourcesBalancedAllocation plugin = fixture.plugin(
                NodeResourcesBalancedAllocation::new,
                "{resources: [{name: 'cpu'}, {name: 'memory'}, {name: 'a.com/gpu'}]}");
        fixture.node("n1", "{}", "{cpu: '10', memory: '10', 'a.com/gpu': '10'}", "{}")
                .node("n2", "{}", "{cpu: '10', memory: '10'}", "{}")
                .node("n3", "{}", "{cpu: '10'}", "{}");
        // Deviations: sqrt(0.14 / 3) of 0.1, 0.2 and 0.6; 0.05 of 0.1 and 0.2; none of one.
        assertEquals("[78, 95, 100]", fixture.scores(plugin, asking("{cpu: '1', memory: '2', 'a.com/gpu': '6'}")));
        assertEquals("[95, 95, 100]", fixture.scores(plugin, asking("{cpu: '1', memory: '2'}")));
        assertEquals("skip", fixture.scores(plugin, asking("{'ephemeral-storage': '1'}")));
    }

    /** The fixture also scores by index; amounts at the ends of their range must give the same scores. */
    @Test
    void extremesAreTheSameBySlot() {
        List<String> amounts = List.of("0", "1m", "1", "2500m", "3", "9223372036854775807", "9223372036854775");
        for (Release release : List.of(Release.parse("1.18"), Release.NEWEST)) {
            PluginFixture many = new PluginFixture().at(release);
            NodeResourcesFit fit = many.plugin(NodeResourcesFit::new, "{}");
            NodeResourcesBalancedAllocation balanced = many.plugin(NodeResourcesBalancedAllocation::new, "{}");
            int nodes = 0;
            for (String cpu : amounts) {
                for (String memory : amounts) {
                    String name = "n" + nodes++;
                    many.node(name, "{}", "{cpu: '" + cpu + "', memory: '" + memory + "'}", "{}");
                    String other = amounts.get(nodes % amounts.size());
                    many.placed(
                            name,
                            "{}",
                            name,
                            "{containers: [{resources: {requests: {cpu: '" + other + "', memory: '" + other + "'}}}]}");
                }
            }
            for (String cpu : amounts) {
                for (String memory : amounts) {
                    PodInfo pod = asking("{cpu: '" + cpu + "', memory: '" + memory + "'}");
                    assertEquals(nodes, many.filter(fit, pod).size());
                    many.scores(fit, pod);
                    many.scores(balanced, pod);
                }
            }
        }
    }
}
