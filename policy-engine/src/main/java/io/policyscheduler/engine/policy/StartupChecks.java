package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.extender.ExtenderConfig;
import io.policyscheduler.engine.extender.ExtenderTlsCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** What is checked once all entries are registered; each check refuses with the text of v1.17. */
final class StartupChecks {
    private static final int MAX_NODE_SCORE = 100;

    private StartupChecks() {}

    static void extenders(Policy policy) throws PolicyException {
        List<Problem> problems = new ArrayList<>();
        for (ExtenderConfig extender : policy.extenders()) {
            String problem = ExtenderTlsCheck.problem(extender);
            if (problem != null) {
                problems.add(Problem.at(
                        PolicyProblemCode.EXTENDER,
                        problem,
                        policy.file(),
                        extender.position(),
                        VisibleText.withoutPasswords(extender.urlPrefix())));
            }
        }
        if (!problems.isEmpty()) {
            throw new PolicyException(PolicyValidator.PREFIX + problems.get(0).message(), problems);
        }
    }

    static void hardWeight(int weight, String prefix, String file, SourcePosition position) throws PolicyException {
        if (weight < 1 || weight > 100) {
            String message = "invalid hardPodAffinitySymmetricWeight: " + weight + ", must be in the range 1-100";
            throw new PolicyException(
                    prefix + message,
                    List.of(Problem.at(PolicyProblemCode.WEIGHT, message, file, position, String.valueOf(weight))));
        }
    }

    /** The sums wrap around as in Go, so a single huge weight passes where two of them do not. */
    static void totalWeight(SortedMap<String, Long> weights, String file) throws PolicyException {
        long total = 0;
        for (Map.Entry<String, Long> weight : weights.entrySet()) {
            long scaled = weight.getValue() * MAX_NODE_SCORE;
            if (scaled > Long.MAX_VALUE - total) {
                String message = "total priority of priority functions has overflown";
                throw new PolicyException(
                        PolicyValidator.PREFIX + message,
                        List.of(Problem.at(
                                PolicyProblemCode.WEIGHT, message, file, SourcePosition.UNKNOWN, weight.getKey())));
            }
            total += scaled;
        }
    }

    /** What v1.17 never runs need not be built in. */
    static void builtIn(EffectivePolicy effective, AlgorithmRegistry registry) throws PolicyException {
        List<Problem> problems = new ArrayList<>();
        for (String name : effective.evaluationOrder()) {
            if (!registry.hasPredicate(name) && !effective.rules().predicates().containsKey(name)) {
                problems.add(notBuiltIn(name, effective.predicates().get(name), effective.source()));
            }
        }
        for (String name : effective.priorities().keySet()) {
            if (!registry.hasPriority(name) && !effective.rules().priorities().containsKey(name)) {
                problems.add(notBuiltIn(name, effective.priorityOrigins().get(name), effective.source()));
            }
        }
        if (!problems.isEmpty()) {
            throw new PolicyException(problems.get(0).message(), problems);
        }
    }

    private static Problem notBuiltIn(String name, @Nullable Origin origin, String file) {
        SourcePosition position = origin == null || origin.positions().isEmpty()
                ? SourcePosition.UNKNOWN
                : origin.positions().get(0);
        return Problem.at(
                PolicyProblemCode.NOT_BUILT_IN,
                name + " is a v1.17 algorithm that this build does not contain",
                file,
                position,
                name);
    }
}
