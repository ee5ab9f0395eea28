package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.PodClaim;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.devices.ExtendedResources.SpecialClaim;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The devices of a random cluster, and who writes and frees them: everything is shown to the scheduler at once. Volumes are beside it. */
final class OracleObjects implements ClaimWriter {
    private static final int NODES = 5;
    private static final List<String> KINDS = List.of("a", "b");

    private final SplittableRandom random;
    private final ClusterState state;
    private final ClusterState seen;
    private final Consumer<ClusterChange> show;
    private final Consumer<String> trace;
    private final ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);
    /** By kind and key. */
    private final Map<String, ClusterObject> objects = new TreeMap<>();

    private final OracleVolumes volumes;
    private long version;

    /**
     * @param state what the scheduler believes
     * @param seen what is so
     * @param show tells the scheduler
     * @param isUsed whether a pod with a node has a claim on a volume
     */
    OracleObjects(
            SplittableRandom random,
            ClusterState state,
            ClusterState seen,
            Consumer<ClusterChange> show,
            Consumer<String> trace,
            Predicate<String> isUsed) {
        this.random = random;
        this.state = state;
        this.seen = seen;
        this.show = show;
        this.trace = trace;
        this.volumes = new OracleVolumes(random, this, isUsed);
    }

    @Override
    public ResourceClaimInfo create(SpecialClaim special, DeviceAllocation allocation, PodInfo pod) {
        throw new IllegalStateException("no pod requests extended resources that devices satisfy");
    }

    @Override
    public String deleteCreated(ResourceClaimInfo claim) {
        throw new IllegalStateException("no claim was created");
    }

    @Override
    public String awaitBindingConditions(
            List<ResourceClaimInfo> claims,
            PodInfo pod,
            String node,
            Duration timeout,
            Function<ResourceClaimInfo, @Nullable String> check) {
        throw new IllegalStateException("no device has binding conditions");
    }

    private boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    private <T> T one(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    void put(ClusterObject object) {
        objects.put(key(object), object);
        seen.putObject(object);
        show.accept(new ClusterChange.ObjectUpserted(object));
    }

    private static String key(ClusterObject object) {
        return object.resourceKind() + " " + object.key();
    }

    void put(String kind, String name, String yaml) {
        trace.accept(kind + " " + name + " " + yaml);
        String namespace = kind.endsWith("Claim") || kind.endsWith("Capacity") ? ", namespace: default" : "";
        String bound = yaml.contains("volumeName") ? ", annotations: {pv.kubernetes.io/bind-completed: 'yes'}" : "";
        String metadata = "metadata: {name: " + name + namespace + bound + ", uid: " + name + "-" + ++version
                + ", resourceVersion: '" + version + "'}";
        try (JsonParser parser =
                new YAMLFactory().createParser("{kind: " + kind + ", " + metadata + ", " + yaml + "}")) {
            parser.nextToken();
            ClusterObject read = reader.read(parser, kind);
            if (read == null) {
                throw new IllegalArgumentException(yaml);
            }
            put(read);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Nullable
    ClusterObject find(String kindAndKey) {
        return objects.get(kindAndKey);
    }

    void delete(ClusterObject object) {
        trace.accept("gone: " + key(object));
        objects.remove(key(object));
        seen.removeObject(object);
        show.accept(new ClusterChange.ObjectDeleted(object.resourceKind(), object.namespace(), object.name()));
    }

    void start() {
        for (String kind : KINDS) {
            putClass(kind);
        }
        volumes.start();
    }

    private void putClass(String kind) {
        putClass(kind, kind);
    }

    void putClass(String name, String kind) {
        put(
                "DeviceClass",
                name,
                "spec: {selectors: [{cel: {expression: \"device.attributes['d'].?kind.orValue('') == '" + kind
                        + "'\"}}]}");
    }

    void act() {
        int number = random.nextInt(NODES);
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> slice("n" + number);
            case 3 -> toggle("DEVICE_CLASSES ", one(KINDS), this::putClass);
            case 10 -> putClass(one(KINDS), one(KINDS));
            case 11 ->
                toggle(
                        "RESOURCE_SLICES ",
                        "more-n" + number,
                        name -> sliceOf(name, "n" + number, 1 + random.nextInt(2)));
            case 4 -> toggle("RESOURCE_CLAIMS default/", "s" + number, this::putClaim);
            default -> volumes.act();
        }
    }

    private void toggle(String kind, String name, Consumer<String> make) {
        ClusterObject present = find(kind + name);
        if (present == null) {
            make.accept(name);
        } else if (!(present instanceof ResourceClaimInfo claim)) {
            delete(present);
        } else if (claim.reservedFor().isEmpty()) {
            // What is in use stays until nobody uses it.
            delete(present);
        }
    }

    private void slice(String node) {
        ClusterObject present = find("RESOURCE_SLICES of-" + node);
        if (present != null && percent(25)) {
            delete(present);
            return;
        }
        sliceOf("of-" + node, node, percent(70) ? 1 : 2);
    }

    /** A slice of a pool that is complete only with all its slices of the newest generation. */
    private void sliceOf(String name, String node, int slices) {
        List<String> devices = new ArrayList<>();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            devices.add("{name: d" + i + name.charAt(0) + ", attributes: {kind: {string: " + one(KINDS) + "}}}");
        }
        put(
                "ResourceSlice",
                name,
                "spec: {driver: d, nodeName: " + node + ", pool: {name: " + node + ", generation: "
                        + (slices == 2 ? 1 : ++version) + ", resourceSliceCount: " + slices + "}, devices: " + devices
                        + "}");
    }

    private String request() {
        return "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: " + one(KINDS)
                + ", allocationMode: ExactCount, count: " + (percent(80) ? 1 : 2) + "}}]}}";
    }

    private void putClaim(String name) {
        put("ResourceClaim", name, request());
    }

    /** The claim on a volume that a new pod has; null for none. */
    @Nullable
    String volumeOfPod() {
        return volumes.ofPod();
    }

    /** The device claim that a new pod has; empty for none, {@code made} for one of its own. */
    String claimOfPod() {
        return percent(75) ? "" : percent(60) ? "made" : "s" + random.nextInt(NODES);
    }

    /** The entry of a pod's spec. */
    static PodClaim entry(String claim) {
        return claim.equals("made") ? new PodClaim("e", null, "t") : new PodClaim("e", claim, null);
    }

    /** Makes the claim of a pod's own. */
    List<PodClaim.Made> make(PodInfo pod) {
        boolean isMade = pod.spec().resourceClaims().stream().anyMatch(entry -> entry.templateName() != null);
        if (!isMade) {
            return List.of();
        }
        String name = pod.name() + "-e";
        if (find("RESOURCE_CLAIMS default/" + name) == null) {
            trace.accept("claim of " + pod.name());
            String metadata = "metadata: {name: " + name + ", namespace: default, uid: " + name + "-" + ++version
                    + ", resourceVersion: '" + version + "', ownerReferences: [{apiVersion: v1, kind: Pod, name: "
                    + pod.name() + ", uid: " + pod.uid() + ", controller: true}]}";
            try (JsonParser parser =
                    new YAMLFactory().createParser("{kind: ResourceClaim, " + metadata + ", " + request() + "}")) {
                parser.nextToken();
                if (reader.read(parser, "ResourceClaim") instanceof ResourceClaimInfo claim) {
                    put(claim);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return List.of(new PodClaim.Made("e", name));
    }

    /** The claims and volumes of a pod are written as the scheduler assumed them, which happens before a bind. */
    void volumesWritten(PodInfo pod) {
        pod.volumes().stream()
                .map(volume -> volume.claimName(pod))
                .filter(Objects::nonNull)
                .map(name -> state.claim(pod.namespace(), name))
                .filter(Objects::nonNull)
                .forEach(seen.assumedVolumes()::assume);
        for (ClusterObject object : objects.values()) {
            if (object instanceof PersistentVolumeInfo volume) {
                PersistentVolumeInfo assumed = state.volume(volume.name());
                if (assumed != null && !assumed.equals(volume)) {
                    seen.assumedVolumes().assume(assumed);
                }
            }
        }
    }

    /** What the controller does when a pod is gone. */
    void podGone(PodInfo pod) {
        for (ClusterObject object : List.copyOf(objects.values())) {
            if (object instanceof ResourceClaimInfo claim) {
                if (claim.isReservedFor(pod)) {
                    release(claim, pod);
                    ResourceClaimInfo left = current(claim);
                    if (left.reservedFor().isEmpty()) {
                        write(left, null, List.of());
                    }
                }
                if (claim.isOwnedBy(pod)) {
                    delete(current(claim));
                }
            }
        }
    }

    private ResourceClaimInfo current(ResourceClaimInfo claim) {
        return find(key(claim)) instanceof ResourceClaimInfo now ? now : claim;
    }

    private void write(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, List<ClaimConsumer> users) {
        ResourceClaimInfo now = new ResourceClaimInfo(
                claim.namespace(),
                claim.name(),
                claim.uid(),
                Long.toString(++version),
                claim.terminating(),
                claim.controller(),
                claim.finalizers(),
                claim.requests(),
                claim.constraints(),
                claim.config(),
                allocation,
                users,
                List.of(),
                false);
        known().putWritten(now);
        put(now);
    }

    private AssumedClaims known() {
        return state.assumedClaims();
    }

    @Override
    public void reserve(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, PodInfo pod) {
        trace.accept("claim " + claim.name() + " reserved for " + pod.name());
        ResourceClaimInfo after = ClaimWriter.reserved(current(claim), allocation, pod);
        write(after, after.allocation(), after.reservedFor());
        known().allocationEnded(claim);
    }

    @Override
    public void release(ResourceClaimInfo claim, PodInfo pod) {
        ResourceClaimInfo now = current(claim);
        write(
                now,
                now.allocation(),
                now.reservedFor().stream()
                        .filter(user -> !user.uid().equals(pod.uid()))
                        .toList());
    }

    @Override
    public String deallocate(ResourceClaimInfo claim) {
        trace.accept("claim " + claim.name() + " deallocated");
        write(current(claim), null, List.of());
        return "";
    }
}
