package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.framework.insight.compare.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A workload has another number of replicas. More of them are copies of its newest pod and wait for a node; for fewer the
 * pending ones go first, then the newest, of a StatefulSet those with the highest number. Pods of a Deployment are those of the
 * ReplicaSets named after it and their {@code pod-template-hash}. A StatefulSet's new pods get new claims without a volume.
 *
 * @param replicas how many there are afterwards, 0 or more
 */
public record Scale(Kind kind, String namespace, String name, int replicas) implements WhatIf {
    private static final String TEMPLATE_HASH = "pod-template-hash";
    /** Pending pods start later than all others; of two that wait, the last one counts as newest. */
    private static final Comparator<PodInfo> BY_AGE = Comparator.comparing(
                    (PodInfo pod) -> pod.nodeName().isEmpty())
            .thenComparing(pod -> pod.startTimeMillis() == PodInfo.NO_TIME)
            .thenComparingLong(PodInfo::startTimeMillis);

    /** What can be scaled. */
    public enum Kind {
        DEPLOYMENT("deploy", "ReplicaSet"),
        REPLICA_SET("rs", "ReplicaSet"),
        STATEFUL_SET("sts", "StatefulSet"),
        REPLICATION_CONTROLLER("rc", "ReplicationController");

        private final String shortName;
        private final String owner;

        Kind(String shortName, String owner) {
            this.shortName = shortName;
            this.owner = owner;
        }

        /** As kubectl abbreviates it. */
        public String shortName() {
            return shortName;
        }
    }

    private String label() {
        return namespace + "/" + kind.shortName + "/" + name;
    }

    @Override
    public @Nullable String problem(World world) {
        if (!pods(world).isEmpty()) {
            return null;
        }
        Set<String> names = new TreeSet<>();
        all(world).forEach(pod -> names.addAll(names(pod)));
        String near = Suggestions.nearest(namespace + "/" + name, names);
        return "no pod of " + label() + " waits or runs" + (near == null ? "" : " (did you mean " + near + "?)");
    }

    private static Stream<PodInfo> all(World world) {
        return Stream.concat(world.running().stream(), world.pending().stream());
    }

    /** The workload's pods, oldest first. */
    private List<PodInfo> pods(World world) {
        Comparator<PodInfo> order = kind == Kind.STATEFUL_SET ? Comparator.comparingInt(Scale::ordinal) : BY_AGE;
        return all(world)
                .filter(pod -> !pod.terminating() && names(pod).contains(namespace + "/" + name))
                .sorted(order)
                .toList();
    }

    /** Names that a workload of this kind has if the pod is one of its pods. */
    private List<String> names(PodInfo pod) {
        OwnerReference owner = pod.controller();
        if (owner == null || !owner.kind().equals(kind.owner)) {
            return List.of();
        }
        if (kind != Kind.DEPLOYMENT) {
            return List.of(pod.namespace() + "/" + owner.name());
        }
        String suffix = "-" + pod.labels().getOrEmpty(TEMPLATE_HASH);
        return suffix.length() == 1 || !owner.name().endsWith(suffix)
                ? List.of()
                : List.of(pod.namespace() + "/"
                        + owner.name().substring(0, owner.name().length() - suffix.length()));
    }

    /** The number at the end of a StatefulSet pod's name; -1 when there is none. */
    private static int ordinal(PodInfo pod) {
        String text = pod.name().substring(pod.name().lastIndexOf('-') + 1);
        return text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
    }

    @Override
    public Changed apply(World world) {
        List<PodInfo> pods = pods(world);
        String note = "scaled " + label() + " from " + pods.size() + " to " + replicas;
        if (replicas <= pods.size()) {
            return fewer(world, pods.subList(replicas, pods.size()), note);
        }
        PodInfo newest = pods.get(pods.size() - 1);
        PodCopies copies = new PodCopies(world);
        List<PodInfo> more = new ArrayList<>();
        int number = kind == Kind.STATEFUL_SET ? ordinal(newest) + 1 : 1;
        String prefix = kind == Kind.STATEFUL_SET ? name + "-" : owner(newest) + "-more-";
        while (pods.size() + more.size() < replicas) {
            String copied = copies.freeName(namespace, prefix, number);
            number = Integer.parseInt(copied.substring(prefix.length())) + 1;
            more.add(copies.pending(newest, copied));
        }
        List<String> notes = new ArrayList<>();
        notes.add(note + ": " + more.size() + " more like " + newest.key());
        int claims = copies.madeClaims().size();
        if (claims > 0) {
            notes.add(Controllers.count(claims, "claim") + " made for them, without a volume");
        }
        return new Changed(copies.with(List.of(), more), notes);
    }

    private static String owner(PodInfo pod) {
        return pod.controller() == null ? pod.name() : pod.controller().name();
    }

    private static Changed fewer(World world, List<PodInfo> leaving, String note) {
        Set<String> uids = new HashSet<>();
        leaving.forEach(pod -> uids.add(pod.uid()));
        long running = leaving.stream().filter(pod -> !pod.nodeName().isEmpty()).count();
        World left = world.with(
                world.nodes(),
                ClaimCopies.without(world.objects(), uids, Set.of()),
                world.running().stream()
                        .filter(pod -> !uids.contains(pod.uid()))
                        .toList(),
                world.pending().stream()
                        .filter(pod -> !uids.contains(pod.uid()))
                        .toList());
        return new Changed(
                left, List.of(note + ": " + running + " running and " + (leaving.size() - running) + " pending gone"));
    }
}
