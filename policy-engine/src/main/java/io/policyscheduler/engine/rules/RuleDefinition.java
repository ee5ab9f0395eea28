package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.compiler.Refusal;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.Shown;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A rule as it is written in a Policy file or a library.
 *
 * @param name what users call it
 * @param use name of the library rule that it takes its expression from, empty when it has its own
 * @param expression the expression, empty when {@code use} is given
 * @param when condition over the pod under which the rule applies, null for always
 * @param params values of {@code params.NAME}: Boolean, Double, String, or a list of Doubles or Strings
 * @param reason text of a failing predicate, null for the default
 * @param resolvable true when preemption may help a failing predicate, null to derive it from what the rule reads
 * @param normalize what is done with scores, a word of {@link Normalize}; null for {@link Normalize#NONE}
 * @param onError what a failure means, a word of {@link OnError}; null for what is usual
 * @param place where it stands, for messages
 */
public record RuleDefinition(
        String name,
        String use,
        String expression,
        @Nullable String when,
        Map<String, Object> params,
        @Nullable String reason,
        @Nullable Boolean resolvable,
        @Nullable String normalize,
        @Nullable String onError,
        Place place) {
    /**
     * Where a rule stands.
     *
     * @param file name of the file
     * @param line 1-based line of the rule, 0 if unknown
     * @param column 1-based column of the rule
     */
    public record Place(String file, int line, int column) {}

    public RuleDefinition {
        params = Collections.unmodifiableMap(new LinkedHashMap<>(params));
    }

    /**
     * This entry with what the library rule gives for everything that it does not say itself.
     *
     * @throws RuleException when it sets a parameter that the library rule does not have, or one of another type
     */
    public RuleDefinition over(RuleDefinition library) throws RuleException {
        Map<String, Object> merged = new LinkedHashMap<>(library.params());
        for (Map.Entry<String, Object> param : params.entrySet()) {
            Object known = library.params().get(param.getKey());
            if (known == null || !kind(known).equals(kind(param.getValue()))) {
                throw new Refusal(library.expression())
                        .at(
                                RuleCode.PARAMETER,
                                0,
                                "rule " + library.name() + " has no parameter '" + Shown.text(param.getKey()) + "'"
                                        + (known == null ? "" : " that is a " + kind(param.getValue())),
                                known == null
                                        ? "it has: "
                                                + String.join(
                                                        ", ", library.params().keySet())
                                        : "give a " + kind(known));
            }
            merged.put(param.getKey(), param.getValue());
        }
        return new RuleDefinition(
                name,
                use,
                library.expression(),
                when == null ? library.when() : when,
                merged,
                reason == null ? library.reason() : reason,
                resolvable == null ? library.resolvable() : resolvable,
                normalize == null ? library.normalize() : normalize,
                onError == null ? library.onError() : onError,
                place);
    }

    private static String kind(Object value) {
        if (value instanceof Boolean) {
            return "bool";
        }
        return value instanceof Number ? "number" : value instanceof String ? "string" : "list";
    }
}
