package io.policyscheduler.cmd.snapshot;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.snapshot.Dump.Kind;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds kinds without objects in a dump that other objects refer to. */
public final class MissingKinds {
    private final ClusterSnapshot snapshot;
    private final Set<ResourceKind> there;
    private final Set<ResourceKind> read;
    private final Map<ResourceKind, String> missing = new EnumMap<>(ResourceKind.class);

    private MissingKinds(ClusterSnapshot snapshot, Set<ResourceKind> there, Set<ResourceKind> read) {
        this.snapshot = snapshot;
        this.there = there;
        this.read = read;
    }

    /**
     * Notes for users, one line for each kind.
     *
     * @param there kinds with objects or lists in the files
     * @param read kinds that decisions read
     */
    public static List<String> of(ClusterSnapshot snapshot, Set<ResourceKind> there, Set<ResourceKind> read) {
        return new MissingKinds(snapshot, there, read).find();
    }

    /**
     * The note about missing kinds for preemption; empty if none is missing.
     *
     * @param pod the preemptor
     */
    public static Optional<String> ofPreemption(Set<ResourceKind> there, PodInfo pod) {
        return there.contains(ResourceKind.DISRUPTION_BUDGETS)
                ? Optional.empty()
                : Optional.of(text(ResourceKind.DISRUPTION_BUDGETS, "pod " + pod.key() + " would preempt other pods"));
    }

    private List<String> find() {
        Stream.concat(snapshot.pending().stream(), snapshot.running().stream()).forEach(this::pod);
        Map<String, StorageClassInfo> classes = named(StorageClassInfo.class);
        for (ClaimInfo claim : all(ClaimInfo.class)) {
            String name = claim.storageClassName();
            if (!claim.volumeName().isEmpty()) {
                miss(ResourceKind.VOLUMES, "claim " + claim.key() + " is bound to one");
            } else if (name != null && !name.isEmpty()) {
                miss(ResourceKind.STORAGE_CLASSES, "claim " + claim.key() + " names " + name);
                storageClass(claim, classes.get(name));
            }
        }
        ImmutableList.Builder<String> lines = ImmutableList.builder();
        missing.forEach((kind, why) -> lines.add(text(kind, why)));
        return lines.build();
    }

    private static String text(ResourceKind kind, String why) {
        Kind absent = Kind.of(kind);
        return "W153 the files have no " + absent.plural() + ", but " + why
                + ": decisions can differ from those of the cluster; to add them, run " + absent.kubectl();
    }

    private void storageClass(ClaimInfo claim, @Nullable StorageClassInfo named) {
        if (named == null || !named.isDelayed() || named.provisioner().startsWith("kubernetes.io/")) {
            return;
        }
        String waits = "claim " + claim.key() + " waits for a volume of " + named.provisioner();
        miss(ResourceKind.CSI_DRIVERS, waits);
        CsiDriverInfo driver = named(CsiDriverInfo.class).get(named.provisioner());
        if (driver != null && driver.storageCapacity()) {
            miss(ResourceKind.STORAGE_CAPACITIES, waits + ", which has storageCapacity");
        }
    }

    private void pod(PodInfo pod) {
        for (Volume volume : pod.spec().volumes()) {
            if (volume.claimName(pod) != null) {
                miss(ResourceKind.CLAIMS, "pod " + pod.key() + " has a claim");
            }
        }
        if (!pod.spec().resourceClaims().isEmpty()) {
            String asks = "pod " + pod.key() + " has resource claims";
            miss(ResourceKind.RESOURCE_CLAIMS, asks);
            if (pod.nodeName().isEmpty()) {
                miss(ResourceKind.RESOURCE_SLICES, asks);
                miss(ResourceKind.DEVICE_CLASSES, asks);
            }
        }
        if (hasNamespaceSelector(pod.spec().affinity())) {
            miss(ResourceKind.NAMESPACES, "pod " + pod.key() + " has a namespaceSelector");
        }
        if (pod.controller() != null) {
            String owned = "pod " + pod.key() + " belongs to one";
            switch (pod.controller().kind()) {
                case "ReplicaSet" -> miss(ResourceKind.REPLICA_SETS, owned);
                case "StatefulSet" -> miss(ResourceKind.STATEFUL_SETS, owned);
                case "ReplicationController" -> miss(ResourceKind.REPLICATION_CONTROLLERS, owned);
                default -> {
                    // Other owners are not read.
                }
            }
        }
    }

    private static boolean hasNamespaceSelector(Affinity affinity) {
        List<PodAffinityTerm> terms = new ArrayList<>();
        for (Affinity.PodTerms of : Stream.of(affinity.podAffinity(), affinity.podAntiAffinity())
                .filter(Objects::nonNull)
                .toList()) {
            terms.addAll(of.required());
            of.preferred().forEach(weighted -> terms.add(weighted.term()));
        }
        return terms.stream().anyMatch(term -> {
            LabelSelector selector = term.namespaceSelector();
            return selector != null && !selector.requirements().isEmpty();
        });
    }

    private void miss(ResourceKind kind, String why) {
        if (read.contains(kind) && !there.contains(kind)) {
            missing.putIfAbsent(kind, why);
        }
    }

    private <T extends ClusterObject> List<T> all(Class<T> type) {
        return snapshot.objects().stream()
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    private <T extends ClusterObject> Map<String, T> named(Class<T> type) {
        return all(type).stream().collect(Collectors.toMap(ClusterObject::name, one -> one, (a, b) -> a));
    }
}
