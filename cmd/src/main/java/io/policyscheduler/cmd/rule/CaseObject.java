package io.policyscheduler.cmd.rule;

import io.policyscheduler.engine.document.SourceNode;
import io.policyscheduler.engine.document.SourcePosition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object of a file of cases. Keys that it should not have, and values of another type than asked for, are told as problems;
 * what is asked for is then as if it were missing.
 */
final class CaseObject {
    private final Map<String, SourceNode> members = new LinkedHashMap<>();
    private final SourcePosition position;
    private final CaseProblems problems;

    /**
     * @param what the object is, for messages: {@code a case}
     * @param keys that it may have
     */
    CaseObject(SourceNode node, String what, List<String> keys, CaseProblems problems) {
        this.position = node.position();
        this.problems = problems;
        if (node.kind() != SourceNode.Kind.OBJECT) {
            problems.add(position, what + " must be an object, not " + shown(node));
        }
        for (SourceNode.Member member : node.members()) {
            if (!keys.contains(member.key())) {
                problems.unknown(
                        member.keyPosition(),
                        "unknown key \"" + member.key() + "\"; " + what + " has " + String.join(", ", keys),
                        member.key(),
                        keys);
            } else if (members.putIfAbsent(member.key(), member.value()) != null) {
                problems.add(member.keyPosition(), "the key \"" + member.key() + "\" appears twice; remove one");
            }
        }
    }

    SourcePosition position() {
        return position;
    }

    /** Where a value stands; where the object stands if it is missing. */
    SourcePosition position(String key) {
        SourceNode value = members.get(key);
        return value == null ? position : value.position();
    }

    /** The keys that are given, in the order of the file. */
    List<String> keys() {
        return List.copyOf(members.keySet());
    }

    boolean has(String key) {
        return any(key) != null;
    }

    /** A value of any type; null when it is missing or null. */
    @Nullable
    SourceNode any(String key) {
        SourceNode value = members.get(key);
        return value == null || value.kind() == SourceNode.Kind.NULL ? null : value;
    }

    /** A string; null when there is none. */
    @Nullable
    String string(String key) {
        SourceNode value = typed(key, SourceNode.Kind.STRING, "a string; put it in quotes");
        return value == null ? null : value.text();
    }

    /** The items of a list; null when there is none. */
    @Nullable
    List<SourceNode> list(String key) {
        SourceNode value = typed(key, SourceNode.Kind.ARRAY, "a list");
        return value == null ? null : value.items();
    }

    /** The values of {@code params} as rules know them, empty when they are missing. */
    Map<String, Object> params(String key) {
        SourceNode value = typed(key, SourceNode.Kind.OBJECT, "an object");
        Map<String, Object> params = new LinkedHashMap<>();
        if (value != null) {
            for (SourceNode.Member member : value.members()) {
                Object param = param(member.value());
                if (param != null) {
                    params.put(member.key(), param);
                }
            }
        }
        return Collections.unmodifiableMap(params);
    }

    /** An object as it stands; null when there is none. */
    @Nullable
    SourceNode objectNode(String key) {
        return typed(key, SourceNode.Kind.OBJECT, "an object");
    }

    private @Nullable Object param(SourceNode value) {
        return switch (value.kind()) {
            case BOOL -> Boolean.valueOf(value.text());
            case NUMBER -> {
                double number = Double.parseDouble(value.text());
                if (Double.isInfinite(number)) {
                    problems.add(
                            value.position(), value.text() + " is out of range; numbers are 64-bit floating point");
                }
                yield number;
            }
            case STRING -> value.text();
            case ARRAY -> {
                List<Object> items = new ArrayList<>();
                for (SourceNode item : value.items()) {
                    Object param = param(item);
                    if (param != null) {
                        items.add(param);
                    }
                }
                yield items;
            }
            case NULL, OBJECT -> {
                problems.add(
                        value.position(),
                        "a parameter must be a bool, a number, a string, or a list, not " + shown(value));
                yield null;
            }
        };
    }

    private @Nullable SourceNode typed(String key, SourceNode.Kind kind, String wanted) {
        SourceNode value = any(key);
        if (value != null && value.kind() != kind) {
            problems.add(value.position(), key + " is " + shown(value) + ", expected " + wanted);
            return null;
        }
        return value;
    }

    /** A value in messages. */
    static String shown(SourceNode value) {
        return switch (value.kind()) {
            case NULL -> "null";
            case BOOL, NUMBER -> value.text();
            case STRING -> "\"" + value.text() + "\"";
            case ARRAY -> "a list";
            case OBJECT -> "an object";
        };
    }
}
