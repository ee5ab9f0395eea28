package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimJson;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Resource claims of pods, from PreEnqueue to the written allocation. */
class DynamicResourcesTest {
    private static final String CLAIMED = "{resourceClaims: [{name: 'k', resourceClaimName: 'c'}]}";
    private static final String EXACTLY = "{name: 'r', exactly: {deviceClassName: 'gpu', allocationMode: ";

    private final PluginFixture fixture = new PluginFixture();
    private DynamicResources plugin;

    @BeforeEach
    void cluster() {
        plugin = fixture.plugin(DynamicResources::create, "{filterTimeout: '10s'}");
        fixture.node("n1", "{}").node("n2", "{}");
        fixture.add(
                "DeviceClass",
                "{metadata: {name: 'gpu'}, spec: {selectors: [{cel: {expression: 'device.driver == \"d\"'}}],"
                        + " config: [{opaque: {driver: 'd', parameters: {a: 1}}}]}}");
        slice("n1", "[{name: 'a', attributes: {size: {int: 1}}}, {name: 'b', attributes: {size: {int: 2}}}]");
        fixture.cluster.startCycle();
    }

    private void slice(String node, String devices) {
        fixture.add(
                "ResourceSlice",
                "{metadata: {name: 'of-" + node + "'}, spec: {driver: 'd', nodeName: '" + node + "', pool: {name: '"
                        + node + "', generation: 1, resourceSliceCount: 1}, devices: " + devices + "}}");
    }

    private void claim(String requests, String more) {
        fixture.add(
                "ResourceClaim",
                "{metadata: {namespace: default, name: 'c', uid: 'c-uid', resourceVersion: '1'}, spec: {devices:"
                        + " {requests: " + requests + more + "}}}");
    }

    private PodInfo pod(String name) {
        return fixture.pod(name, "{}", CLAIMED);
    }

    private String filter(PodInfo pod, int node) {
        return PluginFixture.text(
                plugin.filter(fixture.state, pod, fixture.nodes().get(node)));
    }

    private ResourceClaimInfo known() {
        return Objects.requireNonNull(fixture.cluster.assumedClaims().claim("default", "c"));
    }

    @Test
    void aPodWithoutClaimsIsNoConcernOfIts() {
        PodInfo plain = fixture.pod("p", "{}", "{}");
        assertEquals(
                "ERROR not found",
                PluginFixture.text(plugin.postFilter(fixture.state, plain, Map.of(), () -> Status.SUCCESS)));
        assertEquals("ok", PluginFixture.text(plugin.preEnqueue(plain)));
        assertEquals("skip", fixture.preFilter(plugin, plain));
        assertEquals(
                "U no new claims to deallocate",
                PluginFixture.text(plugin.postFilter(fixture.state, plain, Map.of(), () -> Status.SUCCESS)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{name: 'k', resourceClaimName: 'x'} | could not find ResourceClaim \"default/x\"",
                "{name: 'k', resourceClaimTemplateName: 't'} | pod \"default/p\": ResourceClaim not created yet",
                "{name: 'k'} | pod \"default/p\", spec.resourceClaim \"k\": none of the supported fields are set",
                "{name: 'k', source: {resourceClaimName: 'y'}} | could not find ResourceClaim \"default/y\"",
            })
    void whatIsMissingHoldsThePodBack(String entry, String reason) {
        PodInfo pod = fixture.pod("p", "{}", "{resourceClaims: [" + entry + "]}");
        assertEquals("UU " + reason, PluginFixture.text(plugin.preEnqueue(pod)));
        assertEquals("UU " + reason, fixture.preFilter(plugin, pod));
        assertEquals(
                "U no new claims to deallocate",
                PluginFixture.text(plugin.postFilter(fixture.state, pod, Map.of(), () -> Status.SUCCESS)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'ExactCount', count: 1}} | n1: ok",
                "'ExactCount', count: 2}} | n1: ok",
                "'ExactCount', count: 3}} | n1: UU cannot allocate all claims",
                "'ExactCount', count: 0}} | n1: ok",
                "'All'}} | n1: ok",
                "'Some'}} | n1: ERROR claim default/c, request r: unsupported count mode Some",
                "'ExactCount', count: 33}} | n1: ERROR claim default/c: number of requested devices 33 exceeds the"
                        + " claim limit of 32",
                "'ExactCount', count: 1, capacity: {}}} | n1: ERROR claim default/c, request r: has capacity requests,"
                        + " but the DRAConsumableCapacity feature is disabled",
                "'ExactCount', count: 1, selectors: [{}]}} | n1: ERROR claim default/c, request r, selector #0: CEL"
                        + " expression empty (unsupported selector type?)",
                "'ExactCount', count: 2, selectors: [{cel: {expression: 'device.attributes[\"d\"].size > 1'}}]}} | n1:"
                        + " UU cannot allocate all claims",
                "'ExactCount', count: 1, selectors: [{cel: {expression: 'device.attributes[\"d\"].x > 1'}}]}} | n1:"
                        + " ERROR claim default/c: selector #0: CEL runtime error: no such key: x",
            })
    void aNodeHasTheDevicesOrNot(String request, String verdict) {
        claim("[" + EXACTLY + request + "]", "");
        PodInfo pod = pod("p");
        assertEquals("ok", fixture.preFilter(plugin, pod));
        assertEquals(verdict, "n1: " + filter(pod, 0));
    }

    /** A request without a response that removes the pod from the claim is repeated, and would remove the new reservation. */
    @Test
    void aClaimIsNotReservedWhileAReleaseIsRepeated() {
        claim("[" + EXACTLY + "'ExactCount', count: 1}}]", "");
        PodInfo pod = pod("p");
        fixture.cluster.assumedClaims().writeStarted(known());
        assertEquals("ok", fixture.preFilter(plugin, pod));
        assertEquals("ok", filter(pod, 0));
        assertEquals(
                "ERROR claim default/c is still being written",
                PluginFixture.text(plugin.reserve(fixture.state, pod, "n1")));
        fixture.cluster.assumedClaims().writeFinished(known());
        assertEquals("ok", PluginFixture.text(plugin.reserve(fixture.state, pod, "n1")));
    }

    @Test
    void whatIsReservedIsTakenAndWritten() {
        claim("[" + EXACTLY + "'ExactCount', count: 1}}]", "");
        PodInfo pod = pod("p");
        assertEquals("ok", fixture.preFilter(plugin, pod));
        assertEquals("ok", filter(pod, 0));
        assertEquals("UU cannot allocate all claims", filter(pod, 1));
        assertEquals("ok", PluginFixture.text(plugin.reserve(fixture.state, pod, "n1")));
        assertEquals(true, fixture.cluster.assumedClaims().isAllocated(new DeviceId("d", "n1", "a")));
        assertEquals(false, fixture.cluster.assumedClaims().isAllocated(new DeviceId("d", "n1", "b")));
        assertEquals(null, known().allocation());

        PodInfo other = pod("q");
        fixture.newCycle();
        assertEquals(
                "UU resource claim default/c is in the process of being allocated", fixture.preFilter(plugin, other));
        assertEquals("ok", PluginFixture.text(plugin.preEnqueue(other)));

        fixture.newCycle();
        plugin.unreserve(fixture.state, other, "n1");
        assertEquals(true, fixture.cluster.assumedClaims().isAllocated(new DeviceId("d", "n1", "a")));
    }

    @Test
    void aClaimIsWrittenBeforeTheBindAndSharedAfterwards() {
        claim("[" + EXACTLY + "'ExactCount', count: 1}}]", ", config: [{requests: ['r'], opaque: {driver: 'd'}}]");
        PodInfo pod = pod("p");
        fixture.preFilter(plugin, pod);
        filter(pod, 0);
        plugin.reserve(fixture.state, pod, "n1");
        assertEquals("ok", PluginFixture.text(plugin.preBind(fixture.state, pod, "n1")));
        assertEquals(List.of(ResourceClaimInfo.FINALIZER), known().finalizers());
        assertEquals(List.of(ClaimConsumer.pod("p", "p-uid")), known().reservedFor());
        assertEquals(
                "{\"devices\":{\"config\":[{\"opaque\":{\"driver\":\"d\",\"parameters\":{\"a\":1}},\"source\":\"FromClass\"},"
                        + "{\"opaque\":{\"driver\":\"d\"},\"requests\":[\"r\"],\"source\":\"FromClaim\"}],"
                        + "\"results\":[{\"device\":\"a\",\"driver\":\"d\",\"pool\":\"n1\",\"request\":\"r\"}]},"
                        + "\"nodeSelector\":{\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":\"metadata.name\","
                        + "\"operator\":\"In\",\"values\":[\"n1\"]}]}]}}",
                ClaimJson.allocation(Objects.requireNonNull(known().allocation()))
                        .toString());

        PodInfo other = pod("q");
        fixture.newCycle();
        assertEquals("ok", fixture.preFilter(plugin, other));
        assertEquals("ok", filter(other, 0));
        assertEquals("UU resourceclaim not available on the node", filter(other, 1));
        assertEquals(
                "U still not schedulable",
                PluginFixture.text(plugin.postFilter(fixture.state, other, Map.of(), () -> Status.SUCCESS)));
        plugin.reserve(fixture.state, other, "n1");
        plugin.preBind(fixture.state, other, "n1");
        assertEquals(2, known().reservedFor().size());
        plugin.unreserve(fixture.state, other, "n1");
        assertEquals(List.of(ClaimConsumer.pod("p", "p-uid")), known().reservedFor());
    }

    /** Each entry needs devices of its own, as in 1.34; the written allocation names the devices that count as taken. */
    @Test
    void aClaimThatIsNamedTwiceGetsTheDevicesOfTheLastEntry() {
        claim("[" + EXACTLY + "'ExactCount', count: 1}}]", "");
        PodInfo pod = fixture.pod(
                "p",
                "{}",
                "{resourceClaims: [{name: 'k', resourceClaimName: 'c'}, {name: 'l', resourceClaimName: 'c'}]}");
        assertEquals("ok", fixture.preFilter(plugin, pod));
        assertEquals("ok", filter(pod, 0));
        assertEquals("ok", PluginFixture.text(plugin.reserve(fixture.state, pod, "n1")));
        assertEquals(false, fixture.cluster.assumedClaims().isAllocated(new DeviceId("d", "n1", "a")));
        assertEquals(true, fixture.cluster.assumedClaims().isAllocated(new DeviceId("d", "n1", "b")));

        assertEquals("ok", PluginFixture.text(plugin.preBind(fixture.state, pod, "n1")));
        assertEquals(
                List.of(new DeviceId("d", "n1", "b")),
                Objects.requireNonNull(known().allocation()).results().stream()
                        .map(DeviceAllocation.Result::device)
                        .toList());
        assertEquals(List.of(ClaimConsumer.pod("p", "p-uid")), known().reservedFor());
        assertEquals(false, fixture.cluster.assumedClaims().isAllocated(new DeviceId("d", "n1", "a")));
    }

    @Test
    void aClaimThatNobodyUsesIsFreedWhereItIsInTheWay() {
        fixture.add(
                "ResourceClaim",
                "{metadata: {namespace: default, name: 'c', uid: 'c-uid', resourceVersion: '1'}, spec: {devices:"
                        + " {requests: [" + EXACTLY + "'ExactCount', count: 1}}]}}, status: {allocation: {devices:"
                        + " {results: [{request: 'r', driver: 'd', pool: 'n3', device: 'a'}]}, nodeSelector:"
                        + " {nodeSelectorTerms: [{matchFields: [{key: 'metadata.name', operator: 'In', values:"
                        + " ['n3']}]}]}}}}");
        PodInfo pod = pod("p");
        assertEquals("ok", fixture.preFilter(plugin, pod));
        assertEquals("UU resourceclaim not available on the node", filter(pod, 0));
        assertNotNull(known().allocation());
        assertEquals(
                "U deallocation of ResourceClaim completed",
                PluginFixture.text(plugin.postFilter(fixture.state, pod, Map.of(), () -> Status.SUCCESS)));
        assertEquals(null, known().allocation());
    }

    /** As in 1.34: the second alternative requests all devices, and after its first device it continues as if it were the first alternative. */
    @Test
    void anAlternativeThatWantsAllDevicesEndsLikeTheFirst() {
        claim(
                "[{name: 'r', firstAvailable: [{name: 's0', deviceClassName: 'gpu', allocationMode: 'ExactCount', count:"
                        + " 2, selectors: [{cel: {expression: 'device.attributes[\"d\"].size == 1'}}]}, {name: 's1',"
                        + " deviceClassName: 'gpu', allocationMode: 'All', selectors: [{cel: {expression:"
                        + " 'device.attributes[\"d\"].size == 2'}}]}]}]",
                "");
        PodInfo pod = pod("p");
        fixture.preFilter(plugin, pod);
        assertEquals("ok", filter(pod, 0));
        plugin.reserve(fixture.state, pod, "n1");
        plugin.preBind(fixture.state, pod, "n1");
        assertEquals(
                "[r/s1 d/n1/b, r/s0 d/n1/a]",
                Objects.requireNonNull(known().allocation()).results().stream()
                        .map(result -> result.request() + " " + result.device())
                        .toList()
                        .toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "d/size | UU cannot allocate all claims",
                "size | UU cannot allocate all claims",
                "e/size | UU cannot allocate all claims",
                "d/kind | ok",
            })
    void devicesMustHaveInCommonWhatAConstraintSays(String attribute, String verdict) {
        slice(
                "n2",
                "[{name: 'a', attributes: {kind: {string: 'x'}, size: {int: 1}}}, {name: 'b', attributes: {kind:"
                        + " {string: 'y'}, size: {int: 2}}}, {name: 'c', attributes: {'d/kind': {string: 'x'}}}]");
        claim("[" + EXACTLY + "'ExactCount', count: 2}}]", ", constraints: [{matchAttribute: '" + attribute + "'}]");
        PodInfo pod = pod("p");
        fixture.preFilter(plugin, pod);
        assertEquals(verdict, filter(pod, 1));
    }

    @Test
    void poolsAreReadAsTheNodeSeesThem() {
        fixture.add(
                "ResourceSlice",
                "{metadata: {name: 'old'}, spec: {driver: 'd', nodeName: 'n1', pool: {name: 'n1', generation: 0,"
                        + " resourceSliceCount: 1}, devices: [{name: 'z'}]}}");
        claim("[" + EXACTLY + "'ExactCount', count: 3}}]", "");
        PodInfo pod = pod("p");
        fixture.preFilter(plugin, pod);
        assertEquals("UU cannot allocate all claims", filter(pod, 0));
        slice("n1", "[{name: 'a'}, {name: 'a'}]");
        assertEquals("ERROR pool n1 is invalid: duplicate device name a", filter(pod, 0));
    }

    /** Each evaluation costs the maximum that Kubernetes allows for one. */
    @Test
    void theSelectorsOfAnAttemptHaveABudgetAndTheNextAttemptContinues() {
        StringBuilder selectors = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            selectors
                    .append(i == 0 ? "" : ", ")
                    .append("{cel: {expression: 'lists.range(300).all(x, lists.range(")
                    .append(300 + i)
                    .append(").all(y, x + y >= 0))'}}");
        }
        claim("[" + EXACTLY + "'ExactCount', count: 1, selectors: [" + selectors + "]}}]", "");
        PodInfo pod = pod("p");
        int attempts = 0;
        String result;
        do {
            attempts++;
            fixture.preFilter(plugin, pod);
            result = filter(pod, 0);
            assertEquals(!result.equals("ok"), fixture.state.isExpensive(), result);
            fixture.startAttempt();
        } while (!result.equals("ok") && attempts < 10);
        assertEquals("ok", result);
        assertTrue(attempts > 1, () -> "the budget stops no attempt");
    }
}
