package io.policyscheduler.engine.rules.compiler;

import com.google.common.collect.Sets;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A member of a type, with its documentation for {@code rule docs}.
 *
 * @param receiver type that has it
 * @param name its name
 * @param parameters names of its parameters, all of them strings; empty for a property
 * @param property whether it is written without parentheses
 * @param result type of its value
 * @param unit unit of the value; empty for none
 * @param text its description, and its value if there is none
 * @param example an expression with it
 * @param reads its inputs
 * @param cost estimated cost of one access
 * @param call its implementation; one of the forms of {@link Call}
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

    /** The implementation of a member on a view. Missing arguments are empty strings. */
    public sealed interface Call {
        /** Returns a bool. */
        non-sealed interface OfBool extends Call {
            boolean on(Object receiver, String a, String b, String c);
        }

        /** Returns a number. */
        non-sealed interface OfNumber extends Call {
            double on(Object receiver, String a, String b, String c);
        }

        /** Returns a string. */
        non-sealed interface OfString extends Call {
            String on(Object receiver, String a, String b, String c);
        }

        /** Returns a string, or null. */
        non-sealed interface OfMaybe extends Call {
            @Nullable
            String on(Object receiver, String a, String b, String c);
        }

        /** Returns a map. */
        non-sealed interface OfMap extends Call {
            Object on(Object receiver, String a, String b, String c);
        }

        /** Returns a list. */
        non-sealed interface OfList extends Call {
            List<?> on(Object receiver, String a, String b, String c);
        }
    }

    /** As in expressions: {@code label(key)}, or {@code cpu}. */
    public String signature() {
        return property ? name : name + "(" + String.join(", ", parameters) + ")";
    }

    /** The inputs of a rule, derived from its members. */
    public enum Reads {
        /** Fields of the pod that pods of one controller share: labels, requests, tolerations, owner. */
        POD,
        /** The name of the pod, so that results cannot be reused for other pods. */
        POD_NAME,
        /** The time of the attempt, so that results cannot be reused for other attempts. */
        TIME,
        /** Claims of the pod and their bound volumes. */
        CLAIMS,
        /** Disruption budgets that cover the pod. */
        BUDGETS,
        /** Tables, which are constant during an attempt. */
        TABLES,
        /** The node object: labels, taints, allocatable. */
        NODE,
        /** The pods on the node, which preemption can change. */
        NODE_PODS,
        /** Nodes with the same topology value, and their pods. */
        TOPOLOGY,
        /** The whole cluster. */
        CLUSTER;

        /** Inputs that prevent caching, because they belong neither to the node nor to all pods of a controller. */
        private static final Set<Reads> NOT_CACHEABLE = Sets.immutableEnumSet(POD_NAME, TIME, CLAIMS, BUDGETS, CLUSTER);

        private static final Set<Reads> WITHOUT_NODE =
                Sets.immutableEnumSet(POD, POD_NAME, TIME, CLAIMS, BUDGETS, TABLES);

        /** True if list elements get the value from elsewhere, so that it is not covered by reading the list. */
        public boolean goesBeyondLists() {
            return this == TIME || this == CLAIMS || this == BUDGETS;
        }

        /** The scope of an algorithm with these inputs. Results that depend on the pod's name are not cached. */
        public static Scope scope(Set<Reads> reads) {
            if (!Collections.disjoint(reads, NOT_CACHEABLE)) {
                return Scope.CLUSTER;
            }
            return reads.contains(TOPOLOGY) ? Scope.TOPOLOGY : Scope.NODE;
        }

        /** True if the inputs do not depend on the node. */
        public static boolean podOnly(Set<Reads> reads) {
            return WITHOUT_NODE.containsAll(reads);
        }

        /** True if removing pods from a node can change the result. */
        public static boolean resolvable(Set<Reads> reads) {
            return reads.contains(NODE_PODS) || reads.contains(TOPOLOGY) || reads.contains(CLUSTER);
        }
    }
}
