package io.policyscheduler.tests.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** Reproducible random choices. */
final class RandomChoices {
    private final SplittableRandom random;

    RandomChoices(long seed) {
        this(new SplittableRandom(seed));
    }

    private RandomChoices(SplittableRandom random) {
        this.random = random;
    }

    /** An independent sequence, so that more choices of one kind do not change those of another. */
    RandomChoices split() {
        return new RandomChoices(random.split());
    }

    boolean percent(double chance) {
        return random.nextDouble() * 100 < chance;
    }

    /** Returns a number between the bounds, both inclusive. */
    int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    @SafeVarargs
    final <T> T of(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    <T> T of(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** Returns a duration that is usually short, and sometimes up to {@code max}. */
    long skewedMillis(long max) {
        double part = random.nextDouble();
        return (long) (max * part * part * part * part);
    }

    long nextLong() {
        return random.nextLong();
    }
}
