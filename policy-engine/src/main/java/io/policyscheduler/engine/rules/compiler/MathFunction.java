package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.Arithmetics;
import org.jspecify.annotations.Nullable;

/** Functions of numbers. They mean what {@link Math} means for doubles; a result that is no finite number fails. */
public enum MathFunction {
    MIN("min", 2),
    MAX("max", 2),
    ABS("abs", 1),
    FLOOR("floor", 1),
    CEIL("ceil", 1),
    ROUND("round", 1),
    SQRT("sqrt", 1),
    LOG("log", 1);

    private final String word;
    private final int arguments;

    MathFunction(String word, int arguments) {
        this.word = word;
        this.arguments = arguments;
    }

    /** How it is called. */
    public String word() {
        return word;
    }

    /** How many arguments it takes, 1 or 2. */
    public int arguments() {
        return arguments;
    }

    /** The function of this name, null when there is none. */
    public static @Nullable MathFunction of(String word) {
        for (MathFunction function : values()) {
            if (function.word.equals(word)) {
                return function;
            }
        }
        return null;
    }

    /**
     * The value.
     *
     * @param b the second argument; of no account for functions of one
     * @throws io.policyscheduler.engine.rules.data.RuleFailure when it is not a finite number
     */
    public double apply(double a, double b) {
        return Arithmetics.finite(
                switch (this) {
                    case MIN -> Math.min(a, b);
                    case MAX -> Math.max(a, b);
                    case ABS -> Math.abs(a);
                    case FLOOR -> Math.floor(a);
                    case CEIL -> Math.ceil(a);
                    case ROUND -> Arithmetics.rounded(a);
                    case SQRT -> Math.sqrt(a);
                    case LOG -> Math.log(a);
                });
    }
}
