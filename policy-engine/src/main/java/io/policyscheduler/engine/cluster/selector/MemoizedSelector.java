package io.policyscheduler.engine.cluster.selector;

import org.jspecify.annotations.Nullable;

/**
 * A label selector that remembers its answers for the label sets seen last. Pods of one controller share their
 * {@link Labels} object, so that a walk over thousands of pods evaluates the selector a few times only.
 *
 * <p>Safe for use by several threads: answers are immutable objects in array slots, and a lost write only costs time.
 */
public final class MemoizedSelector {
    private static final int SLOTS = 256;

    private final LabelSelector selector;
    // Two arrays, so that one reference holds both the question and the answer. Made when needed: a pod may have
    // thousands.
    private Labels @Nullable [] matched;
    private Labels @Nullable [] unmatched;

    /** Wraps {@code selector}. */
    public MemoizedSelector(LabelSelector selector) {
        this.selector = selector;
    }

    /** The same as {@link LabelSelector#matches}. */
    @SuppressWarnings("ReferenceEquality") // Identity is what makes it cheap; an equal copy is evaluated again.
    public boolean matches(Labels labels) {
        int slot = labels.hashCode() & (SLOTS - 1);
        Labels[] yes = matched;
        if (yes != null && yes[slot] == labels) {
            return true;
        }
        Labels[] no = unmatched;
        if (no != null && no[slot] == labels) {
            return false;
        }
        boolean answer = selector.matches(labels);
        if (answer) {
            yes = yes == null ? new Labels[SLOTS] : yes;
            yes[slot] = labels;
            matched = yes;
        } else {
            no = no == null ? new Labels[SLOTS] : no;
            no[slot] = labels;
            unmatched = no;
        }
        return answer;
    }
}
