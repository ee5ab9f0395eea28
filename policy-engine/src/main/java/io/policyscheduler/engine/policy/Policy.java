package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Policy file as written, mirrors {@code k8s.io/kube-scheduler/config/v1.Policy}.
 *
 * @param file name of the file for messages
 * @param predicates null if the file has no list (the default provider's predicates then apply), which differs from an empty list
 * @param priorities null if the file has no list, which differs from an empty list
 * @param extenders empty if the file has none
 * @param hardPodAffinitySymmetricWeight 0 means not set
 * @param hardWeightPosition position of that weight
 * @param alwaysCheckAllPredicates whether later predicates run after one has failed
 * @param alwaysCheckPosition position of that setting
 * @param rules rules that entries of this file refer to; not part of v1.17
 * @param tables tables that rules of this file read, by name; not part of v1.17
 * @param warnings of the reader
 */
public record Policy(
        String file,
        @Nullable List<PredicatePolicy> predicates,
        @Nullable List<PriorityPolicy> priorities,
        List<ExtenderConfig> extenders,
        int hardPodAffinitySymmetricWeight,
        SourcePosition hardWeightPosition,
        boolean alwaysCheckAllPredicates,
        SourcePosition alwaysCheckPosition,
        List<RuleDefinition> rules,
        Map<String, TableDefinition> tables,
        List<Warning> warnings) {

    public Policy {
        predicates = predicates == null ? null : ImmutableList.copyOf(predicates);
        priorities = priorities == null ? null : ImmutableList.copyOf(priorities);
        extenders = ImmutableList.copyOf(extenders);
        rules = ImmutableList.copyOf(rules);
        tables = ImmutableSortedMap.copyOf(tables);
        warnings = ImmutableList.copyOf(warnings);
    }

    /** A copy with more warnings. */
    Policy withWarnings(List<Warning> more) {
        if (more.isEmpty()) {
            return this;
        }
        return new Policy(
                file,
                predicates,
                priorities,
                extenders,
                hardPodAffinitySymmetricWeight,
                hardWeightPosition,
                alwaysCheckAllPredicates,
                alwaysCheckPosition,
                rules,
                tables,
                ImmutableList.<Warning>builder().addAll(warnings).addAll(more).build());
    }

    /** The argument of a predicate entry; exactly one member should be set, which registration checks. Only {@code rule} is not part of v1.17. */
    public record PredicateArgument(
            @Nullable ServiceAffinity serviceAffinity,
            @Nullable LabelsPresence labelsPresence,
            @Nullable RuleDefinition rule) {

        /** Pods of one service run on nodes with equal values of these labels. */
        public record ServiceAffinity(List<String> labels) {
            public ServiceAffinity {
                labels = ImmutableList.copyOf(labels);
            }
        }

        /** All labels must exist on a node, or with {@code presence} false none of them. */
        public record LabelsPresence(List<String> labels, boolean presence) {
            public LabelsPresence {
                labels = ImmutableList.copyOf(labels);
            }
        }

        int members() {
            return (serviceAffinity == null ? 0 : 1) + (labelsPresence == null ? 0 : 1) + (rule == null ? 0 : 1);
        }
    }

    /**
     * One entry of {@code predicates}.
     *
     * @param name free text if there is an argument, else the name of a predicate
     * @param argument null for a plain entry
     */
    public record PredicatePolicy(String name, @Nullable PredicateArgument argument, SourcePosition position) {}

    /** The argument of a priority entry; exactly one member should be set, which registration checks. Only {@code rule} is not part of v1.17. */
    public record PriorityArgument(
            @Nullable ServiceAntiAffinity serviceAntiAffinity,
            @Nullable LabelPreference labelPreference,
            @Nullable RatioArguments requestedToCapacityRatio,
            @Nullable RuleDefinition rule) {

        /** Spread the pods of one service over the values of this label. */
        public record ServiceAntiAffinity(String label) {}

        /** Prefer nodes with this label, or with {@code presence} false nodes without it. */
        public record LabelPreference(String label, boolean presence) {}

        /**
         * A scoring function over the utilization of resources.
         *
         * @param shape points of the function, scores 0 to 10
         * @param resources empty means cpu and memory with weight 1
         */
        public record RatioArguments(List<ShapePoint> shape, List<ResourceWeight> resources) {
            public RatioArguments {
                shape = ImmutableList.copyOf(shape);
                resources = ImmutableList.copyOf(resources);
            }
        }

        /** One point of a function: utilization in percent, and a score. */
        public record ShapePoint(int utilization, int score) {}

        /** A resource and its weight; a weight of 0 means 1. */
        public record ResourceWeight(String name, long weight, SourcePosition position) {}

        int members() {
            return (serviceAntiAffinity == null ? 0 : 1)
                    + (labelPreference == null ? 0 : 1)
                    + (requestedToCapacityRatio == null ? 0 : 1)
                    + (rule == null ? 0 : 1);
        }
    }

    /**
     * One entry of {@code priorities}.
     *
     * @param name free text if there is an argument, else the name of a priority
     * @param weight as written, 0 if missing
     * @param argument null for a plain entry
     */
    public record PriorityPolicy(
            String name, long weight, @Nullable PriorityArgument argument, SourcePosition position) {}

    /** A Policy that is rejected, with every problem of the stage that rejected it. */
    public static final class PolicyException extends Exception {
        private static final long serialVersionUID = 1L;

        private final String v117Message;
        private final transient ImmutableList<Problem> problems;

        /**
         * @param v117Message the text of kube-scheduler v1.17 for the same Policy, with its prefix
         * @param problems at least one problem, in file order where the stage has one
         */
        public PolicyException(String v117Message, List<Problem> problems) {
            super(v117Message);
            this.v117Message = v117Message;
            this.problems = ImmutableList.copyOf(problems);
        }

        /** The message of kube-scheduler v1.17 for this Policy, including its prefix. */
        public String v117Message() {
            return v117Message;
        }

        /** All problems, one line each. */
        public List<Problem> problems() {
            return problems;
        }
    }

    /** Codes of policy errors. */
    public static final class PolicyProblemCode {
        /** The file cannot be parsed or decoded. */
        public static final String DECODE = "P001";
        /** kind or apiVersion is not one of a Policy. */
        public static final String KIND = "P002";
        /** A key that a Policy does not have. */
        public static final String UNKNOWN_FIELD = "P003";
        /** A key that occurs twice in one object. */
        public static final String DUPLICATE_KEY = "P004";
        /** A value that fails validation. */
        public static final String INVALID = "P005";
        /** A predicate or priority that v1.17 does not have. */
        public static final String UNKNOWN_ALGORITHM = "P006";
        /** An entry with no or with several argument members. */
        public static final String ARGUMENT_COUNT = "P007";
        /** An invalid utilization shape. */
        public static final String SHAPE = "P008";
        /** An extender whose HTTP client cannot be built. */
        public static final String EXTENDER = "P009";
        /** A weight or sum of weights out of range. */
        public static final String WEIGHT = "P010";
        /** An algorithm of v1.17 that this program does not contain. */
        public static final String NOT_BUILT_IN = "P011";
        /** A provider name that is not registered. */
        public static final String PROVIDER = "P012";

        /** A document that is empty or has no field of a policy. */
        public static final String NO_CONTENT = "P013";

        private PolicyProblemCode() {}
    }
}
