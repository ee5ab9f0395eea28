package io.policyscheduler.engine.rules.compiler;

import com.google.common.collect.Sets;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A member of a type: what {@code rule docs} prints and what the checker knows.
 *
 * @param receiver type that has it
 * @param name its name
 * @param parameters names of its parameters, all of them strings; for a property empty
 * @param property true when it is written without parentheses
 * @param result type of its value
 * @param unit unit of the value; empty when it has none
 * @param text what it is, and what is told when there is nothing to tell
 * @param example an expression with it
 * @param reads what it looks at
 * @param cost estimated cost of one access
 * @param call how it is worked out; one of the forms of {@link Call}
 */
public record Member(
        RuleType receiver,
        String name,
        List<String> parameters,
        boolean property,
        RuleType result,
        String unit,
        String text,
        String example,
        Reads reads,
        int cost,
        Call call) {
    public Member {
        parameters = List.copyOf(parameters);
    }

    /** How the direct evaluator asks a view. Arguments that a member does not have are empty strings. */
    public sealed interface Call {
        /** Gives a bool. */
        non-sealed interface OfBool extends Call {
            boolean on(Object receiver, String a, String b, String c);
        }

        /** Gives a number. */
        non-sealed interface OfNumber extends Call {
            double on(Object receiver, String a, String b, String c);
        }

        /** Gives a string. */
        non-sealed interface OfString extends Call {
            String on(Object receiver, String a, String b, String c);
        }

        /** Gives a string, or null when there is none. */
        non-sealed interface OfMaybe extends Call {
            @Nullable
            String on(Object receiver, String a, String b, String c);
        }

        /** Gives a map. */
        non-sealed interface OfMap extends Call {
            Object on(Object receiver, String a, String b, String c);
        }

        /** Gives a list. */
        non-sealed interface OfList extends Call {
            List<?> on(Object receiver, String a, String b, String c);
        }
    }

    /** As it is written: {@code label(key)}, or {@code cpu}. */
    public String signature() {
        return property ? name : name + "(" + String.join(", ", parameters) + ")";
    }

    /** The kinds of objects that a rule reads. The checker derives it from the members that the rule names. */
    public enum Reads {
        /** Facts of the pod that its siblings share: labels, requests, tolerations, owner. */
        POD,
        /** The name of the pod, in which siblings differ: answers for one must not be reused for another. */
        POD_NAME,
        /** The moment of the attempt: answers for one attempt must not be reused for another. */
        TIME,
        /** Claims of the pod and the volumes that they are bound to. */
        CLAIMS,
        /** Disruption budgets that cover the pod. */
        BUDGETS,
        /** Tables, which are the same for the whole of an attempt. */
        TABLES,
        /** The node object: labels, taints, allocatable. */
        NODE,
        /** The pods on the node, which preemption can change. */
        NODE_PODS,
        /** Nodes that share a topology value with the node, and the pods on them. */
        TOPOLOGY,
        /** The whole cluster. */
        CLUSTER;

        /** What neither the node nor the pod's siblings tell: no answer is kept. */
        private static final Set<Reads> NOT_KEPT = Sets.immutableEnumSet(POD_NAME, TIME, CLAIMS, BUDGETS, CLUSTER);

        private static final Set<Reads> WITHOUT_NODE =
                Sets.immutableEnumSet(POD, POD_NAME, TIME, CLAIMS, BUDGETS, TABLES);

        /** True when elements of a list have it from elsewhere than the list: reading the list does not cover it. */
        public boolean goesBeyondLists() {
            return this == TIME || this == CLAIMS || this == BUDGETS;
        }

        /** The scope of an algorithm that looks at these. What reads the pod's name is not kept for its siblings. */
        public static Scope scope(Set<Reads> reads) {
            if (!Collections.disjoint(reads, NOT_KEPT)) {
                return Scope.CLUSTER;
            }
            return reads.contains(TOPOLOGY) ? Scope.TOPOLOGY : Scope.NODE;
        }

        /** True when nothing is read that differs from node to node. */
        public static boolean podOnly(Set<Reads> reads) {
            return WITHOUT_NODE.containsAll(reads);
        }

        /** True when removing pods from a node can change the answer. */
        public static boolean resolvable(Set<Reads> reads) {
            return reads.contains(NODE_PODS) || reads.contains(TOPOLOGY) || reads.contains(CLUSTER);
        }
    }
}
