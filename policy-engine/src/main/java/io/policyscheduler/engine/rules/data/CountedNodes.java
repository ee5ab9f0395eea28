package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tallies over nodes that stand at numbered positions, and what they were made of, so that a node that has changed is counted
 * again by its differences. There is one tally for each trait and kind of place that is asked about, whatever the values.
 * Mutable, used by one thread.
 */
final class CountedNodes {
    private static final PodInfo[] NO_PODS = new PodInfo[0];
    private static final String CLUSTER = "";

    /** More tallies than this are only kept when the last attempt asked for them: keys may come from pods, without end. */
    private static final int MAX_TALLIES = 32;

    private record Pods(Place kind, String topologyKey, Trait trait, PodTally tally) {
        boolean is(Place otherKind, String otherKey, Trait otherTrait) {
            return kind == otherKind && same(topologyKey, otherKey) && same(trait, otherTrait);
        }
    }

    private record Nodes(String key, NodeTally tally) {}

    private @Nullable Labels[] labels = new Labels[0];
    private PodInfo[][] pods = new PodInfo[0][];
    private final List<Pods> podTallies = new ArrayList<>(2);
    private final List<Nodes> nodeTallies = new ArrayList<>(2);
    private final List<Object> asked = new ArrayList<>();
    private long visited;

    /** Labels in rules are mostly constants, so that it is mostly the same object. */
    @SuppressWarnings("ReferenceEquality") // followed by equals
    private static boolean same(Object one, Object other) {
        return one == other || one.equals(other);
    }

    /** Pods and nodes looked at so far; for tests. */
    long visited() {
        return visited;
    }

    /** Tallies that are kept; for tests. */
    int tallies() {
        return podTallies.size() + nodeTallies.size();
    }

    /** Values at places that are held; for tests. */
    long cells() {
        return podTallies.stream().mapToLong(pods -> pods.tally().cells()).sum();
    }

    /** Starts an attempt. */
    void forget() {
        if (tallies() > MAX_TALLIES) {
            podTallies.removeIf(pods -> !asked.contains(pods.tally()));
            nodeTallies.removeIf(nodes -> !asked.contains(nodes.tally()));
        }
        asked.clear();
    }

    /** Notes what is on the node at a position now; null for no node. */
    void set(int position, @Nullable NodeInfo node) {
        grow(position + 1);
        Labels before = labels[position];
        Labels now = node == null ? null : node.node().labels();
        if (before == null && now == null) {
            return;
        }
        boolean unmoved = before != null && now != null && before.equals(now);
        if (!unmoved) {
            if (before != null) {
                each(pods[position], pod -> count(position, before, pod, -1));
                pods[position] = NO_PODS;
                count(before, -1);
            }
            labels[position] = now;
            if (now == null) {
                return;
            }
            count(now, 1);
        }
        if (node != null && now != null) {
            pods(position, now, node);
        }
    }

    private void grow(int size) {
        if (labels.length < size) {
            int old = labels.length;
            int length = Math.max(size, old * 2);
            labels = Arrays.copyOf(labels, length);
            pods = Arrays.copyOf(pods, length);
            Arrays.fill(pods, old, length, NO_PODS);
        }
    }

    /** A pod that comes or goes leaves nearly all others at their index. */
    @SuppressWarnings("ReferenceEquality") // a pod that changes is another object
    private void pods(int position, Labels of, NodeInfo node) {
        PodInfo[] before = pods[position];
        PodInfo[] now = new PodInfo[node.podCount()];
        for (int i = 0; i < Math.max(before.length, now.length); i++) {
            PodInfo gone = i < before.length ? before[i] : null;
            PodInfo come = i < now.length ? node.pod(i) : null;
            if (come != null) {
                now[i] = come;
            }
            if (gone != come) {
                if (gone != null) {
                    count(position, of, gone, -1);
                }
                if (come != null) {
                    count(position, of, come, 1);
                }
            }
        }
        pods[position] = now;
    }

    private static void each(PodInfo[] pods, Consumer<PodInfo> action) {
        for (PodInfo pod : pods) {
            action.accept(pod);
        }
    }

    private void count(Labels of, int sign) {
        for (int i = 0; i < nodeTallies.size(); i++) {
            count(nodeTallies.get(i), of, sign);
        }
    }

    private void count(Nodes nodes, Labels of, int sign) {
        visited++;
        String value = of.get(nodes.key());
        if (value != null) {
            nodes.tally().add(value, sign);
        }
    }

    private void count(int position, Labels of, PodInfo pod, int sign) {
        for (int i = 0; i < podTallies.size(); i++) {
            count(podTallies.get(i), position, of, pod, sign);
        }
    }

    private void count(Pods asking, int position, Labels of, PodInfo pod, int sign) {
        visited++;
        String value = asking.trait().of(pod);
        Object place = value == null ? null : place(asking, position, of);
        if (value != null && place != null) {
            asking.tally().add(place, value, sign);
        }
    }

    private static @Nullable Object place(Pods asking, int position, Labels of) {
        return switch (asking.kind()) {
            case CLUSTER -> CLUSTER;
            case NODE -> position;
            case TOPOLOGY -> of.get(asking.topologyKey());
        };
    }

    /**
     * The tally of a trait.
     *
     * @param topologyKey what a topology is told by, empty for other kinds of place
     */
    PodTally pods(Place kind, String topologyKey, Trait trait) {
        for (int i = 0; i < podTallies.size(); i++) {
            Pods known = podTallies.get(i);
            if (known.is(kind, topologyKey, trait)) {
                return note(known.tally());
            }
        }
        Pods made = new Pods(kind, topologyKey, trait, new PodTally());
        for (int position = 0; position < labels.length; position++) {
            Labels of = labels[position];
            for (int i = 0; of != null && i < pods[position].length; i++) {
                count(made, position, of, pods[position][i], 1);
            }
        }
        podTallies.add(made);
        return note(made.tally());
    }

    /** The tally of a node label. */
    NodeTally nodes(String key) {
        for (int i = 0; i < nodeTallies.size(); i++) {
            Nodes known = nodeTallies.get(i);
            if (same(known.key(), key)) {
                return note(known.tally());
            }
        }
        Nodes made = new Nodes(key, new NodeTally());
        for (Labels of : labels) {
            if (of != null) {
                count(made, of, 1);
            }
        }
        nodeTallies.add(made);
        return note(made.tally());
    }

    private <T> T note(T tally) {
        if (tallies() > MAX_TALLIES && !asked.contains(tally)) {
            asked.add(tally);
        }
        return tally;
    }
}
