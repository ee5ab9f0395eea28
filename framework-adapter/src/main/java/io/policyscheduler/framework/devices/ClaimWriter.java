package io.policyscheduler.framework.devices;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The writer of allocations and reservations to resource claims. */
public interface ClaimWriter {
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
                claims.wrote(reserved(claim, allocation, pod));
                claims.allocationEnded(claim);
            }

            @Override
            public void release(ResourceClaimInfo claim, PodInfo pod) {
                List<ClaimConsumer> others = claim.reservedFor().stream()
                        .filter(consumer -> !consumer.uid().equals(pod.uid()))
                        .toList();
                claims.wrote(claim.with(claim.finalizers(), claim.allocation(), others));
            }

            @Override
            public String deallocate(ResourceClaimInfo claim) {
                claims.wrote(claim.with(claim.finalizers(), null, List.of()));
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
                    one.put("device", result.device().device())
                            .put("driver", result.device().driver())
                            .put("pool", result.device().pool())
                            .put("request", result.request());
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
