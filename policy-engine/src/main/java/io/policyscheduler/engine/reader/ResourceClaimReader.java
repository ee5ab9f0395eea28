package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.AttributeValue;
import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.DeviceRequest;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConstraint;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceSelector;
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

/** A ResourceClaim while it is being read, of any version since v1beta1, whose requests had the fields of {@code exactly}. */
final class ResourceClaimReader extends KindReader {
    private final List<DeviceRequest> requests = new ArrayList<>(1);
    private final List<DeviceConstraint> constraints = new ArrayList<>(0);
    private final List<DeviceConfig> config = new ArrayList<>(0);
    private @Nullable DeviceAllocation allocation;
    private final List<ClaimConsumer> reservedFor = new ArrayList<>(1);

    ResourceClaimReader() {
        super(false, true);
    }

    @Override
    void body(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "spec" ->
                cursor.object((f, c) -> {
                    if (f.equals("devices")) {
                        c.object(this::devices);
                    } else {
                        c.skip();
                    }
                });
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
        WantedDraft direct = new WantedDraft();
        @Nullable WantedDraft[] exactly = {null};
        List<DeviceRequest.Wanted> alternatives = new ArrayList<>(0);
        cursor.object((f, c) -> {
            switch (f) {
                case "exactly" -> exactly[0] = new WantedDraft().read(c);
                case "firstAvailable" ->
                    c.array(e -> {
                        WantedDraft alternative = new WantedDraft().read(e);
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

    /** Devices asked for while they are being read. */
    private static final class WantedDraft {
        private String name = "";
        private String deviceClass = "";
        private List<DeviceSelector> selectors = List.of();
        private String mode = "";
        private long count;
        private boolean adminAccess;
        private boolean capacity;

        WantedDraft read(JsonCursor cursor) throws IOException {
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
                    capacity = true;
                    cursor.skip();
                }
                default -> cursor.skip();
            }
        }

        DeviceRequest.Wanted build(String called) {
            return new DeviceRequest.Wanted(called, deviceClass, selectors, mode, count, adminAccess, capacity);
        }
    }

    private static DeviceConstraint constraint(JsonCursor cursor) throws IOException {
        List<String> names = new ArrayList<>(1);
        @Nullable String[] attribute = {null};
        cursor.object((f, c) -> {
            switch (f) {
                case "requests" -> names.addAll(c.strings());
                case "matchAttribute" -> attribute[0] = c.string();
                default -> c.skip();
            }
        });
        return new DeviceConstraint(names, attribute[0]);
    }

    private void status(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "allocation" -> allocation = allocation(cursor);
            case "reservedFor" -> cursor.array(c -> reservedFor.add(consumer(c)));
            default -> cursor.skip();
        }
    }

    private static DeviceAllocation allocation(JsonCursor cursor) throws IOException {
        List<DeviceAllocation.Result> results = new ArrayList<>(1);
        List<DeviceConfig> told = new ArrayList<>(0);
        List<List<NodeSelectorTerm>> terms = new ArrayList<>(1);
        cursor.object((f, c) -> {
            switch (f) {
                case "devices" ->
                    c.object((g, d) -> {
                        switch (g) {
                            case "results" -> d.array(e -> results.add(result(e)));
                            case "config" -> d.array(e -> told.add(DeviceReader.config(e)));
                            default -> d.skip();
                        }
                    });
                case "nodeSelector" -> terms.add(SelectorReader.nodeSelector(c));
                default -> c.skip();
            }
        });
        return new DeviceAllocation(results, told, terms.isEmpty() ? null : terms.get(terms.size() - 1));
    }

    private static DeviceAllocation.Result result(JsonCursor cursor) throws IOException {
        String[] text = {"", "", "", ""};
        boolean[] admin = {false};
        cursor.object((f, c) -> {
            switch (f) {
                case "request" -> text[0] = c.string();
                case "driver" -> text[1] = c.string();
                case "pool" -> text[2] = c.string();
                case "device" -> text[3] = c.string();
                case "adminAccess" -> admin[0] = c.bool();
                default -> c.skip();
            }
        });
        return new DeviceAllocation.Result(text[0], new DeviceId(text[1], text[2], text[3]), admin[0]);
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
                reservedFor);
    }

    /** Parts that several kinds of {@code resource.k8s.io} have. */
    static final class DeviceReader {
        private DeviceReader() {}

        static DeviceSelector selector(JsonCursor cursor) throws IOException {
            @Nullable String[] expression = {null};
            cursor.object((f, c) -> {
                if (f.equals("cel")) {
                    expression[0] = "";
                    c.object((g, d) -> {
                        if (g.equals("expression")) {
                            expression[0] = d.uniqueString();
                        } else {
                            d.skip();
                        }
                    });
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

    /** A ResourceSlice while it is being read, of any version since v1beta1, which had the fields of a device below {@code basic}. */
    static final class ResourceSliceReader extends KindReader {
        private String driver = "";
        private String pool = "";
        private long generation;
        private long poolSlices;
        private String nodeName = "";
        private @Nullable List<NodeSelectorTerm> nodeTerms;
        private boolean allNodes;
        private boolean perDevice;
        private final List<Device> devices = new ArrayList<>();

        ResourceSliceReader() {
            super(false);
        }

        @Override
        void body(String name, JsonCursor cursor) throws IOException {
            if (name.equals("spec")) {
                cursor.object(this::spec);
            } else {
                cursor.skip();
            }
        }

        private void spec(String name, JsonCursor cursor) throws IOException {
            switch (name) {
                case "driver" -> driver = cursor.string();
                case "pool" -> cursor.object(this::pool);
                case "nodeName" -> nodeName = cursor.string();
                case "nodeSelector" -> nodeTerms = SelectorReader.nodeSelector(cursor);
                case "allNodes" -> allNodes = cursor.bool();
                case "perDeviceNodeSelection" -> {
                    cursor.bool();
                    perDevice = true;
                }
                case "devices" -> cursor.array(c -> devices.add(new DeviceDraft().read(c)));
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

        /** A device while it is being read. */
        private static final class DeviceDraft {
            private String name = "";
            private final Map<String, AttributeValue> attributes = new TreeMap<>();
            private final Map<String, String> capacity = new TreeMap<>();
            private boolean shareable;
            private Device.Binding binding = Device.Binding.UNSAID;
            private boolean consumesCounters;
            private boolean bindsToNode;

            Device read(JsonCursor cursor) throws IOException {
                cursor.object(this::field);
                return new Device(name, attributes, capacity, shareable, binding, consumesCounters, bindsToNode);
            }

            private void field(String field, JsonCursor cursor) throws IOException {
                switch (field) {
                    case "name" -> name = cursor.string();
                    case "basic" -> cursor.object(this::field);
                    case "attributes" -> cursor.object((f, c) -> attributes.put(f, attribute(c)));
                    case "capacity" -> cursor.object((f, c) -> capacity.put(f, amount(c)));
                    case "allowMultipleAllocations" -> shareable = cursor.bool();
                    case "bindingConditions" ->
                        binding = cursor.strings().isEmpty() ? Device.Binding.NO_CONDITIONS : Device.Binding.CONDITIONS;
                    case "consumesCounters" ->
                        cursor.array(c -> {
                            consumesCounters = true;
                            c.skip();
                        });
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

            /** An object with a value, of which v1beta1's early days had the value alone. */
            private static String amount(JsonCursor cursor) throws IOException {
                if (cursor.parser().currentToken() != JsonToken.START_OBJECT) {
                    return cursor.quantityText();
                }
                String[] value = {"0"};
                cursor.object((f, c) -> {
                    if (f.equals("value")) {
                        value[0] = c.quantityText();
                    } else {
                        c.skip();
                    }
                });
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
                    devices);
        }
    }
}
