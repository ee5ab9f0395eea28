package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import io.policyscheduler.engine.rules.data.ClusterCounts.ClusterRuleView;
import io.policyscheduler.engine.rules.data.Meter;
import io.policyscheduler.engine.rules.data.NodeView;
import io.policyscheduler.engine.rules.data.NowView;
import io.policyscheduler.engine.rules.data.PodView;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableValues;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Executable code of a term: one object per term, which calls the objects of its operands. Each form is a functional interface, so
 * that evaluating an operand is one call. Immutable. Fails with a RuleFailure.
 */
interface Code {
    default boolean bool(Frame frame) {
        throw new IllegalStateException("no bool");
    }

    default double number(Frame frame) {
        throw new IllegalStateException("no number");
    }

    default String string(Frame frame) {
        throw new IllegalStateException("no string");
    }

    /** An optional string; every string is one. */
    default @Nullable String maybe(Frame frame) {
        return string(frame);
    }

    default List<?> list(Frame frame) {
        throw new IllegalStateException("no list");
    }

    default Object object(Frame frame) {
        throw new IllegalStateException("no object");
    }

    /** The value of a term of any type; null only for a MAYBE. */
    default @Nullable Object value(Frame frame, RuleType type) {
        return switch (type) {
            case BOOL -> bool(frame);
            case NUMBER, MAYBE_NUMBER, MAYBE_BOOL -> number(frame);
            case STRING -> string(frame);
            case MAYBE -> maybe(frame);
            default -> type.element() == null ? object(frame) : list(frame);
        };
    }

    /** Code that returns bools. */
    interface OfBool extends Code {
        @Override
        boolean bool(Frame frame);
    }

    /** Code that returns numbers. */
    interface OfNumber extends Code {
        @Override
        double number(Frame frame);
    }

    /** Code that returns strings. */
    interface OfString extends Code {
        @Override
        String string(Frame frame);
    }

    /** Code that returns optional strings. */
    interface OfMaybe extends Code {
        @Override
        @Nullable
        String maybe(Frame frame);
    }

    /** Code that returns lists. */
    interface OfList extends Code {
        @Override
        List<?> list(Frame frame);
    }

    /** Code that returns views and elements. */
    interface OfObject extends Code {
        @Override
        Object object(Frame frame);
    }

    /** Sets the type of a lambda. */
    static Code ofBool(OfBool code) {
        return code;
    }

    /** Sets the type of a lambda. */
    static Code ofNumber(OfNumber code) {
        return code;
    }

    /** Sets the type of a lambda. */
    static Code ofString(OfString code) {
        return code;
    }

    /** Sets the type of a lambda. */
    static Code ofMaybe(OfMaybe code) {
        return code;
    }

    /** Sets the type of a lambda. */
    static Code ofList(OfList code) {
        return code;
    }

    /** Sets the type of a lambda. */
    static Code ofObject(OfObject code) {
        return code;
    }

    /**
     * The state of one rule for one pod: the views, the elements of list operations, and cached values that depend only on the pod.
     * Mutable, used by one thread; allocated once.
     */
    static final class Frame {
        static final byte UNKNOWN = 0;
        static final byte KNOWN = 1;
        /** A known bool that is true; {@link #KNOWN} is a known false. */
        static final byte KNOWN_TRUE = 2;

        final @Nullable Object[] objects;
        final byte[] memoStates;
        /** Numbers are finite, so NaN means not cached. */
        final double[] memoNumbers;

        final @Nullable String[] memoStrings;
        /** The cost of each cached value, which is charged again on each use, so that caching does not change results. */
        final long[] memoCharges;

        final Meter meter;
        private final @Nullable ClusterCounts counts;
        private final @Nullable PodView[] podViews;
        private final @Nullable NodeView nodeView;
        /** The last table, because most rules read only one, for each node. */
        private @Nullable String tableName;

        private @Nullable TableValues table;

        private Frame(int slots, int memos, Meter meter, @Nullable ClusterCounts counts, @Nullable NodeView nodeView) {
            this.meter = meter;
            this.counts = counts;
            this.nodeView = nodeView;
            objects = new Object[slots];
            podViews = new PodView[slots];
            memoStates = new byte[memos];
            memoNumbers = new double[memos];
            Arrays.fill(memoNumbers, Double.NaN);
            memoStrings = new String[memos];
            memoCharges = new long[memos];
        }

        /** A frame for constant terms, whose cost is negligible. */
        static Frame ofConstants() {
            return new Frame(0, 0, new Meter(Long.MAX_VALUE), null, null);
        }

        /** A frame for a pod; the node is set later. */
        static Frame of(int slots, int memos, PodInfo pod, ClusterCounts counts, Meter meter) {
            NodeView nodeView = new NodeView(counts, meter);
            Frame frame = new Frame(Math.max(slots, Term.Variable.FIRST_LOOP), memos, meter, counts, nodeView);
            frame.objects[Term.Variable.POD] = new PodView(pod, counts, meter);
            frame.objects[Term.Variable.NODE] = nodeView;
            frame.objects[Term.Variable.CLUSTER] = new ClusterRuleView(counts);
            frame.objects[Term.Variable.NOW] = new NowView(counts.cluster());
            return frame;
        }

        @SuppressWarnings("ReferenceEquality") // an equal string only misses this cache
        TableValues table(String name) {
            TableValues known = table;
            if (known == null || name != tableName) {
                known = counts().tables().values(name);
                table = known;
                tableName = name;
            }
            return known;
        }

        void node(NodeInfo node) {
            nodeView().move(node);
        }

        ClusterCounts counts() {
            ClusterCounts known = counts;
            if (known == null) {
                throw new IllegalStateException("a frame without a cluster");
            }
            return known;
        }

        /** The view of the node, without the indirection of {@link #objects}. */
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
                view = new PodView(pod, counts(), meter);
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
}
