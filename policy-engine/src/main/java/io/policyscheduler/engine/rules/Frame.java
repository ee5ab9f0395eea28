package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.NodeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The state of one rule at work on one pod: the views, the elements that list operations look at, and answers about the pod
 * that are kept for all nodes. Mutable, used by one thread; everything in it is allocated when it is made.
 */
final class Frame {
    /** For terms that look at nothing. */
    static final Frame NONE = new Frame(0, 0, null);

    static final byte UNKNOWN = 0;
    static final byte KNOWN = 1;
    /** A known bool that is true; {@link #KNOWN} is a known false. */
    static final byte KNOWN_TRUE = 2;

    final @Nullable Object[] objects;
    final byte[] memoStates;
    /** Numbers are finite, so NaN stands for one that is not known yet. */
    final double[] memoNumbers;

    final @Nullable String[] memoStrings;
    private final @Nullable PodView[] podViews;
    private final @Nullable NodeView nodeView;

    private Frame(int slots, int memos, @Nullable NodeView nodeView) {
        this.nodeView = nodeView;
        objects = new Object[slots];
        podViews = new PodView[slots];
        memoStates = new byte[memos];
        memoNumbers = new double[memos];
        Arrays.fill(memoNumbers, Double.NaN);
        memoStrings = new String[memos];
    }

    /** A frame for a pod; the node is set later. */
    static Frame of(int slots, int memos, PodInfo pod, ClusterCounts counts) {
        NodeView nodeView = new NodeView(counts);
        Frame frame = new Frame(Math.max(slots, Term.Variable.FIRST_LOOP), memos, nodeView);
        frame.objects[Term.Variable.POD] = new PodView(pod);
        frame.objects[Term.Variable.NODE] = nodeView;
        frame.objects[Term.Variable.CLUSTER] = new ClusterRuleView(counts);
        return frame;
    }

    void node(NodeInfo node) {
        nodeView().move(node);
    }

    /** The view of the node that is looked at, without the way through {@link #objects}. */
    NodeView nodeView() {
        NodeView view = nodeView;
        if (view == null) {
            throw new IllegalStateException("a frame without views");
        }
        return view;
    }

    /** The view of a loop variable, moved to a pod. */
    PodView podView(int slot, PodInfo pod) {
        PodView view = podViews[slot];
        if (view == null) {
            view = new PodView(pod);
            podViews[slot] = view;
        } else {
            view.move(pod);
        }
        return view;
    }

    Object object(int slot) {
        Object object = objects[slot];
        if (object == null) {
            throw new IllegalStateException("nothing in slot " + slot);
        }
        return object;
    }
}
