package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimJson;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimWriteException;
import io.policyscheduler.framework.devices.ExtendedResources.SpecialClaim;
import io.policyscheduler.framework.devices.PodResourceClaims;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Claims of a recorded world: written at once, but freed only when the attempt that frees them is over. */
final class RecordedClaims implements ClaimWriter {
    private final AssumedClaims known;
    private final ClaimWriter memory;
    private final List<ResourceClaimInfo> freed = new ArrayList<>();
    /** By the UID of the pod. */
    private final Map<String, SpecialClaim> created = new HashMap<>();

    RecordedClaims(AssumedClaims known) {
        this.known = known;
        this.memory = ClaimWriter.inMemory(known);
    }

    @Override
    public void reserve(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, PodInfo pod)
            throws ClaimWriteException {
        memory.reserve(claim, allocation, pod);
    }

    @Override
    public void release(ResourceClaimInfo claim, PodInfo pod) {
        memory.release(claim, pod);
    }

    @Override
    public String deallocate(ResourceClaimInfo claim) {
        freed.add(claim);
        return "";
    }

    @Override
    public ResourceClaimInfo create(SpecialClaim special, DeviceAllocation allocation, PodInfo pod)
            throws ClaimWriteException {
        created.put(pod.uid(), special);
        return memory.create(special, allocation, pod);
    }

    @Override
    public String deleteCreated(ResourceClaimInfo claim) {
        return memory.deleteCreated(claim);
    }

    @Override
    public String awaitBindingConditions(
            List<ResourceClaimInfo> claims,
            PodInfo pod,
            String node,
            Duration timeout,
            Function<ResourceClaimInfo, @Nullable String> check) {
        return memory.awaitBindingConditions(claims, pod, node, timeout, check);
    }

    /** Frees what an attempt has freed, and says what. */
    List<String> carryOut() {
        List<String> names = freed.stream().map(ResourceClaimInfo::key).toList();
        freed.forEach(memory::deallocate);
        freed.clear();
        return names;
    }

    /** What the claims of a placed pod have come to. */
    void write(PodInfo pod, ObjectNode entry) {
        for (ResourceClaimInfo claim : PodResourceClaims.of(pod, known).claims()) {
            ObjectNode written = entry.withObject("/claims").putObject(claim.key());
            if (claim.allocation() != null) {
                written.set("allocation", recorded(claim.allocation()));
            }
            if (claim.finalizers().isEmpty()) {
                written.putNull("finalizers");
            } else {
                claim.finalizers().forEach(written.putArray("finalizers")::add);
            }
            claim.reservedFor()
                    .forEach(user -> written.withArray("/reservedFor")
                            .add(user.resource() + "/" + user.name() + "/" + user.uid()));
        }
        SpecialClaim special = created.get(pod.uid());
        ResourceClaimInfo claim = special == null ? null : known.ofExtendedResources(pod);
        if (special != null && claim != null && claim.allocation() != null) {
            ObjectNode written = entry.putObject("extendedClaim");
            written.set("spec", ClaimJson.spec(special));
            written.set("allocation", recorded(claim.allocation()));
            written.set("mappings", ClaimJson.mappings(special));
        }
    }

    /** Recordings have neither times nor random identifiers. */
    private static ObjectNode recorded(DeviceAllocation allocation) {
        ObjectNode json = ClaimJson.allocation(allocation.allocatedAt(PodInfo.NO_TIME));
        for (JsonNode result : json.path("devices").path("results")) {
            if (result.has("shareID") && result instanceof ObjectNode share) {
                share.put("shareID", "shared");
            }
        }
        return json;
    }
}
