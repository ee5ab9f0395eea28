package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which devices each release allocates, for inputs that recordings rarely or never contain. */
class DeviceAllocationTest {
    private static final String NONE = "UU cannot allocate all claims";
    private static final String INVALID = "UU invalid resource pools were encountered";

    private final PluginFixture fixture = new PluginFixture();
    private final List<String> claims = new ArrayList<>();
    private Release release = Release.NEWEST;

    private DeviceAllocationTest at(String other) {
        release = Release.parse(other);
        return this;
    }

    private void slice(String name, String spec) {
        fixture.at(release);
        fixture.add("ResourceSlice", "{metadata: {name: '" + name + "'}, spec: {driver: 'd', " + spec + "}}");
    }

    /** A slice of node n1, which is the whole pool. */
    private void devices(String devices) {
        slice("s", "nodeName: 'n1', pool: {name: 'n1', generation: 1, resourceSliceCount: 1}, devices: " + devices);
    }

    /** A slice with counters of the pool n1, which has one more slice. */
    private void counters(String counters, String devices) {
        String pool = "pool: {name: 'n1', generation: 1, resourceSliceCount: 2}, ";
        slice("c", pool + "nodeName: 'n1', sharedCounters: [{name: 'set', counters: " + counters + "}]");
        slice("s", pool + "nodeName: 'n1', devices: " + devices);
    }

    private void claim(String name, String requests, String more) {
        fixture.at(release);
        fixture.add(
                "ResourceClaim",
                "{metadata: {namespace: default, name: '" + name + "', uid: '" + name + "-uid', resourceVersion: '1'},"
                        + " spec: {devices: {requests: [" + requests + "]" + more + "}}}");
        claims.add(name);
    }

    private void claim(String requests, String more) {
        claim("c" + claims.size(), requests, more);
    }

    /** Returns the devices of the claims by request, or the status of the filter. */
    private String allocate() {
        fixture.at(release).node("n1", "{}");
        fixture.add("DeviceClass", "{metadata: {name: 'any'}, spec: {}}");
        DynamicResources plugin = fixture.plugin(DynamicResources::create, "{}");
        PodInfo pod = fixture.pod(
                "p",
                "{}",
                IntStream.range(0, claims.size())
                        .mapToObj(i -> "{name: 'k" + i + "', resourceClaimName: '" + claims.get(i) + "'}")
                        .collect(Collectors.joining(", ", "{resourceClaims: [", "]}")));
        String before = fixture.preFilter(plugin, pod);
        if (!before.equals("ok")) {
            return before;
        }
        Status status = plugin.filter(fixture.state, pod, fixture.nodes().get(0));
        if (!status.isSuccess()) {
            return PluginFixture.text(status);
        }
        assertEquals("ok", PluginFixture.text(plugin.reserve(fixture.state, pod, "n1")));
        assertEquals("ok", PluginFixture.text(plugin.preBind(fixture.state, pod, "n1")));
        return claims.stream()
                .map(name -> fixture.cluster.assumedClaims().claim("default", name))
                .map(claim -> allocation(Objects.requireNonNull(claim)))
                .collect(Collectors.joining("; "));
    }

    private static String allocation(ResourceClaimInfo claim) {
        DeviceAllocation allocation = Objects.requireNonNull(claim.allocation());
        return allocation.results().stream()
                .map(result -> result.request() + "=" + result.device().device())
                .collect(Collectors.joining(" "));
    }

    private static String exactly(String name, String more) {
        return "{name: '" + name + "', exactly: {deviceClassName: 'any', allocationMode: 'ExactCount', count: 1" + more
                + "}}";
    }

    private static String several(String name, int count) {
        return "{name: '" + name + "', exactly: {deviceClassName: 'any', allocationMode: 'ExactCount', count: " + count
                + "}}";
    }

    /** A pool without all its slices is not validated. Only a valid pool is allocated from. */
    @ParameterizedTest
    @CsvSource({
        "1.35, 1, " + INVALID,
        "1.35, 2, " + NONE,
        "1.36, 1, " + INVALID,
        "1.36, 2, " + NONE,
        "1.34, 2, ERROR pool n1 is invalid: duplicate device name a",
    })
    void onlyCompletePoolsAreInvalid(String release, int slices, String verdict) {
        at(release).claim(exactly("r", ""), "");
        slice(
                "s",
                "nodeName: 'n1', pool: {name: 'n1', generation: 1, resourceSliceCount: " + slices
                        + "}, devices: [{name: 'a'}, {name: 'a'}]");
        assertEquals(verdict, allocate());
    }

    /** A slice with a device of the node has all its devices validated, and its selectors evaluated for all. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{name: 'a', nodeName: 'n2'}, {name: 'b', nodeName: 'n1'} | true | r=b",
                "{name: 'a', nodeName: 'n2'}, {name: 'a', nodeName: 'n1'} | true | " + INVALID,
                "{name: 'a', nodeName: 'n2'}, {name: 'b', nodeName: 'n1', attributes: {x: {int: 1}}} |"
                        + " device.attributes.d.x == 1 |"
                        + " ERROR claim default/c0: selector #0: CEL runtime error: no such key: x",
                "{name: 'a', nodeName: 'n2'}, {name: 'b', nodeName: 'n3'} | true | " + NONE,
                "{name: 'a', nodeName: 'n2'}, {name: 'b', allNodes: true} | true | r=b",
            })
    void devicesSelectTheirNodes(String devices, String selector, String verdict) {
        claim(exactly("r", ", selectors: [{cel: {expression: '" + selector + "'}}]"), "");
        slice(
                "s",
                "perDeviceNodeSelection: true, pool: {name: 'n1', generation: 1, resourceSliceCount: 1}, devices: ["
                        + devices + "]");
        assertEquals(verdict, allocate());
    }

    /** The pool with a device of another node that has binding conditions is evaluated last. */
    @Test
    void poolsWithBindingConditionsOfOtherNodesAreLast() {
        claim(exactly("r", ""), "");
        slice(
                "s",
                "perDeviceNodeSelection: true, pool: {name: 'p1', generation: 1, resourceSliceCount: 1}, devices:"
                        + " [{name: 'a', nodeName: 'n2', bindingConditions: ['c'], bindingFailureConditions: ['f']},"
                        + " {name: 'b', nodeName: 'n1'}]");
        slice("t", "nodeName: 'n1', pool: {name: 'p2', generation: 1, resourceSliceCount: 1}, devices: [{name: 'c'}]");
        assertEquals("r=c", allocate());
    }

    /** The allocator of 1.35 does not know shared devices, and does not tell selectors about them. */
    @ParameterizedTest
    @CsvSource({"1.34, r=b", "1.35, " + NONE, "1.36, r=b"})
    void selectorsReadSharingExceptIn135(String release, String verdict) {
        at(release).claim(exactly("r", ", selectors: [{cel: {expression: 'device.allowMultipleAllocations'}}]"), "");
        devices("[{name: 'a'}, {name: 'b', allowMultipleAllocations: true}]");
        assertEquals(verdict, allocate());
    }

    /** The first device under a constraint can have an attribute without a value; a later one cannot. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "match | 1 | {name: 'a', attributes: {x: {}}} | r=a",
                "match | 2 | {name: 'a', attributes: {x: {}}}, {name: 'b', attributes: {x: {}}} | " + NONE,
                "match | 2 | {name: 'a', attributes: {x: {int: 1}}}, {name: 'b', attributes: {x: {}}} | " + NONE,
                "match | 2 | {name: 'a', attributes: {x: {int: 1}}}, {name: 'b', attributes: {x: {string: '1'}}},"
                        + " {name: 'c', attributes: {x: {int: 1}}} | r=a r=c",
                "match | 1 | {name: 'a'} | " + NONE,
                "match | 1 | {name: 'a', attributes: {'e/x': {int: 1}}} | " + NONE,
                "distinct | 1 | {name: 'a', attributes: {x: {}}} | r=a",
                "distinct | 2 | {name: 'a', attributes: {x: {int: 1}}}, {name: 'b', attributes: {x: {}}} | " + NONE,
                "distinct | 2 | {name: 'a', attributes: {x: {int: 1}}}, {name: 'b', attributes: {x: {int: 1}}},"
                        + " {name: 'c', attributes: {x: {version: '1'}}} | r=a r=c",
                "distinct | 3 | {name: 'a', attributes: {x: {int: 1}}}, {name: 'b', attributes: {x: {int: 2}}},"
                        + " {name: 'c', attributes: {x: {int: 1}}} | r=a r=b r=c",
            })
    void constraintsCompareAttributes(String constraint, int count, String devices, String verdict) {
        claim(several("r", count), ", constraints: [{" + constraint + "Attribute: 'd/x'}]");
        devices("[" + devices + "]");
        assertEquals(verdict, allocate());
    }

    /** 1.34 compares the pointers of values, so that equal values are different, and 1.35 does not know the constraint. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.34 | r=a r=b",
                "1.35 | ERROR claim default/c0, constraint #0: empty constraint (unsupported constraint type?)",
                "1.36 | " + NONE,
            })
    void distinctAttributesDependOnTheRelease(String release, String verdict) {
        at(release).claim(several("r", 2), ", constraints: [{distinctAttribute: 'd/x'}]");
        devices("[{name: 'a', attributes: {x: {int: 1}}}, {name: 'b', attributes: {x: {int: 1}}}, {name: 'c'}]");
        assertEquals(verdict, allocate());
    }

    /** As in Kubernetes 1.36, counters of a device that a later check refuses, or of a share that is given back, stay consumed. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{name: 'a', USES}, {name: 'b', USES} | r=a",
                "{name: 'a', taints: [{key: 't', effect: 'NoSchedule'}], USES}, {name: 'b', USES} | " + NONE,
                "{name: 'a', taints: [{key: 't', effect: 'None'}], USES}, {name: 'b', USES} | r=a",
                "{name: 'a', attributes: {y: {int: 1}}, USES}, {name: 'b', attributes: {x: {int: 1}}, USES} | " + NONE,
            })
    void countersLeakInTheSearch(String devices, String verdict) {
        claim(exactly("r", ""), devices.contains("attributes") ? ", constraints: [{matchAttribute: 'd/x'}]" : "");
        counters("{memory: {value: '40Gi'}}", ("[" + devices + "]").replace("USES", uses("40Gi")));
        assertEquals(verdict, allocate());
    }

    private static String uses(String amount) {
        return "consumesCounters: [{counterSet: 'set', counters: {memory: {value: '" + amount + "'}}}]";
    }

    /** The claim with admin access consumes the counters again, and returns them when another device is tried. */
    @Test
    void adminAccessReturnsItsCounters() {
        claim(exactly("r", ", selectors: [{cel: {expression: 'device.attributes.d.x < 2'}}]"), "");
        claim(
                exactly("s", ", adminAccess: true") + ", "
                        + exactly(
                                "t",
                                ", adminAccess: true, selectors: [{cel: {expression: 'device.attributes.d.x == 1'}}]"),
                "");
        claim(exactly("u", ", selectors: [{cel: {expression: 'device.attributes.d.x == 3'}}]"), "");
        counters(
                "{memory: {value: '30Gi'}}",
                ("[{name: 'a', attributes: {x: {int: 1}}, USES}, {name: 'b', attributes: {x: {int: 2}}},"
                                + " {name: 'c', attributes: {x: {int: 3}}, USES}]")
                        .replace("USES", uses("10Gi")));
        assertEquals("r=a; s=b t=a; u=c", allocate());
    }

    /** Shares of one device: a device without capacity is not limited, and its counters are consumed once. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "capacity: {m: {value: '40Gi'}} | , capacity: {requests: {m: '20Gi'}} | r=a; r=a",
                "capacity: {m: {value: '40Gi'}} | , capacity: {requests: {m: '21Gi'}} | " + NONE,
                "capacity: {m: {value: '40Gi'}} | , capacity: {requests: {n: '1'}} | " + NONE,
                "capacity: {m: {value: '40Gi'}} |  | " + NONE,
                "capacity: {m: {value: '40Gi', requestPolicy: {default: '20Gi'}}} |  | r=a; r=a",
                "capacity: {m: {value: '40Gi', requestPolicy: {default: '1Gi', validValues: ['1Gi', '20Gi']}}} | ,"
                        + " capacity: {requests: {m: '2Gi'}} | r=a; r=a",
                "capacity: {m: {value: '40Gi', requestPolicy: {default: '1Gi', validValues: ['1Gi', '30Gi']}}} | ,"
                        + " capacity: {requests: {m: '2Gi'}} | " + NONE,
                "capacity: {m: {value: '40Gi', requestPolicy: {default: '8Gi', validRange: {min: '8Gi', step:"
                        + " '4Gi'}}}} | , capacity: {requests: {m: '13Gi'}} | r=a; r=a",
                "capacity: {m: {value: '40Gi', requestPolicy: {default: '8Gi', validRange: {min: '8Gi', max:"
                        + " '16Gi'}}}} | , capacity: {requests: {m: '17Gi'}} | " + NONE,
                "USES |  | r=a; r=a",
            })
    void sharesHaveCapacity(String device, String request, String verdict) {
        String more = request == null ? "" : request;
        claim(exactly("r", more), "");
        claim(exactly("r", more), "");
        counters(
                "{memory: {value: '40Gi'}}",
                "[{name: 'a', allowMultipleAllocations: true, " + device.replace("USES", uses("40Gi")) + "}]");
        assertEquals(verdict, allocate());
    }

    /** A share without capacity does not show that the counters of its device are consumed already. */
    @ParameterizedTest
    @CsvSource({"'', " + NONE, "', consumedCapacity: {m: 1Gi}', r=a"})
    void sharesOfOtherClaims(String consumed, String verdict) {
        fixture.add(
                "ResourceClaim",
                "{metadata: {namespace: default, name: 'old', uid: 'old', resourceVersion: '1'}, spec: {devices:"
                        + " {requests: ["
                        + exactly("r", "")
                        + "]}}, status: {allocation: {devices: {results: [{request: 'r', driver: 'd',"
                        + " pool: 'n1', device: 'a', shareID: '1'" + consumed.replace("1Gi", "'1Gi'") + "}]}}}}");
        claim(exactly("r", consumed.isEmpty() ? "" : ", capacity: {requests: {m: '1Gi'}}"), "");
        counters(
                "{memory: {value: '40Gi'}}",
                "[{name: 'a', allowMultipleAllocations: true, " + uses("40Gi")
                        + (consumed.isEmpty() ? "" : ", capacity: {m: {value: '2Gi'}}") + "}]");
        assertEquals(verdict, allocate());
    }

    /** As in Kubernetes 1.36, a device without enough capacity still counts for the constraints of later alternatives. */
    @ParameterizedTest
    @CsvSource({"1, r=a q/s1=b", "2, " + NONE})
    void constraintsLeakInTheSearch(int attribute, String verdict) {
        claim(
                exactly(
                                "r",
                                ", capacity: {requests: {m: '30Gi'}}, selectors: [{cel: {expression:"
                                        + " 'device.allowMultipleAllocations'}}]")
                        + ", {name: 'q', firstAvailable: [{name: 's0', deviceClassName: 'any', allocationMode: 'All',"
                        + " capacity: {requests: {m: '20Gi'}}, selectors: [{cel: {expression:"
                        + " 'device.allowMultipleAllocations'}}]}, {name: 's1', deviceClassName: 'any',"
                        + " allocationMode: 'ExactCount', count: 1, selectors: [{cel: {expression:"
                        + " '!device.allowMultipleAllocations'}}]}]}",
                ", constraints: [{matchAttribute: 'd/x', requests: ['q']}]");
        devices("[{name: 'a', allowMultipleAllocations: true, attributes: {x: {int: 1}}, capacity: {m: {value:"
                + " '40Gi'}}}, {name: 'b', attributes: {x: {int: " + attribute + "}}}]");
        assertEquals(verdict, allocate());
    }

    /** What the conditions of an allocated device mean for the filter, and then for PreBind. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{type: 'Ready', status: 'True'} | 2020 | ok | ok",
                "{type: 'Ready', status: 'False'} | 2020 | UU resourceclaim not available on the node |",
                "{type: 'Other', status: 'True'} | 9999 | ok | ERROR device binding timeout: context deadline exceeded",
                "{type: 'Broken', status: 'True', reason: 'R', message: 'm'} | 9999 |"
                        + " UU resourceclaim not available on the node |",
                "{type: 'Broken', status: 'False'}, {type: 'Ready', status: 'True'} | 2020 | ok | ok",
            })
    void bindingConditionsOfAllocatedDevices(String conditions, String year, String filter, String preBind) {
        DynamicResources plugin = allocated(conditions, year);
        PodInfo pod = fixture.pod("p", "{}", "{resourceClaims: [{name: 'k', resourceClaimName: 'c'}]}");
        assertEquals("ok", fixture.preFilter(plugin, pod));
        assertEquals(
                filter,
                PluginFixture.text(
                        plugin.filter(fixture.state, pod, fixture.nodes().get(0))));
        if (filter.equals("ok")) {
            assertEquals("ok", PluginFixture.text(plugin.reserve(fixture.state, pod, "n1")));
            assertEquals(preBind, PluginFixture.text(plugin.preBind(fixture.state, pod, "n1")));
        } else {
            assertEquals(
                    "U deallocation of ResourceClaim completed",
                    PluginFixture.text(plugin.postFilter(fixture.state, pod, Map.of(), () -> Status.SUCCESS)));
        }
    }

    /** A binding that is given up does not wait for conditions any more. */
    @Test
    void unreserveEndsTheWaitForBindingConditions() {
        DynamicResources plugin = allocated("{type: 'Other', status: 'True'}", "9999");
        PodInfo pod = fixture.pod("p", "{}", "{resourceClaims: [{name: 'k', resourceClaimName: 'c'}]}");
        fixture.preFilter(plugin, pod);
        plugin.reserve(fixture.state, pod, "n1");
        plugin.unreserve(fixture.state, pod, "n1");
        assertEquals(
                "ERROR claim default/c: pod default/p was given up in the meantime",
                PluginFixture.text(plugin.preBind(fixture.state, pod, "n1")));
    }

    private DynamicResources allocated(String conditions, String year) {
        fixture.at(release).node("n1", "{}");
        fixture.add(
                "ResourceClaim",
                "{metadata: {namespace: default, name: 'c', uid: 'c', resourceVersion: '1'}, spec: {devices:"
                        + " {requests: ["
                        + exactly("r", "") + "]}}, status: {reservedFor: [{resource: 'pods', name: 'p', uid: 'p-uid'}],"
                        + " allocation: {allocationTimestamp: '" + year
                        + "-01-01T00:00:00Z', devices: {results: [{request:"
                        + " 'r', driver: 'd', pool: 'n1', device: 'a', bindingConditions: ['Ready'],"
                        + " bindingFailureConditions: ['Broken']}]}}, devices: [{driver: 'd', pool: 'n1', device: 'a',"
                        + " conditions: [" + conditions + "]}]}}");
        return fixture.plugin(DynamicResources::create, "{}");
    }

    /** Alternatives are tried in order, and a claim that is too big for all of them has no solution. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.34 | All, ExactCount | 0 | r/s0=a r/s0=b",
                "1.36 | ExactCount, All | 3 | r/s1=a r/s1=b",
                "1.35 | ExactCount, All | 3 | " + NONE,
                "1.34 | ExactCount, All | 3 | " + NONE,
            })
    void alternativesThatRequestAllDevices(String release, String modes, int count, String verdict) {
        List<String> alternatives = new ArrayList<>();
        for (String mode : modes.split(", ")) {
            alternatives.add("{name: 's" + alternatives.size() + "', deviceClassName: 'any', allocationMode: '" + mode
                    + "'" + (mode.equals("All") ? "" : ", count: " + count) + "}");
        }
        at(release).claim("{name: 'r', firstAvailable: [" + String.join(", ", alternatives) + "]}", "");
        devices("[{name: 'a'}, {name: 'b'}]");
        assertEquals(verdict, allocate());
    }

    /** Until 1.35, the second alternative that requests all devices uses the matches of the first. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"1.36 | r/s1=a", "1.35 | " + NONE, "1.34 | " + NONE})
    void eachAlternativeForAllDevicesHasItsOwnMatches(String release, String verdict) {
        String all = "deviceClassName: 'any', allocationMode: 'All', selectors: [{cel: {expression: '";
        at(release)
                .claim(
                        "{name: 'r', firstAvailable: [{name: 's0', " + all
                                + "device.driver == \"none\"'}}]}, {name: 's1', " + all
                                + "device.driver == \"d\"'}}]}]}",
                        "");
        devices("[{name: 'a'}]");
        assertEquals(verdict, allocate());
    }
}
