package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.device.ClaimConsumer;
import io.policyscheduler.engine.cluster.device.DeviceAllocation;
import io.policyscheduler.engine.cluster.device.DeviceConfig;
import io.policyscheduler.engine.cluster.device.DeviceConstraint;
import io.policyscheduler.engine.cluster.device.DeviceId;
import io.policyscheduler.engine.cluster.device.DeviceRequest;
import io.policyscheduler.engine.cluster.device.DeviceSelector;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A ResourceClaim while it is being read, of any version since v1beta1, whose requests had the fields of {@code exactly}. */
final class ResourceClaimDraft extends ObjectDraft {
    private final List<DeviceRequest> requests = new ArrayList<>(1);
    private final List<DeviceConstraint> constraints = new ArrayList<>(0);
    private final List<DeviceConfig> config = new ArrayList<>(0);
    private @Nullable DeviceAllocation allocation;
    private final List<ClaimConsumer> reservedFor = new ArrayList<>(1);

    ResourceClaimDraft() {
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
}
