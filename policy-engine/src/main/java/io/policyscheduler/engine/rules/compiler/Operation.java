package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;

/**
 * An operator, function or operation that the language has besides members: what {@code rule docs} prints.
 *
 * @param group where it belongs
 * @param names as they are written; several that are explained together
 * @param usage how it is written with its operands
 * @param result type of its value
 * @param text what it does
 * @param example an expression with it
 */
public record Operation(Group group, List<String> names, String usage, RuleType result, String text, String example) {
    /** Groups of operations, in the order of the documentation. */
    public enum Group {
        /** Between values. Listed from the one that binds last to the one that binds first. */
        OPERATOR("operators"),
        FUNCTION("functions"),
        /** On strings. */
        STRING("on a string"),
        /** On lists of pods, containers, taints and tolerations. */
        LIST("on a list");

        private final String title;

        Group(String title) {
            this.title = title;
        }

        /** What it is called in documentation. */
        public String title() {
            return title;
        }
    }

    public Operation {
        names = List.copyOf(names);
    }
}
