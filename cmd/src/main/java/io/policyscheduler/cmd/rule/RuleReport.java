package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.rules.OnError;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.Reads;
import io.policyscheduler.engine.rules.data.RuleType;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What became of rules that were checked.
 *
 * @param accepted the good ones, in the order in which they were checked
 * @param problems what is wrong with the others, in that order
 */
record RuleReport(List<Accepted> accepted, List<Problem> problems) {
    /**
     * A rule that compiles.
     *
     * @param name empty for an expression that is no part of a file
     * @param type BOOL for a predicate, NUMBER for a priority
     * @param reads what it looks at, its condition included
     * @param cost estimated work of one evaluation, in units of about one member access
     * @param growsWith what makes it cost more or less than that; empty when nothing does
     * @param onError what a failure means, null for an expression that is no part of a file
     */
    public record Accepted(
            String name,
            RuleType type,
            Scope scope,
            Set<Reads> reads,
            long cost,
            List<String> growsWith,
            @Nullable OnError onError,
            RuleDefinition.Place place) {
        public Accepted {
            growsWith = List.copyOf(growsWith);
        }

        /**
         * A rule of a file, or an expression.
         *
         * @param onError what a failure means, null for an expression
         */
        public static Accepted of(
                String name,
                RuleProgram program,
                Set<Reads> reads,
                @Nullable OnError onError,
                RuleDefinition.Place place) {
            return new Accepted(
                    name, program.type(), Reads.scope(reads), reads, program.cost(), program.sizes(), onError, place);
        }

        private String use() {
            return type == RuleType.BOOL ? "predicate" : "priority";
        }

        private Set<Reads> sortedReads() {
            return new TreeSet<>(reads);
        }
    }

    public RuleReport {
        accepted = List.copyOf(accepted);
        problems = List.copyOf(problems);
    }

    /** A table of the good rules; then a line for each problem, with the place in the expression below it. */
    public void print(PrintWriter out) {
        TextTable table = new TextTable()
                .text("RULE")
                .text("FOR")
                .text("TYPE")
                .text("SCOPE")
                .text("READS")
                .number("COST")
                .text("PLACE");
        for (Accepted rule : accepted) {
            RuleDefinition.Place place = rule.place();
            table.row(
                    rule.name().isEmpty() ? "-" : rule.name(),
                    rule.use(),
                    rule.type().label(),
                    rule.scope(),
                    rule.sortedReads().stream().map(Reads::toString).collect(Collectors.joining(",")),
                    rule.cost(),
                    place.file() + (place.line() > 0 ? ":" + place.line() + ":" + place.column() : ""));
        }
        table.print(out);
        for (Accepted rule : accepted) {
            String of = rule.name().isEmpty() ? "" : "of " + rule.name() + " ";
            rule.growsWith().forEach(size -> out.println("the cost " + of + "grows with the " + size));
        }
        for (Problem problem : problems) {
            out.println(problem.line());
            out.print(problem.excerpt().indent(4));
        }
    }

    /** The same for programs. */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode rules = json.putArray("rules");
        for (Accepted rule : accepted) {
            ObjectNode node = rules.addObject()
                    .put("name", rule.name())
                    .put("for", rule.use())
                    .put("type", rule.type().label())
                    .put("scope", rule.scope().toString());
            ArrayNode reads = node.putArray("reads");
            rule.sortedReads().forEach(read -> reads.add(read.toString()));
            node.put("cost", rule.cost())
                    .put("file", rule.place().file())
                    .put("line", rule.place().line())
                    .put("column", rule.place().column())
                    .put(
                            "onError",
                            rule.onError() == null ? null : rule.onError().word());
            ArrayNode sizes = node.putArray("growsWith");
            rule.growsWith().forEach(sizes::add);
        }
        ArrayNode refused = json.putArray("problems");
        for (Problem problem : problems) {
            refused.addObject()
                    .put("code", problem.code())
                    .put("message", problem.message())
                    .put("file", problem.file())
                    .put("line", problem.lineNumber())
                    .put("column", problem.column())
                    .put("excerpt", problem.excerpt())
                    .put("suggestion", problem.suggestion());
        }
        return json;
    }
}
