package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;
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
}
