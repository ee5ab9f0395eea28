package io.policyscheduler.framework.modern.volume;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Volumes are used in their own zone. Mirrors {@code pkg/scheduler/framework/plugins/volumezone}. */
public final class VolumeZone implements PreFilterPlugin, FilterPlugin, EnqueueExtensions {
    public static final String NAME = "VolumeZone";

    static final List<String> KEYS = List.of(Node.LEGACY_ZONE, Node.LEGACY_REGION, Node.ZONE, Node.REGION);
    private static final String ZONE_DELIMITER = "__";
    private static final Status CONFLICT = Status.unresolvable("node(s) had no available volume zone");

    private final ClusterView cluster;
    private final boolean beforeNodes;
    private final StateKey<List<Place>> key;

    /** Where a volume is: the values of a topology label, one of which its node must have. */
    private record Place(String key, Set<String> values) {}

    /**
     * The places of the volumes of a pod.
     *
     * @param all those of the volumes before the one that the plugin rejects, in the order of the pod
     * @param rejection null if all volumes are known
     */
    private record Places(List<Place> all, @Nullable Status rejection) {}

    public VolumeZone(PluginHandle handle) {
        this.cluster = handle.cluster();
        this.beforeNodes = SchedulerChange.ZONES_BEFORE_NODES.in(handle.release());
        this.key = handle.stateKeys().create("PreFilter" + NAME, UnaryOperator.identity());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<EventHint> eventsToRegister() {
        return VolumeHints.ofZone();
    }

    @Override
    public PreFilterResult preFilter(CycleState state, PodContext context) {
        if (!beforeNodes) {
            return PreFilterResult.ALL_NODES;
        }
        Places places = places(context.pod());
        if (places.rejection() != null) {
            return PreFilterResult.of(places.rejection());
        }
        if (places.all().isEmpty()) {
            return PreFilterResult.SKIP;
        }
        state.write(key, places.all());
        return PreFilterResult.ALL_NODES;
    }

    private Places places(PodInfo pod) {
        List<Place> places = new ArrayList<>();
        for (Volume volume : pod.volumes()) {
            if (volume.kind() != Volume.Kind.CLAIM) {
                continue;
            }
            if (volume.id().isEmpty()) {
                return rejected(places, "PersistentVolumeClaim had no name");
            }
            ClaimInfo claim = cluster.claim(pod.namespace(), volume.id());
            if (claim == null) {
                return rejected(places, Claims.notFound(volume.id()));
            }
            if (claim.volumeName().isEmpty()) {
                String problem = unboundProblem(claim);
                if (problem != null) {
                    return rejected(places, problem);
                }
                continue;
            }
            PersistentVolumeInfo bound = cluster.volume(claim.volumeName());
            if (bound == null) {
                return rejected(places, "persistentvolume \"" + claim.volumeName() + "\" not found");
            }
            addPlaces(places, bound.labels());
        }
        return new Places(List.copyOf(places), null);
    }

    private static Places rejected(List<Place> before, String reason) {
        return new Places(List.copyOf(before), Status.unresolvable(reason));
    }

    /** Why an unbound claim cannot be passed over; null when it can. */
    private @Nullable String unboundProblem(ClaimInfo claim) {
        String className = claim.className();
        if (className.isEmpty()) {
            return "PersistentVolumeClaim had no pv name and storageClass name";
        }
        StorageClassInfo storageClass = cluster.storageClass(className);
        if (storageClass == null) {
            return "storageclass.storage.k8s.io \"" + className + "\" not found";
        }
        if (storageClass.bindingMode() == null) {
            return Claims.noBindingMode(className);
        }
        return storageClass.isDelayed() ? null : "PersistentVolume had no name";
    }

    private static void addPlaces(List<Place> places, Labels labels) {
        for (String key : KEYS) {
            String value = labels.get(key);
            if (value == null) {
                continue;
            }
            Set<String> values = new HashSet<>();
            boolean wellFormed = true;
            for (String part : value.split(ZONE_DELIMITER, -1)) {
                wellFormed &= !part.isBlank();
                values.add(part.strip());
            }
            if (wellFormed) {
                places.add(new Place(key, Set.copyOf(values)));
            }
        }
    }

    @Override
    public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
        Labels labels = node.node().labels();
        if (!beforeNodes && !hasTopology(labels)) {
            return Status.SUCCESS;
        }
        List<Place> known = state.find(key);
        Places found = known == null ? places(pod) : new Places(known, null);
        Status rejection = found.rejection() == null ? Status.SUCCESS : found.rejection();
        if (beforeNodes && !rejection.isSuccess()) {
            return rejection;
        }
        if (!hasTopology(labels)) {
            return Status.SUCCESS;
        }
        List<Place> places = found.all();
        for (int i = 0; i < places.size(); i++) {
            Place place = places.get(i);
            String value = labels.get(place.key());
            if (value == null && beforeNodes) {
                value = labels.get(current(place.key()));
            }
            if (value == null || !place.values().contains(value)) {
                return CONFLICT;
            }
        }
        return rejection;
    }

    private static boolean hasTopology(Labels labels) {
        for (int i = 0; i < KEYS.size(); i++) {
            if (labels.has(KEYS.get(i))) {
                return true;
            }
        }
        return false;
    }

    private static String current(String key) {
        return switch (key) {
            case Node.LEGACY_ZONE -> Node.ZONE;
            case Node.LEGACY_REGION -> Node.REGION;
            default -> key;
        };
    }
}
