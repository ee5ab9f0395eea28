package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * No device is allocated to two claims; the claims of a bound pod are allocated on its node and reserved for it. Writes in flight of a process that
 * crashed are not its successor's fault, nor are decisions after a list that was older than earlier events.
 */
final class DeviceAudit {
    private final SimulationRun simulation;
    private final Consumer<String> violations;
    /** Claims that were last written by a crashed process, or after an outdated list. */
    private final Set<String> excused = new HashSet<>();

    DeviceAudit(SimulationRun simulation, Consumer<String> violations) {
        this.simulation = simulation;
        this.violations = violations;
    }

    void decided(SchedulerProcess process, PodInfo pod) {
        if (!process.feed(ResourceKind.RESOURCE_CLAIMS).isStale()) {
            return;
        }
        simulation
                .cluster()
                .get("pods", pod.namespace(), pod.name())
                .ifPresent(there -> there.path("spec")
                        .path("resourceClaims")
                        .forEach(entry -> claim(there, entry).ifPresent(claim -> excused.add(Manifests.uid(claim)))));
    }

    /** Called when a write of a claim is carried out. */
    void written(String name, int process) {
        SchedulerProcess current = simulation.process();
        ObjectNode claim = simulation
                .cluster()
                .get(DeviceManifests.CLAIMS, Manifests.NAMESPACE, name)
                .orElse(null);
        if (claim == null) {
            return;
        }
        if (current == null || current.id() != process) {
            excused.add(Manifests.uid(claim));
        }
        List<String> devices = DeviceManifests.devices(claim);
        if (new HashSet<>(devices).size() < devices.size()) {
            violations.accept("claim " + name + " has a device twice: " + devices);
        }
        if (!excused.contains(Manifests.uid(claim))) {
            checkShared(claim, devices);
        }
    }

    private void checkShared(ObjectNode claim, List<String> devices) {
        for (ObjectNode other : simulation.cluster().list(DeviceManifests.CLAIMS)) {
            String uid = Manifests.uid(other);
            if (uid.equals(Manifests.uid(claim)) || excused.contains(uid)) {
                continue;
            }
            Set<String> both = new HashSet<>(devices);
            both.retainAll(DeviceManifests.devices(other));
            if (!both.isEmpty()) {
                violations.accept(
                        "claims " + Manifests.name(claim) + " and " + Manifests.name(other) + " both have " + both);
            }
        }
    }

    private Optional<ObjectNode> claim(JsonNode pod, JsonNode entry) {
        return simulation
                .cluster()
                .get(DeviceManifests.CLAIMS, Manifests.NAMESPACE, DeviceManifests.claimName(pod, entry));
    }

    /** Called when a bind by the current process is carried out. */
    void bound(ObjectNode pod, String node) {
        for (JsonNode entry : pod.path("spec").path("resourceClaims")) {
            ObjectNode claim = claim(pod, entry).orElse(null);
            String what = "pod " + Manifests.name(pod) + " is bound to " + node + ", but its claim "
                    + Manifests.text(entry, "name");
            if (claim == null) {
                violations.accept(what + " is not there");
            } else if (!excused.contains(Manifests.uid(claim))) {
                if (!DeviceManifests.isAllocated(claim)) {
                    violations.accept(what + " is not allocated");
                } else if (!DeviceManifests.isUsableOn(claim, node)) {
                    violations.accept(what + " is allocated elsewhere: " + claim.path("status"));
                }
                if (!DeviceManifests.isReservedFor(claim, Manifests.uid(pod))) {
                    violations.accept(what + " is not reserved for it: " + claim.path("status"));
                }
            }
        }
    }

    /** At rest, the scheduler's claims equal those of the server, and it assumes nothing. */
    void atRest(SchedulerProcess process) {
        AssumedClaims known = process.scheduler().cluster().assumedClaims();
        if (!known.isQuiet()) {
            violations.accept("at rest, but claims are being written");
        }
        Set<String> taken = new HashSet<>();
        for (ObjectNode claim : simulation.cluster().list(DeviceManifests.CLAIMS)) {
            ResourceClaimInfo info = known.claim(Manifests.NAMESPACE, Manifests.name(claim));
            String version = Manifests.text(claim, "metadata", "resourceVersion");
            if (info == null || !info.resourceVersion().equals(version)) {
                violations.accept("at rest, but claim " + Manifests.name(claim) + " of version " + version
                        + " is known as " + info);
            }
            taken.addAll(DeviceManifests.devices(claim));
            for (JsonNode user : claim.path("status").path("reservedFor")) {
                if (!isThere(user)) {
                    violations.accept("at rest, but claim " + Manifests.name(claim) + " is reserved for " + user);
                }
            }
        }
        for (ObjectNode slice : simulation.cluster().list(DeviceManifests.SLICES)) {
            JsonNode spec = slice.path("spec");
            String pool = Manifests.text(spec, "pool", "name");
            for (JsonNode device : spec.path("devices")) {
                DeviceId id = new DeviceId(Manifests.text(spec, "driver"), pool, Manifests.text(device, "name"));
                boolean isTaken = taken.contains(id.driver() + "/" + id.pool() + "/" + id.device());
                if (known.isAllocated(id) != isTaken) {
                    violations.accept("at rest, but " + id + (isTaken ? " counts as free" : " counts as taken"));
                }
            }
        }
    }

    private boolean isThere(JsonNode user) {
        return simulation
                .cluster()
                .get("pods", Manifests.NAMESPACE, Manifests.text(user, "name"))
                .filter(pod -> Manifests.uid(pod).equals(Manifests.text(user, "uid")))
                .isPresent();
    }
}
