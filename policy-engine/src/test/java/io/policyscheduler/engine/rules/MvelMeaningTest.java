package io.policyscheduler.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import java.io.Serializable;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mvel2.CompileException;
import org.mvel2.MVEL;
import org.mvel2.optimizers.OptimizerFactory;

/**
 * An expression has the same value in a rule as in MVEL itself, which gets the original text and plain Java objects. The system property {@code
 * rules.meanings} sets the number of texts, 800 by default; {@code rules.seed} sets the first seed.
 */
class MvelMeaningTest {
    private static final int MEANINGS = Integer.getInteger("rules.meanings", 800);
    private static final Map<String, Object> PLAIN_TABLES = plainTables();
    private static final long SEED = Long.getLong("rules.seed", 1);

    /** MVEL may choose overloads of these functions for whole numbers, which makes the whole expression an integer. */
    private static final Pattern OVERLOADED = Pattern.compile("Math\\.(min|max|abs|round)\\(");

    /** MVEL prints texts that it cannot parse. */
    private final Logger quiet = Logger.getLogger("org.mvel2.util.ErrorUtil");

    /** The functions of {@link Math} without overloads. */
    public static final class Doubles {
        public double min(double a, double b) {
            return Math.min(a, b);
        }

        public double max(double a, double b) {
            return Math.max(a, b);
        }

        public double abs(double a) {
            return Math.abs(a);
        }

        public double round(double a) {
            return Math.round(a);
        }
    }

    private static Map<String, Object> plainTables() {
        Map<String, Object> tables = new HashMap<>(ExampleTables.PLAIN);
        tables.put("host", ExampleTables.HOSTS);
        return tables;
    }

    /** Returns the value of a text in MVEL and as a rule; null if it cannot be run. */
    private static @Nullable Object mvel(Serializable compiled, RandomRuleInput input, NodeInfo node) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("pod", new PlainObjects.Pod(input.pod()));
        variables.put("node", new PlainObjects.Node(node));
        variables.put(
                "now",
                new PlainObjects.Moment(
                        input.cluster().now().atZone(ZoneOffset.UTC).getHour()));
        variables.put("tables", PLAIN_TABLES);
        variables.put("doubles", new Doubles());
        try {
            Object value = MVEL.executeExpression(compiled, variables);
            // A rule has no -0.
            return value instanceof Number number ? (Object) (number.doubleValue() + 0.0) : value;
        } catch (RuntimeException e) {
            return null;
        }
    }

    /** Returns null for what MVEL cannot parse, such as {@code a == empty and b}. */
    private static @Nullable Serializable compiled(String text) {
        try {
            return MVEL.compileExpression(text);
        } catch (CompileException e) {
            return null;
        }
    }

    private static @Nullable Object rule(RuleProgram program, RuleProgram.Run run, NodeInfo node) {
        try {
            return program.type() == RuleType.BOOL ? (Object) run.bool(node) : (Object) run.number(node);
        } catch (RuleFailure e) {
            return null;
        }
    }

    /** Returns null for a text that is too long. */
    private static @Nullable RuleProgram program(String text, RuleType type) {
        try {
            return ExampleTables.compiler().compile(text, Map.of(), type);
        } catch (RuleException e) {
            if (e.problem().code() == RuleCode.TOO_LONG) {
                return null;
            }
            throw new AssertionError(text + "\n" + e.problem().format(), e);
        }
    }

    @Test
    void agree() {
        quiet.setLevel(Level.OFF);
        OptimizerFactory.setDefaultOptimizer(OptimizerFactory.SAFE_REFLECTIVE);
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(SEED);
        long compared = 0;
        long unable = 0;
        long truths = 0;
        long guessed = 0;
        for (int i = 0; i < MEANINGS; i++) {
            RuleType type = random.nextInt(3) == 0 ? RuleType.NUMBER : RuleType.BOOL;
            String text = RandomIdiom.of(type, random);
            RuleProgram program = program(text, type);
            Serializable compiled = compiled(text);
            if (program == null || compiled == null) {
                unable++;
                continue;
            }
            RandomRuleInput input = RandomRuleInput.of(random);
            RuleProgram.Run run = program.start(input.pod(), input.cluster());
            for (NodeInfo node : input.cluster().nodes()) {
                Object own = rule(program, run, node);
                Object theirs = mvel(compiled, input, node);
                if (own == null || theirs == null) {
                    unable++;
                    continue;
                }
                if (!theirs.equals(own) && OVERLOADED.matcher(text).find()) {
                    Serializable doubles = compiled(OVERLOADED.matcher(text).replaceAll("doubles.$1("));
                    theirs = mvel(Objects.requireNonNull(doubles), input, node);
                    guessed++;
                }
                assertEquals(theirs, own, () -> text + " on " + node.node().labels() + " for " + input.pod());
                compared++;
                truths += own.equals(true) ? 1 : 0;
            }
        }
        // Otherwise the test would say little.
        long all = compared;
        long failed = unable;
        long right = truths;
        long whole = guessed;
        assertTrue(whole < all / 200, () -> whole + " of " + all + " were taken for whole numbers by MVEL");
        assertTrue(failed < all / 4, () -> failed + " of " + all + " could not be compared");
        assertTrue(right > all / 10 && right < all, () -> right + " of " + all);
    }

    /** What MVEL evaluates and a rule rejects: the list of the language page. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "false or true -> false -> true",
                "pod.name == 'x' or pod.name == pod.name -> false -> true",
                "Math.max(1.5, 1) == 1.5 -> false -> true",
                "Math.abs(tables.price.getOrDefault('b', 2.5)) <= Math.max(2, 2) -> true -> false",
            })
    void differ(String text, boolean theirs, boolean own) {
        RandomRuleInput input =
                RandomRuleInput.of(RandomGeneratorFactory.of("L64X128MixRandom").create(1));
        NodeInfo node = input.cluster().nodes().get(0);
        RuleProgram program = Objects.requireNonNull(program(text, RuleType.BOOL));
        assertEquals(theirs, mvel(Objects.requireNonNull(compiled(text)), input, node));
        assertEquals(own, rule(program, program.start(input.pod(), input.cluster()), node));
    }
}
