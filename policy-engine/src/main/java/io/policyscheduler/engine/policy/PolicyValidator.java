package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.QualifiedNames;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.extender.ExtenderConfig;
import io.policyscheduler.engine.extender.ManagedResource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds all invalid values of a Policy, mirrors {@code ValidatePolicy} of v1.17 in texts and order. Only in strict mode must
 * preferences for labels have the same weights, as they have to since v1.17.
 */
final class PolicyValidator {
    static final String PREFIX = "couldn't create scheduler from policy: ";
    private static final long MAX_WEIGHT = Long.MAX_VALUE / 10;

    private final boolean strict;

    /** @param strictV117 refuse also what releases up to 1.16 took */
    public PolicyValidator(boolean strictV117) {
        this.strict = strictV117;
    }

    /** Every problem, in the order of v1.17; empty if the Policy is valid. */
    public List<Problem> validate(Policy policy) {
        List<Problem> problems = new ArrayList<>();
        validatePriorities(policy, problems);
        validateExtenders(policy, problems);
        return problems;
    }

    /**
     * Validates a Policy.
     *
     * @throws PolicyException with all problems, if there is one
     */
    public void check(Policy policy) throws PolicyException {
        List<Problem> problems = validate(policy);
        if (!problems.isEmpty()) {
            throw new PolicyException(PREFIX + aggregate(problems), problems);
        }
    }

    /** One message as it is, several different ones in brackets. */
    private static String aggregate(List<Problem> problems) {
        Set<String> messages = new LinkedHashSet<>();
        for (Problem problem : problems) {
            messages.add(problem.message());
        }
        String joined = String.join(", ", messages);
        return messages.size() == 1 ? joined : "[" + joined + "]";
    }

    private void validatePriorities(Policy policy, List<Problem> problems) {
        List<PriorityPolicy> priorities = policy.priorities();
        if (priorities == null) {
            return;
        }
        Map<String, PriorityPolicy> declared = new HashMap<>();
        for (PriorityPolicy priority : priorities) {
            if (priority.weight() <= 0 || priority.weight() >= MAX_WEIGHT) {
                problems.add(Problem.at(
                        PolicyProblemCode.INVALID,
                        "Priority " + priority.name()
                                + " should have a positive weight applied to it or it has overflown",
                        policy.file(),
                        priority.position(),
                        String.valueOf(priority.weight())));
            }
            String message = argumentProblem(priority, declared);
            if (message != null) {
                problems.add(Problem.at(
                        PolicyProblemCode.INVALID, message, policy.file(), priority.position(), priority.name()));
            }
        }
    }

    private @Nullable String argumentProblem(PriorityPolicy priority, Map<String, PriorityPolicy> declared) {
        PriorityArgument argument = priority.argument();
        if (argument == null) {
            return null;
        }
        if (argument.labelPreference() != null) {
            return differentWeight("LabelPreference", priority, declared);
        }
        if (argument.serviceAntiAffinity() != null) {
            return differentWeight("ServiceAntiAffinity", priority, declared);
        }
        if (argument.rule() != null) {
            return null;
        }
        if (argument.requestedToCapacityRatio() == null) {
            return "No priority arguments set for priority " + priority.name();
        }
        PriorityPolicy existing = declared.putIfAbsent(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO, priority);
        return existing == null
                ? null
                : "Priority " + GoText.quote(priority.name()) + " redeclares custom priority "
                        + GoText.quote(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO) + ", from:"
                        + GoText.quote(existing.name());
    }

    private @Nullable String differentWeight(
            String type, PriorityPolicy priority, Map<String, PriorityPolicy> declared) {
        PriorityPolicy existing = declared.get(type);
        if (strict && existing != null && existing.weight() != priority.weight()) {
            return type + "  priority " + GoText.quote(priority.name()) + " has a different weight with "
                    + GoText.quote(existing.name());
        }
        declared.put(type, priority);
        return null;
    }

    private static void validateExtenders(Policy policy, List<Problem> problems) {
        int binders = 0;
        SourcePosition lastBinder = SourcePosition.UNKNOWN;
        Set<String> managed = new HashSet<>();
        for (ExtenderConfig extender : policy.extenders()) {
            if (!extender.prioritizeVerb().isEmpty() && extender.weight() <= 0) {
                problems.add(Problem.at(
                        PolicyProblemCode.INVALID,
                        "Priority for extender " + VisibleText.withoutPasswords(extender.urlPrefix())
                                + " should have a positive weight applied to it",
                        policy.file(),
                        extender.position(),
                        String.valueOf(extender.weight())));
            }
            if (!extender.bindVerb().isEmpty()) {
                binders++;
                lastBinder = extender.position();
            }
            for (ManagedResource resource : extender.managedResources()) {
                for (String message : resourceProblems(resource.name(), managed)) {
                    problems.add(Problem.at(
                            PolicyProblemCode.INVALID, message, policy.file(), resource.position(), resource.name()));
                }
            }
        }
        if (binders > 1) {
            problems.add(Problem.at(
                    PolicyProblemCode.INVALID,
                    "Only one extender can implement bind, found " + binders,
                    policy.file(),
                    lastBinder,
                    String.valueOf(binders)));
        }
    }

    private static List<String> resourceProblems(String name, Set<String> managed) {
        List<String> problems = new ArrayList<>(QualifiedNames.problems(name));
        if (problems.isEmpty() && !QualifiedNames.isExtendedResource(name)) {
            problems.add(name + " is an invalid extended resource name");
        }
        if (!managed.add(name)) {
            problems.add("Duplicate extender managed resource name " + name);
        }
        return problems;
    }
}
