package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The other components of a cluster: kubelets, pod garbage collection, volume binding, and another scheduler. */
final class Controllers {
    private static final String BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
    private static final long GARBAGE_MILLIS = 5_000;

    private final SimulationRun simulation;
    private final RandomChoices random;
    private final ResourceType pods;
    private final ResourceType claims;
    private final ResourceType volumes;
    private final DeviceControllers devices;
    private final Map<String, Long> homelessSince = new HashMap<>();
    private int provisioned;

    Controllers(SimulationRun simulation) {
        this.simulation = simulation;
        this.random = simulation.random();
        this.pods = simulation.cluster().catalog().named("pods");
        this.claims = simulation.cluster().catalog().named("persistentvolumeclaims");
        this.volumes = simulation.cluster().catalog().named("persistentvolumes");
        this.devices = new DeviceControllers(simulation);
    }

    void start() {
        simulation.time().in(300, SimulationRun.NOBODY, "tick", this::tick);
    }

    private void tick() {
        simulation.cluster().kubelet().tick();
        if (random.percent(40)) {
            releaseHeldPods();
            collectGarbage();
            runOtherScheduler();
            if (simulation.scenario().storage()) {
                bindVolumes();
            }
            if (simulation.scenario().devices()) {
                devices.tick();
            }
        }
        // A cluster at rest is looked at less often; only the clock can still change it.
        int factor = simulation.isQuiet() ? 4 : 1;
        simulation.time().in((long) factor * random.between(200, 1000), SimulationRun.NOBODY, "tick", this::tick);
    }

    /** The finalizers of some terminating pods are removed, so that their nodes are full for a while. */
    private void releaseHeldPods() {
        for (ObjectNode pod : simulation.cluster().list("pods")) {
            if (Manifests.isHeld(pod) && Manifests.isTerminating(pod) && random.percent(simulation.isCalm() ? 30 : 5)) {
                simulation.trace().add("finalizer of " + Manifests.name(pod) + " removed");
                modify(pods, pod, Manifests::release);
            }
        }
    }

    /** Deletes the pods of deleted nodes. */
    private void collectGarbage() {
        for (ObjectNode pod : simulation.cluster().list("pods")) {
            String node = Manifests.nodeOf(pod);
            if (node.isEmpty() || simulation.cluster().get("nodes", "", node).isPresent()) {
                homelessSince.remove(Manifests.uid(pod));
                continue;
            }
            long since = homelessSince.computeIfAbsent(
                    Manifests.uid(pod), uid -> simulation.time().now());
            if (simulation.time().now() - since > GARBAGE_MILLIS) {
                simulation.trace().add("garbage " + Manifests.name(pod));
                call("DELETE", podPath(pod), "{\"gracePeriodSeconds\":0}");
            }
        }
    }

    /** The other scheduler binds its own pods wherever there is room now. */
    private void runOtherScheduler() {
        for (ObjectNode pod : simulation.cluster().list("pods")) {
            if (!Manifests.isOurs(pod) && Manifests.nodeOf(pod).isEmpty() && random.percent(40)) {
                for (ObjectNode node : simulation.cluster().list("nodes")) {
                    if (Room.of(simulation.cluster(), Manifests.name(node)).fits(pod)) {
                        bind(pod, Manifests.name(node));
                        break;
                    }
                }
            }
        }
    }

    private void bind(ObjectNode pod, String node) {
        simulation.trace().add("other scheduler binds " + Manifests.name(pod) + " to " + node);
        call(
                "POST",
                podPath(pod) + "/binding",
                "{\"target\":{\"kind\":\"Node\",\"name\":\"" + node + "\"},\"metadata\":{\"name\":\""
                        + Manifests.name(pod) + "\"}}");
    }

    private static String podPath(ObjectNode pod) {
        return Manifests.podPath(Manifests.name(pod));
    }

    private void call(String method, String path, String body) {
        simulation.cluster().call(method, path, "application/json", body.getBytes(StandardCharsets.UTF_8));
    }

    /** Binds claims to their selected volumes, and provisions volumes. */
    private void bindVolumes() {
        for (ObjectNode claim : simulation.cluster().list("persistentvolumeclaims")) {
            if (!Manifests.text(claim, "spec", "volumeName").isEmpty() || !random.percent(50)) {
                continue;
            }
            String volume = volumeFor(claim);
            String node = Manifests.text(claim, "metadata", "annotations", Manifests.SELECTED_NODE);
            boolean provisions =
                    Manifests.text(claim, "spec", "storageClassName").equals("dynamic");
            if (volume != null) {
                complete(claim, volume);
            } else if (provisions && !node.isEmpty()) {
                if (!simulation.isCalm() && random.percent(15)) {
                    simulation.trace().add("provisioning fails " + Manifests.name(claim));
                    modify(claims, claim, present -> {
                        ((ObjectNode) present.path("metadata").path("annotations")).remove(Manifests.SELECTED_NODE);
                        return present;
                    });
                } else {
                    provision(claim, node);
                }
            }
        }
        for (ObjectNode volume : simulation.cluster().list("persistentvolumes")) {
            String owner = Manifests.text(volume, "spec", "claimRef", "uid");
            boolean orphan = !owner.isEmpty()
                    && simulation.cluster().list("persistentvolumeclaims").stream()
                            .noneMatch(claim -> Manifests.uid(claim).equals(owner));
            if (orphan) {
                modify(volumes, volume, present -> null);
            }
        }
    }

    private @Nullable String volumeFor(ObjectNode claim) {
        for (ObjectNode volume : simulation.cluster().list("persistentvolumes")) {
            if (Manifests.text(volume, "spec", "claimRef", "uid").equals(Manifests.uid(claim))) {
                return Manifests.name(volume);
            }
        }
        return null;
    }

    private void complete(ObjectNode claim, String volume) {
        simulation.trace().add("volume " + volume + " bound to " + Manifests.name(claim));
        modify(claims, claim, present -> {
            present.withObject("/spec").put("volumeName", volume);
            present.withObject("/metadata/annotations").put(BIND_COMPLETED, "yes");
            present.withObject("/status").put("phase", "Bound");
            return present;
        });
    }

    private void provision(ObjectNode claim, String node) {
        String name = "made-" + provisioned++;
        simulation.trace().add("provisioned " + name + " on " + node + " for " + Manifests.name(claim));
        ObjectNode volume = Manifests.volume(name, node, "dynamic");
        volume.withObject("/spec/claimRef")
                .put("namespace", Manifests.NAMESPACE)
                .put("name", Manifests.name(claim))
                .put("uid", Manifests.uid(claim));
        simulation.cluster().load(volume);
    }

    private void modify(ResourceType type, ObjectNode object, StoredObjects.Mutation mutation) {
        try {
            simulation
                    .cluster()
                    .store()
                    .modify(
                            type,
                            Manifests.text(object, "metadata", "namespace"),
                            Manifests.name(object),
                            false,
                            mutation);
        } catch (StatusError e) {
            simulation.trace().add("gone: " + Manifests.name(object));
        }
    }
}
