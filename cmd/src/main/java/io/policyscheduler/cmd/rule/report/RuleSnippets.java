package io.policyscheduler.cmd.rule.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.rules.compiler.Member;
import io.policyscheduler.engine.rules.compiler.Members;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;

/** Snippets for VS Code: one for each member that a rule may ask. */
public final class RuleSnippets {
    private static final List<RuleType> ROOTS = List.of(RuleType.POD, RuleType.NODE, RuleType.CLUSTER);

    private RuleSnippets() {}

    /** The file {@code rules.code-snippets}, by the name that each is completed from. */
    public static String text() {
        ObjectNode snippets = JsonNodeFactory.instance.objectNode();
        for (RuleType type : Members.types()) {
            for (Member member : Members.of(type)) {
                snippets.putObject(type.label() + "." + member.signature())
                        .put("scope", "yaml,json")
                        .put("prefix", prefix(type) + "." + member.name())
                        .put("body", body(type, member))
                        .put("description", description(member));
            }
        }
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        try {
            return new JsonMapper()
                            .writer(new DefaultPrettyPrinter().withObjectIndenter(indenter))
                            .writeValueAsString(snippets)
                    + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree in memory", e);
        }
    }

    private static String prefix(RuleType type) {
        return switch (type) {
            case LABELS -> "labels";
            case AMOUNTS -> "amounts";
            default -> type.label();
        };
    }

    /** What is no pod, node or cluster has no fixed name: it is the first thing to fill in. */
    private static String body(RuleType type, Member member) {
        StringBuilder body = new StringBuilder();
        int place = 1;
        if (ROOTS.contains(type)) {
            body.append(type.label());
        } else {
            body.append("${").append(place++).append(":").append(prefix(type)).append("}");
        }
        body.append(".").append(member.name());
        if (member.property()) {
            return body.toString();
        }
        String separator = "(";
        for (String parameter : member.parameters()) {
            body.append(separator)
                    .append("'${")
                    .append(place++)
                    .append(":")
                    .append(parameter)
                    .append("}'");
            separator = ", ";
        }
        return body.append(member.parameters().isEmpty() ? "()" : ")").toString();
    }

    private static String description(Member member) {
        String unit = member.unit().isEmpty() ? "" : ", in " + member.unit();
        return member.result().label() + unit + ": " + member.text() + "; " + member.example();
    }
}
