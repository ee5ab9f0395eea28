package io.policyscheduler.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.rules.compiler.Members;
import io.policyscheduler.engine.rules.compiler.Operations;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleException.RuleProblem;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import io.policyscheduler.engine.rules.data.CountTable;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.executor.DirectProgram;
import io.policyscheduler.engine.rules.executor.MvelProgram;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Any text is either rejected, or becomes a program with the same result in both executors. Everything else is a finding. */
final class RuleFuzzTarget {
    private static final Map<String, Object> PARAMS = Map.of("x", 2, "names", List.of("a", "b"), "flag", true);
    private static final List<String> STATEMENTS = List.of(
            "if (pod.priority > 5) { return node.zone == ''; } return false;",
            "zone = node.labels['zone'] or 'none'; if (zone == 'none') { return 0; } else { 10 * zone.length() }",
            "var web = (p in node.pods if p.labels['app'] == 'web'); return web.size() < 3 && web.all(p, p.cpu < 1);",
            "node.labels['a'] != null && node.labels.?a ~= '[0-9]+' or (name in node.pods) contains 'a'",
            "tables.host[node.name].watts or tables.cost[pod.labels['app']] + tables.price.size()",
            "t = tables.team[pod.name]; return t != null && tables.gold[t] == true || tables.host[t].owner == t;",
            "h = tables.rack[node.labels['zone'] or 'web']; return (h.on or tables.rich['a']) && h.watts > 2;");
    private final RandomRuleInput input = RandomRuleInput.of(new Random(7));

    /** Seeds of the corpus: hostile expressions, statements, and the example of each operation and member. */
    static List<String> seeds() throws IOException {
        List<String> seeds = new ArrayList<>();
        HostileCorpus.read().forEach(entry -> seeds.add(entry.expression()));
        Operations.all().forEach(operation -> seeds.add(operation.example()));
        seeds.addAll(STATEMENTS);
        for (RuleType type : Members.types()) {
            Members.of(type).forEach(member -> seeds.add(member.example()));
        }
        return seeds;
    }

    /** Compiles and runs a text. */
    void run(String text) {
        for (RuleType type : List.of(RuleType.BOOL, RuleType.NUMBER)) {
            RuleProgram program = compile(text, type);
            if (program != null) {
                compare(program);
            }
        }
    }

    private static @Nullable RuleProgram compile(String text, RuleType type) {
        try {
            return ExampleTables.compiler().compile(text, PARAMS, type);
        } catch (RuleException e) {
            RuleProblem problem = e.problem();
            assertTrue(problem.offset() >= 0 && problem.offset() <= text.length(), problem::format);
            assertTrue(problem.line() >= 1 && problem.column() >= 1, problem::format);
            assertTrue(problem.caret().endsWith("^"), problem::format);
            return null;
        }
    }

    private void compare(RuleProgram program) {
        MvelProgram compiled = MvelProgram.compile(program.term());
        String emitted = compiled.text();
        assertTrue(emitted.chars().allMatch(c -> c >= ' ' && c <= '~'), emitted);
        ClusterCounts counts = program.counts(new CountTable(input.cluster()));
        RuleProgram.Run direct = program.start(input.pod(), counts, DirectProgram.compile(program.term()));
        RuleProgram.Run mvel = program.start(input.pod(), counts, compiled);
        for (NodeInfo node : input.cluster().nodes()) {
            assertEquals(value(program, direct, node), value(program, mvel, node), program::expression);
        }
    }

    private static Object value(RuleProgram program, RuleProgram.Run run, NodeInfo node) {
        try {
            return program.type() == RuleType.BOOL ? run.bool(node) : (Object) run.number(node);
        } catch (RuleFailure e) {
            return e.kind();
        }
    }
}
