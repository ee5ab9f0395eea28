package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.rule.CaseFile.CaseProblems;
import io.policyscheduler.cmd.rule.CaseObjects.CaseObject;
import io.policyscheduler.cmd.rule.RuleCase.CasePart;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.document.SourceNode;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads what a case expects: for each part a value for all nodes, or an object with a value for each node. */
final class CaseExpectations {
    private static final List<String> ERRORS =
            Arrays.stream(RuleFailure.Kind.values()).map(RuleFailure.Kind::text).toList();

    private final CaseObject object;
    private final RuleType type;
    private final List<String> nodes;
    private final CaseProblems problems;
    private final Map<CasePart, Map<String, String>> values = new EnumMap<>(CasePart.class);

    /**
     * @param object the case
     * @param type of its rule
     */
    CaseExpectations(CaseObject object, RuleType type, List<Node> nodes, CaseProblems problems) {
        this.object = object;
        this.type = type;
        this.nodes = nodes.stream().map(Node::name).toList();
        this.problems = problems;
    }

    /** What is expected, in the order of nodes. */
    List<RuleCase.Expected> read() {
        for (CasePart part : CasePart.values()) {
            SourceNode value = object.any(part.word());
            if (value != null && isOfType(part)) {
                values.put(part, value.kind() == SourceNode.Kind.OBJECT ? each(part, value) : all(part, value));
            }
        }
        boolean given = Arrays.stream(CasePart.values()).anyMatch(part -> object.has(part.word()));
        if (!given) {
            problems.add(
                    object.position(), "the case expects nothing; set " + (type == RuleType.BOOL ? "fits" : "score"));
        }
        List<RuleCase.Expected> expected = new ArrayList<>();
        for (String node : nodes) {
            values.forEach((part, texts) -> {
                String text = texts.get(node);
                if (text != null) {
                    expected.add(new RuleCase.Expected(node, part, text));
                }
            });
        }
        return List.copyOf(expected);
    }

    private boolean isOfType(CasePart part) {
        boolean ofPredicate = part == CasePart.FITS || part == CasePart.REASON;
        if (part == CasePart.ERROR || ofPredicate == (type == RuleType.BOOL)) {
            return true;
        }
        problems.add(
                object.position(part.word()),
                ofPredicate
                        ? "the rule is a priority; expect a score, not " + part.word()
                        : "the rule is a predicate; expect fits, not score");
        return false;
    }

    private Map<String, String> each(CasePart part, SourceNode object) {
        Map<String, String> texts = new TreeMap<>();
        for (SourceNode.Member member : object.members()) {
            if (!nodes.contains(member.key())) {
                problems.unknown(
                        member.keyPosition(),
                        "no node \"" + member.key() + "\" in this case; there are " + String.join(", ", nodes),
                        member.key(),
                        nodes);
                continue;
            }
            String text = text(part, member.value());
            if (text != null && texts.put(member.key(), text) != null) {
                problems.add(member.keyPosition(), "node \"" + member.key() + "\" appears twice; remove one");
            }
        }
        return texts;
    }

    /** A reason for all nodes is one for all that are expected not to fit. */
    private Map<String, String> all(CasePart part, SourceNode value) {
        Map<String, String> texts = new TreeMap<>();
        String text = text(part, value);
        Map<String, String> fits = values.get(CasePart.FITS);
        for (String node : nodes) {
            boolean counts = part != CasePart.REASON || fits == null || "false".equals(fits.get(node));
            if (text != null && counts) {
                texts.put(node, text);
            }
        }
        if (text != null && texts.isEmpty() && !nodes.isEmpty()) {
            problems.add(
                    value.position(), "the case expects a reason, but no node with fits: false; remove the reason");
        }
        return texts;
    }

    /** Null if the value is none of the part. */
    private @Nullable String text(CasePart part, SourceNode value) {
        boolean good = switch (part) {
            case FITS -> value.kind() == SourceNode.Kind.BOOL;
            case SCORE -> value.kind() == SourceNode.Kind.NUMBER && value.text().matches("[0-9]{1,2}|100");
            case REASON -> value.kind() == SourceNode.Kind.STRING;
            case ERROR -> value.kind() == SourceNode.Kind.STRING && ERRORS.contains(value.text());
        };
        if (good) {
            return value.text();
        }
        String wanted = switch (part) {
            case FITS -> "true or false";
            case SCORE -> "a number from 0 to 100 without fraction";
            case REASON -> "a string";
            case ERROR -> String.join(", ", ERRORS);
        };
        problems.unknown(
                value.position(),
                part.word() + " is " + CaseObject.shown(value) + ", expected " + wanted,
                value.text(),
                part == CasePart.ERROR ? ERRORS : List.of());
        return null;
    }
}
