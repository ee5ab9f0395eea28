package io.policyscheduler.engine.cluster;

/**
 * A label selector that remembers its answers for the label sets seen last. Pods of one controller share their
 * {@link Labels} object, so that a walk over thousands of pods evaluates the selector a few times only.
 *
 * <p>Safe for use by several threads: answers are immutable objects in array slots, and a lost write only costs time.
 */
public final class MemoizedSelector {
    private static final int SLOTS = 256;

    private final LabelSelector selector;
    // Two arrays, so that one reference holds both the question and the answer.
    private final Labels[] matched = new Labels[SLOTS];
    private final Labels[] unmatched = new Labels[SLOTS];

    /** Wraps {@code selector}. */
    public MemoizedSelector(LabelSelector selector) {
        this.selector = selector;
    }

    /** The same as {@link LabelSelector#matches}. */
    @SuppressWarnings("ReferenceEquality") // Identity is what makes it cheap; an equal copy is evaluated again.
    public boolean matches(Labels labels) {
        int slot = labels.hashCode() & (SLOTS - 1);
        if (matched[slot] == labels) {
            return true;
        }
        if (unmatched[slot] == labels) {
            return false;
        }
        boolean answer = selector.matches(labels);
        (answer ? matched : unmatched)[slot] = labels;
        return answer;
    }
}
