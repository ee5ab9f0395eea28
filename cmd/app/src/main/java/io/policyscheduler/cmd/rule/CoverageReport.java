package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.report.TextTable.Percent;
import io.policyscheduler.cmd.rule.RuleCase.CaseOutcome;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.Coverage;
import io.policyscheduler.engine.rules.compiler.Coverage.Branch;
import io.policyscheduler.engine.rules.compiler.ExpressionPart;
import io.policyscheduler.engine.rules.compiler.ExpressionPart.PartValue;
import io.policyscheduler.engine.rules.compiler.RuleException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The branches of rules that cases have taken.
 *
 * @param rules in the order in which they are shown
 */
public record CoverageReport(List<OfRule> rules) {
    /**
     * The branches of one expression of a rule.
     *
     * @param name {@code when} or {@code expression}
     */
    public record Field(String name, List<Branch> branches) {
        public Field {
            branches = List.copyOf(branches);
        }
    }

    /** The branches of one rule. */
    public record OfRule(String name, RuleDefinition.Place place, List<Field> fields) {
        public OfRule {
            fields = List.copyOf(fields);
        }

        private List<Branch> branches() {
            return fields.stream().flatMap(field -> field.branches().stream()).toList();
        }

        long taken() {
            return branches().stream().filter(Branch::taken).count();
        }

        private String where() {
            return place.file() + ":" + place.line() + ":" + place.column();
        }

        /** A line for each branch that no case takes. */
        List<String> open() {
            List<String> lines = new ArrayList<>();
            for (Field field : fields) {
                for (Branch branch : field.branches()) {
                    if (!branch.taken()) {
                        ExpressionPart condition = branch.condition();
                        lines.add(where() + ": rule " + name + ": " + field.name() + " " + condition.line() + ":"
                                + condition.column() + ": never " + branch.way() + ": " + condition.text());
                    }
                }
            }
            return List.copyOf(lines);
        }
    }

    public CoverageReport {
        rules = List.copyOf(rules);
    }

    /** Number of branches of all rules. */
    public long branches() {
        return rules.stream().mapToLong(rule -> rule.branches().size()).sum();
    }

    /** The number of branches that a case takes. */
    public long taken() {
        return rules.stream().mapToLong(OfRule::taken).sum();
    }

    /** The share of branches that cases take, 0 to 100; 100 without branches. */
    public double percent() {
        return percent(taken(), branches());
    }

    private static double percent(long taken, long branches) {
        return branches == 0 ? 100 : 100.0 * taken / branches;
    }

    private static String shown(long taken, long branches) {
        return Percent.of(percent(taken, branches)) + "%";
    }

    /** A table of the rules, then a line for each branch that no case takes. */
    public void print(PrintWriter out) {
        TextTable table = new TextTable()
                .text("RULE")
                .number("BRANCHES")
                .number("TAKEN")
                .number("COVERAGE")
                .text("PLACE");
        for (OfRule rule : rules) {
            long all = rule.branches().size();
            table.row(rule.name(), all, rule.taken(), shown(rule.taken(), all), rule.where());
        }
        if (rules.size() > 1) {
            table.row("all", branches(), taken(), shown(taken(), branches()), "");
        }
        table.print(out);
        rules.forEach(rule -> rule.open().forEach(out::println));
    }

    /** The lines for branches that no case takes. */
    public List<String> open() {
        return rules.stream().flatMap(rule -> rule.open().stream()).toList();
    }

    /** The coverage as JSON. */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("branches", branches())
                .put("taken", taken())
                .put("percent", percent());
        ArrayNode list = json.putArray("rules");
        for (OfRule rule : rules) {
            ObjectNode node = list.addObject()
                    .put("rule", rule.name())
                    .put("file", rule.place().file())
                    .put("line", rule.place().line())
                    .put("column", rule.place().column())
                    .put("branches", rule.branches().size())
                    .put("taken", rule.taken());
            ArrayNode open = node.putArray("open");
            rule.fields()
                    .forEach(field -> field.branches().stream()
                            .filter(branch -> !branch.taken())
                            .forEach(branch -> open.addObject()
                                    .put("field", field.name())
                                    .put("line", branch.condition().line())
                                    .put("column", branch.condition().column())
                                    .put("way", branch.way())
                                    .put("text", branch.condition().text())));
        }
        return json;
    }

    /** Computes the branches that cases take. Rules without a case are included; expressions of cases are not. */
    static final class CaseCoverage {
        private record RuleCoverage(
                TestedRule rule, @Nullable Coverage when, Coverage expression) {}

        private final Map<RuleDefinition.Place, RuleCoverage> rules = new LinkedHashMap<>();

        private CaseCoverage() {}

        /** In the order of the files and of the rules in them. */
        static CoverageReport of(List<CaseFile> files) {
            CaseCoverage all = new CaseCoverage();
            files.forEach(file -> file.rules().forEach(all::add));
            files.forEach(file -> file.cases().forEach(all::add));
            List<CoverageReport.OfRule> reports = new ArrayList<>();
            for (RuleCoverage each : all.rules.values()) {
                RuleDefinition definition = each.rule().definition();
                List<CoverageReport.Field> fields = new ArrayList<>();
                if (each.when() != null) {
                    fields.add(new CoverageReport.Field("when", each.when().branches()));
                }
                fields.add(
                        new CoverageReport.Field("expression", each.expression().branches()));
                reports.add(new CoverageReport.OfRule(definition.name(), definition.place(), fields));
            }
            return new CoverageReport(reports);
        }

        private void add(TestedRule rule) {
            RuleProgram when = when(rule);
            RuleCoverage both = rules.computeIfAbsent(
                    rule.definition().place(),
                    place -> new RuleCoverage(rule, when == null ? null : new Coverage(), new Coverage()));
            if (when != null && both.when() != null) {
                both.when().add(when.source());
            }
            both.expression().add(expression(rule).source());
        }

        private void add(RuleCase about) {
            RuleCoverage both = rules.get(about.rule().definition().place());
            if (both == null) {
                return;
            }
            RuleProgram when = when(about.rule());
            RuleProgram expression = expression(about.rule());
            ClusterState cluster = CaseOutcome.cluster(about);
            CaseOutcome.nodes(about, cluster).forEach(node -> {
                PartValue applies = when == null ? null : when.trace(about.pod(), node, cluster);
                if (applies != null && both.when() != null) {
                    both.when().add(applies);
                }
                if (applies == null || Boolean.TRUE.equals(applies.statistics().value())) {
                    both.expression().add(expression.trace(about.pod(), node, cluster));
                }
            });
        }

        private static RuleProgram expression(TestedRule rule) {
            try {
                return RuleCompiler.reading(rule.tables())
                        .compile(
                                rule.definition().expression(),
                                rule.definition().params(),
                                rule.type());
            } catch (RuleException e) {
                throw new IllegalStateException(
                        "compiled before: " + rule.definition().name(), e);
            }
        }

        private static @Nullable RuleProgram when(TestedRule rule) {
            String when = rule.definition().when();
            try {
                return when == null
                        ? null
                        : RuleCompiler.reading(rule.tables())
                                .compileWhen(when, rule.definition().params());
            } catch (RuleException e) {
                throw new IllegalStateException(
                        "compiled before: " + rule.definition().name(), e);
            }
        }
    }
}
