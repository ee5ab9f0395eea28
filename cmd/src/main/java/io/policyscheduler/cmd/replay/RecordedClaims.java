package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimJson;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimWriteException;
import io.policyscheduler.framework.devices.PodResourceClaims;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Claims of a recorded world: written at once, but freed only when the attempt that frees them is over. */
final class RecordedClaims implements ClaimWriter {
    private final AssumedClaims known;
    private final ClaimWriter memory;
    private final List<ResourceClaimInfo> freed = new ArrayList<>();

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
                written.set("allocation", ClaimJson.allocation(claim.allocation()));
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
    }
}
