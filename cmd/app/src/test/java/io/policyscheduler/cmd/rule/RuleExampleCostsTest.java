package io.policyscheduler.cmd.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.rule.RuleBenchCommand.RuleBench;
import io.policyscheduler.cmd.rule.TestedRule.RuleBook;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.RuleException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The list by question has each example once, with its estimated cost and a measured time. The times are those of one machine and
 * are not compared; {@code mvn test -pl cmd/app -Dtest=RuleExampleCostsTest -Drenew=measured} measures them anew.
 */
class RuleExampleCostsTest {
    private static final Path RULES = Path.of("../../policy-files/rules");
    private static final Path PAGE = RULES.resolve("README.md");
    private static final Pattern ROW = Pattern.compile(
            "(?<before>^\\| [^|]+\\? \\| \\[(?<file>[\\w.-]+)]\\(\\k<file>\\) \\| )(?<cost>\\d+) \\| (?<nanos>\\d+) \\|$",
            Pattern.MULTILINE);
    private static final RuleBench BENCH = new RuleBench(500, 5000, 10, 20_000_000, 1);

    /** The cells of a row about an example. */
    private record Figures(int cost, long nanos) {}

    @Test
    void everyExampleHasARowWithItsCost() throws IOException, RuleException {
        if ("measured".equals(System.getProperty("renew"))) {
            Files.writeString(PAGE, renewed(Files.readString(PAGE)));
        }
        Map<String, Integer> expected = new TreeMap<>();
        for (String example : RuleExampleCasesTest.examples()) {
            expected.put(example, estimate(example));
        }
        Map<String, Integer> costs = new TreeMap<>();
        rows(Files.readString(PAGE)).forEach((file, figures) -> {
            costs.put(file, figures.cost());
            assertTrue(figures.nanos() > 0, file + " has not been measured");
        });
        assertEquals(
                expected,
                costs,
                "a row is missing, or a cost is stale; add '| How do I ...? | [x.yaml](x.yaml) | 0 | 1 |' to " + PAGE
                        + " and run mvn test -pl cmd/app -Dtest=RuleExampleCostsTest -Drenew=measured");
    }

    private static Map<String, Figures> rows(String page) {
        Map<String, Figures> rows = new LinkedHashMap<>();
        Set<String> twice = new TreeSet<>();
        Matcher row = ROW.matcher(page);
        while (row.find()) {
            Figures figures = new Figures(Integer.parseInt(row.group("cost")), Long.parseLong(row.group("nanos")));
            if (rows.put(row.group("file"), figures) != null) {
                twice.add(row.group("file"));
            }
        }
        assertEquals(Set.of(), twice, "there twice");
        return rows;
    }

    private static String renewed(String page) throws IOException, RuleException {
        StringBuilder text = new StringBuilder();
        Matcher row = ROW.matcher(page);
        while (row.find()) {
            String file = row.group("file");
            String line = row.group("before") + estimate(file) + " | " + Math.round(measure(file)) + " |";
            row.appendReplacement(text, Matcher.quoteReplacement(line));
        }
        return row.appendTail(text).toString();
    }

    /** The sum of the costs that {@code rule check} prints for the rules of the file. */
    private static int estimate(String example) throws IOException {
        CommandRun run = CommandRun.of("rule", "check", RULES.resolve(example).toString(), "-o", "json");
        assertEquals(0, run.code(), run.out() + run.err());
        int sum = 0;
        for (JsonNode rule : new ObjectMapper().readTree(run.out()).get("rules")) {
            sum += rule.get("cost").asInt();
        }
        return sum;
    }

    /** Nanoseconds for one node with all rules of the file. */
    private static double measure(String example) throws RuleException {
        Path file = RULES.resolve(example);
        boolean library = example.equals("licences.yaml");
        RuleBook book = RuleBook.read(library ? null : file, library ? file : null, Map.of());
        double sum = 0;
        for (TestedRule rule : book.rulesInUse()) {
            RuleDefinition definition = rule.definition();
            RuleProgram program = RuleCompiler.reading(rule.tables())
                    .compile(definition.expression(), definition.params(), rule.type());
            List<RuleBench.Result> results = BENCH.measure(program, definition.params(), rule.tables(), round -> {});
            sum += results.stream()
                    .filter(result -> result.how().equals("scheduler"))
                    .mapToDouble(RuleBench.Result::nanosPerNode)
                    .sum();
        }
        return sum;
    }
}
