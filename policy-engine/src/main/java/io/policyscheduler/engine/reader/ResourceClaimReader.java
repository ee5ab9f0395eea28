package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.AttributeValue;
import io.policyscheduler.engine.cluster.object.Device.CounterSet;
import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.Device.NodeSelection;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.DeviceCondition;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.DeviceStatus;
import io.policyscheduler.engine.cluster.object.DeviceRequest;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConstraint;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceSelector;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceToleration;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.reader.AffinityReader.SelectorReader;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Builds a ResourceClaim of any version since v1beta1, whose requests had the fields of {@code exactly}, while its fields are read.
 */
final class ResourceClaimReader extends KindReader {
    private final List<DeviceRequest> requests = new ArrayList<>(1);
    private final List<DeviceConstraint> constraints = new ArrayList<>(0);
    private final List<DeviceConfig> config = new ArrayList<>(0);
    private @Nullable DeviceAllocation allocation;
    private final List<ClaimConsumer> reservedFor = new ArrayList<>(1);
    private final List<DeviceStatus> devices = new ArrayList<>(0);

    ResourceClaimReader() {
        super(true, true);
    }

    @Override
    void body(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "spec" -> cursor.field("devices", c -> c.object(this::devices));
            case "status" -> cursor.object(this::status);
            default -> cursor.skip();
        }
    }

    private void devices(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "requests" -> cursor.array(c -> requests.add(request(c)));
            case "constraints" -> cursor.array(c -> constraints.add(constraint(c)));
            case "config" -> cursor.array(c -> config.add(DeviceReader.config(c)));
            default -> cursor.skip();
        }
    }

    private static DeviceRequest request(JsonCursor cursor) throws IOException {
        RequestedDevicesReader direct = new RequestedDevicesReader();
        @Nullable RequestedDevicesReader[] exactly = {null};
        List<DeviceRequest.RequestedDevices> alternatives = new ArrayList<>(0);
        cursor.object((f, c) -> {
            switch (f) {
                case "exactly" -> exactly[0] = new RequestedDevicesReader().read(c);
                case "firstAvailable" ->
                    c.array(e -> {
                        RequestedDevicesReader alternative = new RequestedDevicesReader().read(e);
                        alternatives.add(alternative.build(alternative.name));
                    });
                default -> direct.field(f, c);
            }
        });
        if (exactly[0] == null && !direct.deviceClass.isEmpty()) {
            exactly[0] = direct;
        }
        return new DeviceRequest(direct.name, exactly[0] == null ? null : exactly[0].build(direct.name), alternatives);
    }

    /** Builds requested devices while their fields are read. */
    private static final class RequestedDevicesReader {
        private String name = "";
        private String deviceClass = "";
        private List<DeviceSelector> selectors = List.of();
        private String mode = "";
        private long count;
        private boolean adminAccess;
        private @Nullable Map<String, String> capacity;
        private List<DeviceToleration> tolerations = List.of();

        RequestedDevicesReader read(JsonCursor cursor) throws IOException {
            cursor.object(this::field);
            return this;
        }

        void field(String field, JsonCursor cursor) throws IOException {
            switch (field) {
                case "name" -> name = cursor.string();
                case "deviceClassName" -> deviceClass = cursor.string();
                case "selectors" -> selectors = DeviceReader.selectors(cursor);
                case "allocationMode" -> mode = cursor.string();
                case "count" -> count = cursor.longInteger();
                case "adminAccess" -> adminAccess = cursor.bool();
                case "capacity" -> {
                    Map<String, String> amounts = new TreeMap<>();
                    cursor.field("requests", c -> c.object((resource, d) -> amounts.put(resource, d.quantityText())));
                    capacity = amounts;
                }
                case "tolerations" -> tolerations = DeviceReader.tolerations(cursor);
                default -> cursor.skip();
            }
        }

        DeviceRequest.RequestedDevices build(String called) {
            return new DeviceRequest.RequestedDevices(
                    called, deviceClass, selectors, mode, count, adminAccess, capacity, tolerations);
        }
    }

    private static DeviceConstraint constraint(JsonCursor cursor) throws IOException {
        List<String> names = new ArrayList<>(1);
        @Nullable String[] attribute = {null, null};
        cursor.object((f, c) -> {
            switch (f) {
                case "requests" -> names.addAll(c.strings());
                case "matchAttribute" -> attribute[0] = c.string();
                case "distinctAttribute" -> attribute[1] = c.string();
                default -> c.skip();
            }
        });
        return new DeviceConstraint(names, attribute[0], attribute[1]);
    }

    private void status(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "allocation" -> allocation = allocation(cursor);
            case "reservedFor" -> cursor.array(c -> reservedFor.add(consumer(c)));
            case "devices" -> cursor.array(c -> devices.add(deviceStatus(c)));
            default -> cursor.skip();
        }
    }

    private static DeviceAllocation allocation(JsonCursor cursor) throws IOException {
        List<DeviceAllocation.Result> results = new ArrayList<>(1);
        List<DeviceConfig> configs = new ArrayList<>(0);
        List<List<NodeSelectorTerm>> terms = new ArrayList<>(1);
        long[] time = {PodInfo.NO_TIME};
        cursor.object((f, c) -> {
            switch (f) {
                case "devices" ->
                    c.object((g, d) -> {
                        switch (g) {
                            case "results" -> d.array(e -> results.add(result(e)));
                            case "config" -> d.array(e -> configs.add(DeviceReader.config(e)));
                            default -> d.skip();
                        }
                    });
                case "nodeSelector" -> terms.add(SelectorReader.nodeSelector(c));
                case "allocationTimestamp" -> time[0] = c.timeOrNone();
                default -> c.skip();
            }
        });
        return new DeviceAllocation(results, configs, terms.isEmpty() ? null : terms.get(terms.size() - 1), time[0]);
    }

    private static DeviceAllocation.Result result(JsonCursor cursor) throws IOException {
        String[] text = {"", "", "", "", ""};
        boolean[] admin = {false};
        Map<String, String> consumed = new TreeMap<>();
        List<DeviceToleration> tolerations = new ArrayList<>(0);
        List<String> conditions = new ArrayList<>(0);
        List<String> failures = new ArrayList<>(0);
        cursor.object((f, c) -> {
            switch (f) {
                case "request" -> text[0] = c.string();
                case "driver" -> text[1] = c.string();
                case "pool" -> text[2] = c.string();
                case "device" -> text[3] = c.string();
                case "adminAccess" -> admin[0] = c.bool();
                case "shareID" -> text[4] = c.uniqueString();
                case "consumedCapacity" -> c.object((name, d) -> consumed.put(name, d.quantityText()));
                case "tolerations" -> tolerations.addAll(DeviceReader.tolerations(c));
                case "bindingConditions" -> conditions.addAll(c.strings());
                case "bindingFailureConditions" -> failures.addAll(c.strings());
                default -> c.skip();
            }
        });
        return new DeviceAllocation.Result(
                text[0],
                new DeviceId(text[1], text[2], text[3]),
                admin[0],
                tolerations,
                text[4],
                consumed,
                conditions,
                failures);
    }

    private static DeviceStatus deviceStatus(JsonCursor cursor) throws IOException {
        String[] text = {"", "", "", ""};
        Map<String, DeviceCondition> conditions = new TreeMap<>();
        cursor.object((f, c) -> {
            switch (f) {
                case "driver" -> text[0] = c.string();
                case "pool" -> text[1] = c.string();
                case "device" -> text[2] = c.string();
                case "shareID" -> text[3] = c.uniqueString();
                case "conditions" -> c.array(d -> condition(d, conditions));
                default -> c.skip();
            }
        });
        return new DeviceStatus(new DeviceId(text[0], text[1], text[2]), text[3], conditions);
    }

    private static void condition(JsonCursor cursor, Map<String, DeviceCondition> conditions) throws IOException {
        String[] text = {"", "", "", ""};
        cursor.object((f, c) -> {
            switch (f) {
                case "type" -> text[0] = c.string();
                case "status" -> text[1] = c.string();
                case "reason" -> text[2] = c.string();
                case "message" -> text[3] = c.uniqueString();
                default -> c.skip();
            }
        });
        conditions.put(text[0], new DeviceCondition(text[1], text[2], text[3]));
    }

    private static ClaimConsumer consumer(JsonCursor cursor) throws IOException {
        String[] text = {"", "", "", ""};
        cursor.object((f, c) -> {
            switch (f) {
                case "apiGroup" -> text[0] = c.string();
                case "resource" -> text[1] = c.string();
                case "name" -> text[2] = c.uniqueString();
                case "uid" -> text[3] = c.uniqueString();
                default -> c.skip();
            }
        });
        return new ClaimConsumer(text[0], text[1], text[2], text[3]);
    }

    @Override
    ClusterObject build() {
        return new ResourceClaimInfo(
                metadata.namespace,
                metadata.name,
                metadata.uid,
                metadata.resourceVersion,
                metadata.terminating,
                metadata.controller,
                metadata.finalizers,
                requests,
                constraints,
                config,
                allocation,
                reservedFor,
                devices,
                metadata.annotations
                        .getOrEmpty(ResourceClaimInfo.EXTENDED_RESOURCES)
                        .equals("true"));
    }

    /** Readers for common parts of the kinds of {@code resource.k8s.io}. */
    static final class DeviceReader {
        private DeviceReader() {}

        static DeviceSelector selector(JsonCursor cursor) throws IOException {
            @Nullable String[] expression = {null};
            cursor.object((f, c) -> {
                if (f.equals("cel")) {
                    expression[0] = "";
                    c.field("expression", d -> expression[0] = d.uniqueString());
                } else {
                    c.skip();
                }
            });
            return new DeviceSelector(expression[0]);
        }

        static List<DeviceSelector> selectors(JsonCursor cursor) throws IOException {
            List<DeviceSelector> selectors = new ArrayList<>(1);
            cursor.array(c -> selectors.add(selector(c)));
            return selectors;
        }

        static List<DeviceToleration> tolerations(JsonCursor cursor) throws IOException {
            List<DeviceToleration> tolerations = new ArrayList<>(1);
            cursor.array(e -> {
                String[] text = {"", "", "", ""};
                @Nullable Long[] seconds = {null};
                e.object((f, c) -> {
                    switch (f) {
                        case "key" -> text[0] = c.string();
                        case "operator" -> text[1] = c.string();
                        case "value" -> text[2] = c.string();
                        case "effect" -> text[3] = c.string();
                        case "tolerationSeconds" -> seconds[0] = c.longInteger();
                        default -> c.skip();
                    }
                });
                tolerations.add(new DeviceToleration(text[0], text[1], text[2], text[3], seconds[0]));
            });
            return tolerations;
        }

        static DeviceConfig config(JsonCursor cursor) throws IOException {
            String[] source = {""};
            List<String> requests = new ArrayList<>(0);
            StringWriter content = new StringWriter();
            try (JsonGenerator json = new JsonFactory().createGenerator(content)) {
                json.writeStartObject();
                cursor.object((f, c) -> {
                    switch (f) {
                        case "source" -> source[0] = c.string();
                        case "requests" -> requests.addAll(c.strings());
                        default -> {
                            json.writeFieldName(f);
                            json.copyCurrentStructure(c.parser());
                        }
                    }
                });
                json.writeEndObject();
            }
            return new DeviceConfig(source[0], requests, content.toString());
        }
    }

    /**
     * Builds a ResourceSlice of any version since v1beta1, which had the fields of a device in {@code basic}, while its fields are
     * read.
     */
    static final class ResourceSliceReader extends KindReader {
        private String driver = "";
        private String pool = "";
        private long generation;
        private long poolSlices;
        private String nodeName = "";
        private @Nullable List<NodeSelectorTerm> nodeTerms;
        private boolean allNodes;
        private @Nullable Boolean perDevice;
        private @Nullable List<CounterSet> sharedCounters;
        private final List<Device> devices = new ArrayList<>();

        ResourceSliceReader() {
            super(false);
        }

        @Override
        void spec(JsonCursor cursor) throws IOException {
            cursor.object(this::spec);
        }

        private void spec(String name, JsonCursor cursor) throws IOException {
            switch (name) {
                case "driver" -> driver = cursor.string();
                case "pool" -> cursor.object(this::pool);
                case "nodeName" -> nodeName = cursor.string();
                case "nodeSelector" -> nodeTerms = SelectorReader.nodeSelector(cursor);
                case "allNodes" -> allNodes = cursor.bool();
                case "perDeviceNodeSelection" -> perDevice = cursor.bool();
                case "sharedCounters" -> {
                    List<CounterSet> sets = new ArrayList<>(1);
                    cursor.array(c -> sets.add(counterSet(c)));
                    sharedCounters = sets;
                }
                case "devices" -> cursor.array(c -> devices.add(new SliceDeviceReader().read(c)));
                default -> cursor.skip();
            }
        }

        private void pool(String name, JsonCursor cursor) throws IOException {
            switch (name) {
                case "name" -> pool = cursor.string();
                case "generation" -> generation = cursor.longInteger();
                case "resourceSliceCount" -> poolSlices = cursor.longInteger();
                default -> cursor.skip();
            }
        }

        private static CounterSet counterSet(JsonCursor cursor) throws IOException {
            String[] name = {""};
            Map<String, String> counters = new TreeMap<>();
            cursor.object((f, c) -> {
                switch (f) {
                    // A device refers to the set that it consumes from, a slice defines the set.
                    case "name", "counterSet" -> name[0] = c.string();
                    case "counters" -> c.object((counter, d) -> counters.put(counter, SliceDeviceReader.amount(d)));
                    default -> c.skip();
                }
            });
            return new CounterSet(name[0], counters);
        }

        /** Builds a device while its fields are read. */
        private static final class SliceDeviceReader {
            private String name = "";
            private final Map<String, AttributeValue> attributes = new TreeMap<>();
            private final Map<String, String> capacity = new TreeMap<>();
            private final Map<String, Device.RequestPolicy> policies = new TreeMap<>();
            private boolean shareable;
            private @Nullable List<String> bindingConditions;
            private List<String> bindingFailureConditions = List.of();
            private final List<CounterSet> consumesCounters = new ArrayList<>(0);
            private final List<Taint> taints = new ArrayList<>(0);
            private String nodeName = "";
            private @Nullable List<NodeSelectorTerm> nodeTerms;
            private boolean allNodes;
            private boolean bindsToNode;

            Device read(JsonCursor cursor) throws IOException {
                cursor.object(this::field);
                return new Device(
                        name,
                        attributes,
                        capacity,
                        policies,
                        shareable,
                        bindingConditions,
                        bindingFailureConditions,
                        consumesCounters,
                        taints,
                        new NodeSelection(nodeName, nodeTerms, allNodes),
                        bindsToNode);
            }

            private void field(String field, JsonCursor cursor) throws IOException {
                switch (field) {
                    case "name" -> name = cursor.string();
                    case "basic" -> cursor.object(this::field);
                    case "attributes" -> cursor.object((f, c) -> attributes.put(f, attribute(c)));
                    case "capacity" -> cursor.object(this::capacity);
                    case "allowMultipleAllocations" -> shareable = cursor.bool();
                    case "bindingConditions" -> bindingConditions = cursor.strings();
                    case "bindingFailureConditions" -> bindingFailureConditions = cursor.strings();
                    case "consumesCounters" -> cursor.array(c -> consumesCounters.add(counterSet(c)));
                    case "taints" -> cursor.array(c -> taints.add(NodeReader.taintOf(c)));
                    case "nodeName" -> nodeName = cursor.string();
                    case "nodeSelector" -> nodeTerms = SelectorReader.nodeSelector(cursor);
                    case "allNodes" -> allNodes = cursor.bool();
                    case "bindsToNode" -> bindsToNode = cursor.bool();
                    default -> cursor.skip();
                }
            }

            private static AttributeValue attribute(JsonCursor cursor) throws IOException {
                AttributeValue[] value = {AttributeValue.NONE};
                cursor.object((f, c) -> {
                    switch (f) {
                        case "int" -> value[0] = AttributeValue.of(c.longInteger());
                        case "bool" -> value[0] = AttributeValue.of(c.bool());
                        case "string" -> value[0] = AttributeValue.of(c.string());
                        case "version" -> value[0] = AttributeValue.version(c.string());
                        default -> c.skip();
                    }
                });
                return value[0];
            }

            private void capacity(String capacityName, JsonCursor cursor) throws IOException {
                if (cursor.parser().currentToken() != JsonToken.START_OBJECT) {
                    capacity.put(capacityName, cursor.quantityText());
                    return;
                }
                capacity.put(capacityName, "0");
                cursor.object((f, c) -> {
                    switch (f) {
                        case "value" -> capacity.put(capacityName, c.quantityText());
                        case "requestPolicy" -> policies.put(capacityName, policy(c));
                        default -> c.skip();
                    }
                });
            }

            private static Device.RequestPolicy policy(JsonCursor cursor) throws IOException {
                String[] preset = {""};
                List<String> values = new ArrayList<>(0);
                @Nullable String[] range = {null, null, null};
                cursor.object((f, c) -> {
                    switch (f) {
                        case "default" -> preset[0] = c.quantityText();
                        case "validValues" -> c.array(d -> values.add(d.quantityText()));
                        case "validRange" ->
                            c.object((g, d) -> {
                                switch (g) {
                                    case "min" -> range[0] = d.quantityText();
                                    case "max" -> range[1] = d.quantityText();
                                    case "step" -> range[2] = d.quantityText();
                                    default -> d.skip();
                                }
                            });
                        default -> c.skip();
                    }
                });
                return new Device.RequestPolicy(preset[0], values, range[0], range[1], range[2]);
            }

            /** An object with a value; early v1beta1 had only the value. */
            private static String amount(JsonCursor cursor) throws IOException {
                if (cursor.parser().currentToken() != JsonToken.START_OBJECT) {
                    return cursor.quantityText();
                }
                String[] value = {"0"};
                cursor.field("value", c -> value[0] = c.quantityText());
                return value[0];
            }
        }

        @Override
        ClusterObject build() {
            return new ResourceSliceInfo(
                    metadata.name,
                    driver,
                    pool,
                    generation,
                    poolSlices,
                    nodeName,
                    nodeTerms,
                    allNodes,
                    perDevice,
                    sharedCounters,
                    devices);
        }
    }
}
