package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.engine.rules.compiler.Member;
import io.policyscheduler.engine.rules.compiler.Members;
import io.policyscheduler.engine.rules.compiler.Operations;
import io.policyscheduler.engine.rules.compiler.Operations.Operation;
import io.policyscheduler.engine.rules.data.RuleType;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code rule docs}. */
@Command(
        name = "docs",
        description = "Lists the members, operators, and functions of the rule language.",
        sortOptions = false,
        footer = {
            "",
            "-o json prints",
            "  {\"members\": [ {\"of\": \"node\", \"member\": \"label(key)\", \"type\": \"string\", \"unit\": \"\",",
            "      \"reads\": \"NODE\", \"cost\": 1, \"meaning\": \"...\", \"example\": \"...\"} ],",
            "   \"operations\": [ {\"group\": \"operators\", \"names\": [\"&&\"], \"usage\": \"a && b\", \"type\": \"bool\",",
            "      \"meaning\": \"both bools\", \"example\": \"...\"} ]}"
        })
final class RuleDocsCommand implements Callable<Integer> {
    @Option(names = "--snippets", description = "Print snippets for VS Code that complete the rule language.")
    private boolean snippets;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        if (snippets) {
            common.out().print(RuleSnippets.text());
            return ExitCode.OK;
        }
        common.output().write(this::print, RuleDocsCommand::json);
        return ExitCode.OK;
    }

    private void print() {
        PrintWriter out = common.out();
        for (RuleType type : Members.types()) {
            TextTable table = new TextTable()
                    .text(type.label().toUpperCase(Locale.ROOT))
                    .text("TYPE")
                    .text("UNIT")
                    .text("READS")
                    .number("COST")
                    .text("EXAMPLE")
                    .text("MEANING");
            for (Member member : Members.of(type)) {
                table.row(
                        member.signature(),
                        member.result().label(),
                        member.unit(),
                        member.reads(),
                        member.cost(),
                        member.example(),
                        member.text());
            }
            table.print(out);
            out.println();
        }
        for (Operation.Group group : Operation.Group.values()) {
            TextTable table = new TextTable()
                    .text(group.title().toUpperCase(Locale.ROOT))
                    .text("TYPE")
                    .text("FOR")
                    .text("EXAMPLE")
                    .text("MEANING");
            for (Operation operation : operations(group)) {
                table.row(
                        operation.usage(),
                        operation.result().label(),
                        String.join(" ", operation.names()),
                        operation.example(),
                        operation.text());
            }
            table.print(out);
            out.println();
        }
    }

    private static List<Operation> operations(Operation.Group group) {
        return Operations.all().stream()
                .filter(operation -> operation.group() == group)
                .toList();
    }

    private static ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode members = json.putArray("members");
        for (RuleType type : Members.types()) {
            for (Member member : Members.of(type)) {
                members.addObject()
                        .put("of", type.label())
                        .put("member", member.signature())
                        .put("type", member.result().label())
                        .put("unit", member.unit())
                        .put("reads", member.reads().toString())
                        .put("cost", member.cost())
                        .put("meaning", member.text())
                        .put("example", member.example());
            }
        }
        ArrayNode operations = json.putArray("operations");
        for (Operation operation : Operations.all()) {
            ObjectNode node =
                    operations.addObject().put("group", operation.group().title());
            ArrayNode names = node.putArray("names");
            operation.names().forEach(names::add);
            node.put("usage", operation.usage())
                    .put("type", operation.result().label())
                    .put("meaning", operation.text())
                    .put("example", operation.example());
        }
        return json;
    }

    /** Snippets for VS Code: one per member. */
    public static final class RuleSnippets {
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

        /** Only pod, node, and cluster have fixed names; another receiver is the first placeholder. */
        private static String body(RuleType type, Member member) {
            StringBuilder body = new StringBuilder();
            int place = 1;
            if (ROOTS.contains(type)) {
                body.append(type.label());
            } else {
                body.append("${")
                        .append(place++)
                        .append(":")
                        .append(prefix(type))
                        .append("}");
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
}
