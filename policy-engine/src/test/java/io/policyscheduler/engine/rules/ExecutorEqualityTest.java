package io.policyscheduler.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import io.policyscheduler.engine.rules.data.CountTable;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.executor.MvelProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * MVEL and our executor agree on random expressions and clusters, on values, failures, and cost, alone and in 8 threads that share every program. The
 * system property {@code rules.expressions} sets the number of expressions, 5,000 by default; {@code rules.seed} sets the first seed.
 */
class ExecutorEqualityTest {
    private static final int THREADS = 8;
    private static final int BATCH = 500;
    private static final int EXPRESSIONS = Integer.getInteger("rules.expressions", 2_500);
    private static final long SEED = Long.getLong("rules.seed", 1);

    /** Budgets that some expressions exceed, so that both must stop at the same point. */
    private static final List<RuleCompiler> COMPILERS = List.of(
            ExampleTables.compiler(), compiler(200_000), compiler(300), compiler(60), compiler(20), compiler(1));

    private static RuleCompiler compiler(long budget) {
        RuleLimits limits = RuleLimits.DEFAULT;
        return ExampleTables.compiler(new RuleLimits(
                limits.length(),
                limits.depth(),
                limits.terms(),
                limits.listItems(),
                limits.cost(),
                limits.pods(),
                limits.elements(),
                limits.patternSize(),
                budget,
                limits.attempt()));
    }

    /** A program, a cluster, and the result of our executor for each node. */
    private record Case(RuleProgram program, MvelProgram mvel, RandomRuleInput input, List<Object> expected) {}

    @Test
    void agree() throws Exception {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(SEED);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        long refused = 0;
        long failures = 0;
        long exceeded = 0;
        long values = 0;
        try {
            for (int done = 0; done < EXPRESSIONS; ) {
                List<Case> batch = new ArrayList<>();
                while (batch.size() < BATCH && done < EXPRESSIONS) {
                    Case made = make(random);
                    if (made == null) {
                        refused++;
                        continue;
                    }
                    for (Object value : made.expected()) {
                        failures += value instanceof RuleFailure.Kind ? 1 : 0;
                        exceeded += value == RuleFailure.Kind.BUDGET ? 1 : 0;
                        values += value instanceof Long ? 1 : 0;
                    }
                    batch.add(made);
                    done++;
                }
                runTogether(threads, batch);
            }
        } finally {
            threads.shutdownNow();
        }
        // Otherwise the test would say little.
        long total = values;
        long failed = failures;
        long out = refused;
        long over = exceeded;
        assertTrue(over > total / 200 && over < total / 2, () -> over + " too much of " + total);
        assertTrue(total > EXPRESSIONS && failed > total / 200 && failed < total / 2, () -> failed + " of " + total);
        assertTrue(out < EXPRESSIONS, () -> out + " refused");
    }

    private static @Nullable Case make(RandomGenerator random) {
        RuleType type = random.nextBoolean() ? RuleType.BOOL : RuleType.NUMBER;
        String expression = RandomExpression.of(type, random);
        RuleProgram program;
        try {
            program = COMPILERS.get(random.nextInt(COMPILERS.size())).compile(expression, Map.of(), type);
        } catch (RuleException e) {
            RuleCode code = e.problem().code();
            boolean expected = List.of(
                            RuleCode.COST,
                            RuleCode.CONSTANT,
                            RuleCode.TOO_LONG,
                            RuleCode.TOO_MANY_TERMS,
                            RuleCode.TOO_DEEP,
                            RuleCode.QUANTITY)
                    .contains(code);
            if (expected) {
                return null;
            }
            throw new AssertionError(expression + "\n" + e.problem().format(), e);
        }
        RandomRuleInput input = RandomRuleInput.of(random);
        List<Object> expected = values(program, program.start(input.pod(), input.cluster()), input);
        return new Case(program, MvelProgram.compile(program.term()), input, expected);
    }

    private static List<Object> values(RuleProgram program, RuleProgram.Run run, RandomRuleInput input) {
        List<Object> values = new ArrayList<>();
        for (NodeInfo node : input.cluster().nodes()) {
            try {
                values.add(program.type() == RuleType.BOOL ? run.bool(node) : (Object) run.number(node));
            } catch (RuleFailure e) {
                values.add(e.kind());
            }
            values.add(run.work());
        }
        return values;
    }

    private static void runTogether(ExecutorService threads, List<Case> batch) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        List<Future<?>> running = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            running.add(threads.submit(() -> {
                start.await();
                for (Case one : batch) {
                    compare(one);
                }
                return null;
            }));
        }
        for (Future<?> future : running) {
            future.get();
        }
    }

    private static void compare(Case one) {
        RuleProgram program = one.program();
        RandomRuleInput input = one.input().copy();
        ClusterCounts counts = program.counts(new CountTable(input.cluster()));
        String where = program.expression();
        try {
            assertEquals(one.expected(), values(program, program.start(input.pod(), counts, one.mvel()), input), where);
            assertEquals(one.expected(), values(program, program.start(input.pod(), input.cluster()), input), where);
        } catch (RuntimeException e) {
            throw new AssertionError(where + "\n" + one.mvel().text(), e);
        }
    }
}
