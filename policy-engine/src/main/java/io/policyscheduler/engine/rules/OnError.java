package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.compiler.Refusal;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.Shown;
import java.util.Locale;
import java.util.Optional;

/** What a rule that fails for a node means, as its author chose. */
public enum OnError {
    /** A predicate rejects the node. What predicates do that do not say. */
    REJECT,
    /** A priority gives the node 0, as if that were its score after normalising. What priorities do that do not say. */
    ZERO,
    /**
     * The rule does not count: a predicate takes the node; a priority that fails for any of the nodes gives 0 to all of them, so
     * that the others alone decide.
     */
    IGNORE;

    /** The word in a Policy file. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The value that a word of a Policy file stands for. */
    public static Optional<OnError> of(String word) {
        for (OnError value : values()) {
            if (value.word().equals(word)) {
                return Optional.of(value);
            }
        }
        return Optional.empty();
    }

    /**
     * What a definition says.
     *
     * @param usual for one that says nothing; this and {@link #IGNORE} are what it may say
     * @throws RuleException when it says something else
     */
    static OnError of(RuleDefinition definition, OnError usual, String user) throws RuleException {
        String word = definition.onError();
        if (word == null) {
            return usual;
        }
        OnError value = of(word).orElse(null);
        if (value != usual && value != IGNORE) {
            throw new Refusal(definition.expression())
                    .at(
                            RuleCode.DEFINITION,
                            0,
                            "onError '" + Shown.text(word) + "'",
                            "for a " + user + " there are " + usual.word() + " and ignore");
        }
        return value;
    }
}
