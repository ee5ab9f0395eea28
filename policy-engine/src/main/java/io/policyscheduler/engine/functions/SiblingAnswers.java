package io.policyscheduler.engine.functions;

import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What functions of {@link io.policyscheduler.engine.algorithm.Scope#NODE} have said about each node, for the pods seen last and their
 * siblings; kept from the second sibling on. Bounded.
 */
final class SiblingAnswers {
    private static final int MIN_KINDS = 4;
    private static final int SEEN_ONCE = 4096;

    private final int priorities;
    private final int maxNumbers;
    private final LinkedHashMap<Kind, Answers> answers = new LinkedHashMap<>(16, 0.75f, true);
    private final LinkedHashMap<Kind, Boolean> seenOnce = new LinkedHashMap<>();

    /**
     * No pod has been seen.
     *
     * @param priorities how many there are
     * @param maxBytes of answers at most, beyond those for {@link #MIN_KINDS} pods
     */
    SiblingAnswers(int priorities, int maxBytes) {
        this.priorities = priorities;
        this.maxNumbers = maxBytes / Long.BYTES;
    }

    /** All of a pod that such functions may look at. */
    private static final class Kind {
        private final PodInfo pod;
        private final int hash;

        Kind(PodInfo pod) {
            this.pod = pod;
            this.hash = Objects.hash(
                    System.identityHashCode(pod.spec()), pod.labels().hashCode(), pod.namespace());
        }

        /** Specs are compared as objects: the reader makes equal ones the same, and an equal copy is merely worked out again. */
        @Override
        @SuppressWarnings("ReferenceEquality")
        public boolean equals(@Nullable Object o) {
            return o instanceof Kind other
                    && hash == other.hash
                    && pod.spec() == other.pod.spec()
                    && pod.labels().equals(other.pod.labels())
                    && pod.namespace().equals(other.pod.namespace())
                    && pod.annotations().equals(other.pod.annotations())
                    && Objects.equals(pod.controller(), other.pod.controller())
                    && pod.nodeName().equals(other.pod.nodeName())
                    && pod.terminating() == other.pod.terminating();
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** The answers for a pod like this; null for the first of its kind. */
    @Nullable
    Answers of(PodInfo pod, int slots) {
        Kind kind = new Kind(pod);
        Answers known = answers.get(kind);
        if (known == null) {
            if (seenOnce.remove(kind) == null) {
                seenOnce.put(kind, true);
                removeEldest(seenOnce, SEEN_ONCE);
                return null;
            }
            known = new Answers(priorities);
            answers.put(kind, known);
            removeEldest(answers, Math.max(MIN_KINDS, maxNumbers / ((slots + 1) * (2 * priorities + 1))));
        }
        known.ensure(slots);
        return known;
    }

    private static void removeEldest(Map<Kind, ?> map, int bound) {
        if (map.size() > bound) {
            map.remove(map.keySet().iterator().next());
        }
    }

    /** The answers for pods of one kind, each with the state of the node for which it holds. */
    static final class Answers {
        private long[] checked = new long[0];
        private boolean[] passes = new boolean[0];
        private final long[][] scored;
        private final long[][] scores;

        Answers(int priorities) {
            scored = new long[priorities][0];
            scores = new long[priorities][0];
        }

        private void ensure(int slots) {
            if (checked.length < slots) {
                checked = Arrays.copyOf(checked, slots);
                passes = Arrays.copyOf(passes, slots);
            }
        }

        /** Whether the node passes, after asking if it has changed. */
        boolean passes(NodeInfo node, Predicate<NodeInfo> check) {
            int slot = node.slot();
            if (checked[slot] != node.generation()) {
                passes[slot] = check.test(node);
                checked[slot] = node.generation();
            }
            return passes[slot];
        }

        /** The score of the node before normalising, after asking if it has changed. */
        long score(int priority, NodeInfo node, PodScorer scorer) {
            int slot = node.slot();
            if (scored[priority].length < checked.length) {
                scored[priority] = Arrays.copyOf(scored[priority], checked.length);
                scores[priority] = Arrays.copyOf(scores[priority], checked.length);
            }
            if (scored[priority][slot] != node.generation()) {
                scores[priority][slot] = scorer.score(node);
                scored[priority][slot] = node.generation();
            }
            return scores[priority][slot];
        }
    }
}
