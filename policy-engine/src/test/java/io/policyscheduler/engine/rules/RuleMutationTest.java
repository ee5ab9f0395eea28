package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.data.RuleType;
import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/**
 * Fuzzing in the normal test run: pieces of the hostile corpus, of good expressions and of single characters are mixed. The
 * number of texts is the system property {@code rules.mutations}, 20,000 by default.
 */
class RuleMutationTest {
    private static final int MUTATIONS = Integer.getInteger("rules.mutations", 8_000);
    private static final String CHARACTERS = "()[]{}.,?:!&|=<>+-*/%'\"\\ax1 \n\té\u202e\ud800;#@$`~^_";

    private final RuleFuzzTarget target = new RuleFuzzTarget();

    @Test
    void refusesOrRuns() throws IOException {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(Long.getLong("rules.seed", 1));
        List<String> seeds = RuleFuzzTarget.seeds();
        for (int i = 0; i < MUTATIONS; i++) {
            StringBuilder text = new StringBuilder(piece(seeds, random));
            for (int change = random.nextInt(4); change >= 0; change--) {
                mutate(text, seeds, random);
            }
            String mutated = text.toString();
            try {
                target.run(mutated);
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("for: " + mutated, e);
            }
        }
    }

    private static void mutate(StringBuilder text, List<String> seeds, RandomGenerator random) {
        int at = random.nextInt(text.length() + 1);
        switch (random.nextInt(5)) {
            case 0 -> text.insert(at, CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
            case 1 -> text.insert(at, part(piece(seeds, random), random));
            case 2 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(4)));
            case 3 -> text.insert(0, "(").append(") && ").append(piece(seeds, random));
            default -> text.append(random.nextBoolean() ? " || " : " + ").append(piece(seeds, random));
        }
    }

    private static String piece(List<String> seeds, RandomGenerator random) {
        return random.nextInt(3) == 0
                ? RandomExpression.of(RuleType.BOOL, random)
                : seeds.get(random.nextInt(seeds.size()));
    }

    private static String part(String text, RandomGenerator random) {
        int from = random.nextInt(text.length() + 1);
        return text.substring(from, Math.min(text.length(), from + random.nextInt(20)));
    }
}
