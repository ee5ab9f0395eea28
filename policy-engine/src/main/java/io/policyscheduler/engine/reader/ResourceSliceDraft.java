package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.engine.cluster.device.AttributeValue;
import io.policyscheduler.engine.cluster.device.Device;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A ResourceSlice while it is being read, of any version since v1beta1, which had the fields of a device below {@code basic}. */
final class ResourceSliceDraft extends ObjectDraft {
    private String driver = "";
    private String pool = "";
    private long generation;
    private long poolSlices;
    private String nodeName = "";
    private @Nullable List<NodeSelectorTerm> nodeTerms;
    private boolean allNodes;
    private boolean perDevice;
    private final List<Device> devices = new ArrayList<>();

    ResourceSliceDraft() {
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
                metadata.name, driver, pool, generation, poolSlices, nodeName, nodeTerms, allNodes, perDevice, devices);
    }
}
