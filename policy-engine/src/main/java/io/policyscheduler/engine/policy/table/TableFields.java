package io.policyscheduler.engine.policy.table;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.SourceNode;
import io.policyscheduler.engine.rules.syntax.Shown;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a declaration, and refuses those that are none.
 *
 * @param table its name, for messages
 * @param file where it stands, for messages
 */
record TableFields(String table, String file) {
    /** The fields of an object that has no others, in order. */
    Map<String, SourceNode> of(SourceNode node, List<String> known) throws TableException {
        if (node.kind() != SourceNode.Kind.OBJECT) {
            throw refusal(
                    "a " + node.kind().goName() + " where an object is expected",
                    "it has " + String.join(", ", known),
                    node);
        }
        Map<String, SourceNode> fields = new LinkedHashMap<>();
        for (SourceNode.Member field : node.members()) {
            if (!known.contains(field.key())) {
                throw new TableException(
                        table,
                        "unknown field \"" + Shown.text(VisibleText.line(field.key())) + "\"",
                        "there are " + String.join(", ", known),
                        file,
                        field.keyPosition(),
                        Suggestions.nearest(field.key(), known));
            }
            fields.put(field.key(), field.value());
        }
        return fields;
    }

    /** A text that is not empty, on one line. */
    String text(String what, @Nullable SourceNode node, SourceNode around) throws TableException {
        boolean given = node != null
                && node.kind() == SourceNode.Kind.STRING
                && !node.text().isEmpty();
        if (node == null || !given || !VisibleText.isVisible(node.text())) {
            throw refusal(what + " is missing or no text", "name it", node == null ? around : node);
        }
        return node.text();
    }

    /** The same, null when it is not there. */
    @Nullable
    String optionalText(String what, @Nullable SourceNode node) throws TableException {
        return node == null ? null : text(what, node, node);
    }

    /** A time in this range; the standard one when it is not there. */
    Duration time(String what, @Nullable SourceNode node, Duration standard, Duration least, Duration most)
            throws TableException {
        if (node == null) {
            return standard;
        }
        Duration time;
        try {
            time = GoDuration.parse(node.text());
        } catch (DateTimeException e) {
            throw refusal(what + ": " + e.getMessage(), "write a time such as 5m", node);
        }
        if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
            throw refusal(
                    what + " " + node.text(),
                    "write a time from " + GoDuration.format(least) + " to " + GoDuration.format(most),
                    node);
        }
        return time;
    }

    /** False when it is not there. */
    boolean flag(String what, @Nullable SourceNode node) throws TableException {
        if (node == null) {
            return false;
        }
        if (node.kind() != SourceNode.Kind.BOOL) {
            throw refusal(what + " is a " + node.kind().goName(), "write true or false", node);
        }
        return node.text().equals("true");
    }

    TableException refusal(String message, String hint, SourceNode node) {
        return new TableException(Shown.text(VisibleText.line(table)), message, hint, file, node.position());
    }
}
