package io.policyscheduler.tests.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** Random choices that a seed repeats. */
final class Luck {
    private final SplittableRandom random;

    Luck(long seed) {
        this(new SplittableRandom(seed));
    }

    private Luck(SplittableRandom random) {
        this.random = random;
    }

    /** Choices of their own, so that more of one kind do not change those of another. */
    Luck split() {
        return new Luck(random.split());
    }

    boolean percent(double chance) {
        return random.nextDouble() * 100 < chance;
    }

    /** Between the two, both included. */
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

    /** Mostly short, sometimes up to {@code max}. */
    long skewedMillis(long max) {
        double part = random.nextDouble();
        return (long) (max * part * part * part * part);
    }

    long nextLong() {
        return random.nextLong();
    }
}
