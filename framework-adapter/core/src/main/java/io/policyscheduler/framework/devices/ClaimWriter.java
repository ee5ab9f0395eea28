package io.policyscheduler.framework.devices;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.DeviceRequest;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceToleration;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.devices.ExtendedResources.SpecialClaim;
import io.policyscheduler.framework.plugin.PluginHandle;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The writer of allocations and reservations to resource claims. */
public interface ClaimWriter {
    /** A handle for the plugin that allocates devices. Not available to out-of-tree plugins. */
    interface Handle extends PluginHandle {
        /** Returns the writer of the profile. */
        ClaimWriter claimWriter();
    }

    /** Returns the writer of a handle; one that writes in memory if the handle has none. */
    static ClaimWriter of(PluginHandle handle) {
        return handle instanceof Handle with
                ? with.claimWriter()
                : inMemory(handle.cluster().assumedClaims());
    }

    /** The error of a wait for binding conditions that did not end in time. */
    String TIMED_OUT = "device binding timeout: context deadline exceeded";

    /**
     * Reserves a claim for a pod, writes the allocation of an unallocated claim, and updates {@link AssumedClaims}. Called
     * on a binding thread; can block. From this call on, the writer ends the in-flight state of the allocation. After a
     * failure, it does so only once the API server can no longer execute the request.
     *
     * @param allocation the allocation of the claim; null if it is allocated already
     * @throws ClaimWriteException if the claim no longer exists or the write fails
     */
    void reserve(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, PodInfo pod)
            throws ClaimWriteException;

    /**
     * Creates the claim for the extended resources of a pod, writes its allocation, and sets {@code
     * status.extendedResourceClaimStatus} of the pod. Called on a binding thread; can block. Ends the in-flight state as for
     * {@link #reserve}.
     *
     * @param special the claim without a name, with its requests
     * @return the created claim
     * @throws ClaimWriteException if a write fails
     */
    ResourceClaimInfo create(SpecialClaim special, DeviceAllocation allocation, PodInfo pod) throws ClaimWriteException;

    /**
     * Deletes the claim for the extended resources of a pod, after its finalizer. Does not block for long.
     *
     * @return the error; empty after success, or if there is no response yet
     */
    String deleteCreated(ResourceClaimInfo claim);

    /**
     * Waits until the binding conditions of claims are true. Called on a binding thread; blocks.
     *
     * @param timeout maximum duration of the wait
     * @param check returns an empty text for a claim whose conditions are true, the error of one that failed, and null as long as
     *     neither is certain
     * @return the error; empty when all conditions are true
     */
    String awaitBindingConditions(
            List<ResourceClaimInfo> claims,
            PodInfo pod,
            String node,
            Duration timeout,
            Function<ResourceClaimInfo, @Nullable String> check);

    /**
     * Returns whether no write of a claim has begun, as the test says. A writer that is recorded returns the same in a replay, where
     * no write begins.
     */
    default boolean isUnwritten(ResourceClaimInfo claim, BooleanSupplier test) {
        return test.getAsBoolean();
    }

    /** Removes the pod from the consumers of the claim. Does not block; logs failures. */
    void release(ResourceClaimInfo claim, PodInfo pod);

    /**
     * Deallocates an unused claim. Blocks the scheduling thread, so it waits for the API server only briefly.
     *
     * @return the error; empty after success, or if there is no response yet. A later success updates {@link AssumedClaims},
     *     a later failure is logged
     */
    String deallocate(ResourceClaimInfo claim);

    /** Returns the claim with the reservation. */
    static ResourceClaimInfo reserved(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, PodInfo pod) {
        List<String> finalizers = new ArrayList<>(claim.finalizers());
        if (allocation != null && !finalizers.contains(ResourceClaimInfo.FINALIZER)) {
            finalizers.add(ResourceClaimInfo.FINALIZER);
        }
        List<ClaimConsumer> consumers = new ArrayList<>(claim.reservedFor());
        consumers.add(ClaimConsumer.pod(pod.name(), pod.uid()));
        return claim.with(finalizers, allocation == null ? claim.allocation() : allocation, consumers);
    }

    /** Returns a writer that only updates {@link AssumedClaims}, for simulations. */
    static ClaimWriter inMemory(AssumedClaims claims) {
        return new ClaimWriter() {
            @Override
            public void reserve(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, PodInfo pod) {
                claims.putWritten(reserved(claim, allocation, pod));
                claims.allocationEnded(claim);
            }

            @Override
            public ResourceClaimInfo create(SpecialClaim special, DeviceAllocation allocation, PodInfo pod) {
                ResourceClaimInfo claim = reserved(
                        special.claim()
                                .named(
                                        ExtendedResources.generateName(pod) + "0",
                                        special.claim().uid()),
                        allocation,
                        pod);
                claims.created(claim);
                claims.allocationEnded(special.claim());
                return claim;
            }

            @Override
            public String deleteCreated(ResourceClaimInfo claim) {
                claims.deleted(claim);
                return "";
            }

            @Override
            public String awaitBindingConditions(
                    List<ResourceClaimInfo> bound,
                    PodInfo pod,
                    String node,
                    Duration timeout,
                    Function<ResourceClaimInfo, @Nullable String> check) {
                for (ResourceClaimInfo claim : bound) {
                    ResourceClaimInfo now = claims.claim(claim.namespace(), claim.name());
                    String problem = check.apply(now == null ? claim : now);
                    if (problem == null) {
                        return TIMED_OUT;
                    }
                    if (!problem.isEmpty()) {
                        return problem;
                    }
                }
                return "";
            }

            @Override
            public void release(ResourceClaimInfo claim, PodInfo pod) {
                List<ClaimConsumer> others = claim.reservedFor().stream()
                        .filter(consumer -> !consumer.uid().equals(pod.uid()))
                        .toList();
                claims.putWritten(claim.with(claim.finalizers(), claim.allocation(), others));
            }

            @Override
            public String deallocate(ResourceClaimInfo claim) {
                claims.putWritten(claim.with(claim.finalizers(), null, List.of()));
                return "";
            }
        };
    }

    /** Thrown if a resource claim cannot be written. The message is that of Kubernetes. */
    public static final class ClaimWriteException extends Exception {
        private static final long serialVersionUID = 1L;

        public ClaimWriteException(String message) {
            super(message);
        }
    }

    /** The JSON of a claim's status. */
    public static final class ClaimJson {
        private static final ObjectMapper JSON = new ObjectMapper();

        private ClaimJson() {}

        /** Returns {@code status.allocation}. */
        public static ObjectNode allocation(DeviceAllocation allocation) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            ObjectNode devices = json.putObject("devices");
            if (!allocation.config().isEmpty()) {
                ArrayNode config = devices.putArray("config");
                allocation.config().forEach(entry -> config.add(config(entry)));
            }
            if (!allocation.results().isEmpty()) {
                ArrayNode results = devices.putArray("results");
                allocation.results().forEach(result -> {
                    ObjectNode one = results.addObject();
                    if (result.adminAccess()) {
                        one.put("adminAccess", true);
                    }
                    strings(one, "bindingConditions", result.bindingConditions());
                    strings(one, "bindingFailureConditions", result.bindingFailureConditions());
                    if (!result.consumed().isEmpty()) {
                        result.consumed().forEach(one.putObject("consumedCapacity")::put);
                    }
                    one.put("device", result.device().device())
                            .put("driver", result.device().driver())
                            .put("pool", result.device().pool())
                            .put("request", result.request());
                    if (!result.shareId().isEmpty()) {
                        one.put("shareID", result.shareId());
                    }
                    if (!result.tolerations().isEmpty()) {
                        ArrayNode tolerations = one.putArray("tolerations");
                        result.tolerations().forEach(toleration -> tolerations.add(toleration(toleration)));
                    }
                });
            }
            if (allocation.nodeTerms() != null) {
                ArrayNode terms = json.putObject("nodeSelector").putArray("nodeSelectorTerms");
                for (NodeSelectorTerm term : allocation.nodeTerms()) {
                    ObjectNode one = terms.addObject();
                    requirements(one, "matchExpressions", term.expressions());
                    requirements(one, "matchFields", term.fields());
                }
            }
            if (allocation.allocatedMillis() != PodInfo.NO_TIME) {
                json.put(
                        "allocationTimestamp",
                        Instant.ofEpochMilli(allocation.allocatedMillis())
                                .truncatedTo(ChronoUnit.SECONDS)
                                .toString());
            }
            return json;
        }

        private static void strings(ObjectNode json, String field, List<String> values) {
            if (!values.isEmpty()) {
                values.forEach(json.putArray(field)::add);
            }
        }

        private static ObjectNode toleration(DeviceToleration toleration) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            Map<String, String> fields = new LinkedHashMap<>();
            fields.put("key", toleration.key());
            fields.put("operator", toleration.operator());
            fields.put("value", toleration.value());
            fields.put("effect", toleration.effect());
            fields.values().removeIf(String::isEmpty);
            fields.forEach(json::put);
            if (toleration.seconds() != null) {
                json.put("tolerationSeconds", toleration.seconds());
            }
            return json;
        }

        /** Returns the {@code spec} of a claim for extended resources. */
        public static ObjectNode spec(SpecialClaim special) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            ArrayNode requests = json.putObject("devices").putArray("requests");
            for (DeviceRequest request : special.claim().requests()) {
                DeviceRequest.RequestedDevices exactRequest = Objects.requireNonNull(request.exactly());
                requests.addObject()
                        .put("name", request.name())
                        .putObject("exactly")
                        .put("deviceClassName", exactRequest.deviceClass())
                        .put("allocationMode", exactRequest.allocationMode())
                        .put("count", exactRequest.count());
            }
            return json;
        }

        /** Returns the claim for extended resources, as it is created. */
        public static ObjectNode claim(SpecialClaim special, PodInfo pod) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("apiVersion", "resource.k8s.io/v1").put("kind", "ResourceClaim");
            ObjectNode metadata = json.putObject("metadata");
            metadata.put("namespace", pod.namespace()).put("generateName", ExtendedResources.generateName(pod));
            metadata.putObject("annotations").put(ResourceClaimInfo.EXTENDED_RESOURCES, "true");
            metadata.putArray("ownerReferences")
                    .addObject()
                    .put("apiVersion", "v1")
                    .put("kind", "Pod")
                    .put("name", pod.name())
                    .put("uid", pod.uid())
                    .put("controller", true)
                    .put("blockOwnerDeletion", true);
            json.set("spec", spec(special));
            return json;
        }

        /** Returns {@code requestMappings} of {@code status.extendedResourceClaimStatus}. */
        public static ArrayNode mappings(SpecialClaim special) {
            ArrayNode json = JsonNodeFactory.instance.arrayNode();
            special.mappings()
                    .forEach(mapping -> json.addObject()
                            .put("containerName", mapping.container())
                            .put("resourceName", mapping.resource())
                            .put("requestName", mapping.request()));
            return json;
        }

        private static ObjectNode config(DeviceConfig entry) {
            ObjectNode json;
            try {
                json = (ObjectNode) JSON.readTree(entry.content());
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("what was read as JSON is none: " + entry.content(), e);
            }
            if (!entry.requests().isEmpty()) {
                entry.requests().forEach(json.putArray("requests")::add);
            }
            return json.put("source", entry.source());
        }

        private static void requirements(ObjectNode term, String field, List<LabelRequirement> requirements) {
            if (requirements.isEmpty()) {
                return;
            }
            ArrayNode list = term.putArray(field);
            for (LabelRequirement requirement : requirements) {
                ObjectNode one = list.addObject().put("key", requirement.key()).put("operator", requirement.operator());
                if (!requirement.values().isEmpty()) {
                    requirement.values().forEach(one.putArray("values")::add);
                }
            }
        }

        /** Returns an entry of {@code status.reservedFor}. */
        public static ObjectNode consumer(ClaimConsumer consumer) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            if (!consumer.apiGroup().isEmpty()) {
                json.put("apiGroup", consumer.apiGroup());
            }
            return json.put("resource", consumer.resource())
                    .put("name", consumer.name())
                    .put("uid", consumer.uid());
        }
    }
}
