package io.policyscheduler.engine.cluster.selector;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of the ORed terms of a node selector. Mirrors {@code v1helper.MatchNodeSelectorTerms}.
 *
 * @param expressions requirements on node labels
 * @param fields requirements on node fields; only {@code metadata.name} is supported, other fields are empty
 */
public record NodeSelectorTerm(List<LabelRequirement> expressions, List<LabelRequirement> fields) {
    public NodeSelectorTerm {
        expressions = List.copyOf(expressions);
        fields = List.copyOf(fields);
    }

    /**
     * True if the term has a requirement and all match. An invalid requirement makes the term match nothing.
     *
     * @param nodeName value of the field {@code metadata.name}
     */
    public boolean matches(Labels labels, String nodeName) {
        if (expressions.isEmpty() && fields.isEmpty()) {
            return false;
        }
        return expressionsMatch(labels) && fieldsMatch(nodeName);
    }

    /** True if all expressions match; also true if there is none. */
    public boolean expressionsMatch(Labels labels) {
        for (LabelRequirement expression : expressions) {
            if (!expression.matches(labels)) {
                return false;
            }
        }
        return true;
    }

    private boolean fieldsMatch(String nodeName) {
        for (LabelRequirement field : fields) {
            if (field.values().size() != 1) {
                return false;
            }
            String content = field.key().equals("metadata.name") ? nodeName : "";
            boolean equal = field.values().get(0).equals(content);
            boolean ok = switch (field.operator()) {
                case "In" -> equal;
                case "NotIn" -> !equal;
                default -> false;
            };
            if (!ok) {
                return false;
            }
        }
        return true;
    }

    /** Null when every expression is valid, else the first reason. */
    public @Nullable String expressionError() {
        for (LabelRequirement expression : expressions) {
            if (expression.error() != null) {
                return expression.error();
            }
        }
        return null;
    }

    /** True when some term of the list matches; false for an empty list. */
    public static boolean anyMatches(List<NodeSelectorTerm> terms, Labels labels, String nodeName) {
        for (int i = 0; i < terms.size(); i++) {
            if (terms.get(i).matches(labels, nodeName)) {
                return true;
            }
        }
        return false;
    }
}
