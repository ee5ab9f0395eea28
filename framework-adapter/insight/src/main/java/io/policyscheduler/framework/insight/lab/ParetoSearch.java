package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Searches a cube of parameters, each from 0 to 1, for points with low values of several costs: NSGA-II, of Deb, Pratap, Agarwal, and
 * Meyarivan (2002), with simulated binary crossover and polynomial mutation. The same seed and costs give the same points.
 */
public final class ParetoSearch {
    /** Probability and distribution indices of the paper. */
    private static final double CROSSOVER = 0.9;

    private static final double CROSSOVER_INDEX = 15;
    private static final double MUTATION_INDEX = 20;
    /** Parents that differ by less in a dimension are equal there. */
    private static final double EQUAL = 1e-14;

    private final int size;
    private final SplittableRandom random;
    /** The best candidates, the best first. */
    private List<Ranked> population;

    /**
     * A point that was evaluated.
     *
     * @param point from 0 to 1 in each dimension
     * @param costs less is better; no NaN
     * @param violation how far it is from the limits in total: 0 if it keeps all, else more
     */
    public record Candidate(List<Double> point, List<Double> costs, double violation) {
        public Candidate {
            point = ImmutableList.copyOf(point);
            costs = ImmutableList.copyOf(costs);
        }

        /**
         * Whether this candidate is better: it keeps the limits and the other one does not, it violates them less, or both keep them and it
         * has a lower cost and no higher one.
         */
        public boolean dominates(Candidate other) {
            if (violation > 0 || other.violation > 0) {
                return violation < other.violation;
            }
            boolean better = false;
            for (int i = 0; i < costs.size(); i++) {
                int order = Double.compare(costs.get(i), other.costs.get(i));
                if (order > 0) {
                    return false;
                }
                better |= order < 0;
            }
            return better;
        }
    }

    /**
     * A candidate and its place.
     *
     * @param front number of its front, 0 for the best
     * @param distance to its neighbors on the front; infinite at the ends
     */
    private record Ranked(Candidate candidate, int front, double distance) {
        static final Comparator<Ranked> BEST_FIRST =
                Comparator.comparingInt(Ranked::front).thenComparing(Ranked::distance, Comparator.reverseOrder());
    }

    /**
     * A search.
     *
     * @param first the points that are known, at least one
     * @param size of the population and of each generation; even
     */
    public ParetoSearch(List<Candidate> first, int size, SplittableRandom random) {
        this.size = size;
        this.random = random;
        population = best(first);
    }

    /** Returns the points of the next generation. */
    public List<double[]> sample() {
        List<double[]> points = new ArrayList<>();
        while (points.size() < size) {
            double[] a = parent();
            double[] b = parent();
            if (random.nextDouble() < CROSSOVER) {
                cross(a, b);
            }
            mutate(a);
            mutate(b);
            points.add(a);
            points.add(b);
        }
        return points;
    }

    /**
     * Keeps the best of the population and of a generation. A candidate at a point of the population, or of another candidate, is ignored.
     *
     * @param generation candidates at the points of {@link #sample()}, or near them
     */
    public void update(List<Candidate> generation) {
        Set<Candidate> all = new LinkedHashSet<>(population());
        all.addAll(generation);
        population = best(List.copyOf(all));
    }

    /** Returns the population, the best first. */
    public List<Candidate> population() {
        return population.stream().map(Ranked::candidate).toList();
    }

    /** Returns the candidates that no other one dominates, in their order. */
    public static List<Candidate> front(List<Candidate> all) {
        return all.stream()
                .filter(one -> all.stream().noneMatch(other -> other.dominates(one)))
                .toList();
    }

    private List<Ranked> best(List<Candidate> all) {
        List<Ranked> ranked = new ArrayList<>();
        List<Candidate> left = all;
        for (int number = 0; ranked.size() < size && !left.isEmpty(); number++) {
            List<Candidate> front = front(left);
            ranked.addAll(ranked(front, number));
            left = left.stream().filter(one -> !front.contains(one)).toList();
        }
        ranked.sort(Ranked.BEST_FIRST);
        return List.copyOf(ranked.subList(0, Math.min(size, ranked.size())));
    }

    /** Adds up the distance between the neighbors in each cost, as a part of its range. */
    private static List<Ranked> ranked(List<Candidate> front, int number) {
        double[] distances = new double[front.size()];
        for (int cost = 0; cost < front.get(0).costs().size(); cost++) {
            int c = cost;
            List<Integer> order = IntStream.range(0, front.size())
                    .boxed()
                    .sorted(Comparator.comparingDouble(i -> front.get(i).costs().get(c)))
                    .toList();
            double low = front.get(order.get(0)).costs().get(c);
            double high = front.get(order.get(order.size() - 1)).costs().get(c);
            distances[order.get(0)] = Double.POSITIVE_INFINITY;
            distances[order.get(order.size() - 1)] = Double.POSITIVE_INFINITY;
            for (int i = 1; i < order.size() - 1 && low < high && high < Double.POSITIVE_INFINITY; i++) {
                distances[order.get(i)] += (front.get(order.get(i + 1)).costs().get(c)
                                - front.get(order.get(i - 1)).costs().get(c))
                        / (high - low);
            }
        }
        return IntStream.range(0, front.size())
                .mapToObj(i -> new Ranked(front.get(i), number, distances[i]))
                .toList();
    }

    /** Returns the point of the better one of two random candidates. */
    private double[] parent() {
        Ranked a = population.get(random.nextInt(population.size()));
        Ranked b = population.get(random.nextInt(population.size()));
        Ranked winner = Ranked.BEST_FIRST.compare(a, b) <= 0 ? a : b;
        return winner.candidate().point().stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    /** Replaces two points in about half of their dimensions by points around them, mostly near them, within the cube. */
    private void cross(double[] a, double[] b) {
        for (int d = 0; d < a.length; d++) {
            double low = Math.min(a[d], b[d]);
            double high = Math.max(a[d], b[d]);
            if (random.nextBoolean() || high - low < EQUAL) {
                continue;
            }
            double draw = random.nextDouble();
            double below = clamp((low + high - spread(draw, low, high - low) * (high - low)) / 2);
            double above = clamp((low + high + spread(draw, 1 - high, high - low) * (high - low)) / 2);
            boolean swaps = random.nextBoolean();
            a[d] = swaps ? above : below;
            b[d] = swaps ? below : above;
        }
    }

    /** Returns how far apart children are, in distances of their parents, if there is so much room outside of the parents. */
    private static double spread(double draw, double room, double distance) {
        double power = CROSSOVER_INDEX + 1;
        double within = 2 - StrictMath.pow(1 + 2 * room / distance, -power);
        return draw * within <= 1
                ? StrictMath.pow(draw * within, 1 / power)
                : StrictMath.pow(1 / (2 - draw * within), 1 / power);
    }

    /** Moves a point in one dimension on average. */
    private void mutate(double[] point) {
        double power = MUTATION_INDEX + 1;
        for (int d = 0; d < point.length; d++) {
            if (random.nextDouble() * point.length >= 1) {
                continue;
            }
            double draw = random.nextDouble();
            double step = draw < 0.5
                    ? StrictMath.pow(2 * draw + (1 - 2 * draw) * StrictMath.pow(1 - point[d], power), 1 / power) - 1
                    : 1 - StrictMath.pow(2 - 2 * draw + (2 * draw - 1) * StrictMath.pow(point[d], power), 1 / power);
            point[d] = clamp(point[d] + step);
        }
    }

    private static double clamp(double x) {
        return Math.min(1, Math.max(0, x));
    }
}
