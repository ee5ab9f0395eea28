package io.policyscheduler.framework.insight.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.framework.insight.lab.ParetoSearch.Candidate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class ParetoSearchTest {
    private static final int SIZE = 100;

    private static Candidate candidate(double[] point, double violation, double... costs) {
        return new Candidate(
                DoubleStream.of(point).boxed().toList(),
                DoubleStream.of(costs).boxed().toList(),
                violation);
    }

    /** A candidate whose point is its number. */
    private static Candidate candidate(int number, double violation, double... costs) {
        return candidate(new double[] {number}, violation, costs);
    }

    private static List<Integer> numbers(List<Candidate> candidates) {
        return candidates.stream().map(one -> one.point().get(0).intValue()).toList();
    }

    /** The benchmark ZDT1 of Zitzler, Deb, and Thiele (2000). Its front is 1 - sqrt(x), where all variables but the first are 0. */
    private static Candidate zdt1(double[] point) {
        double sum = DoubleStream.of(point).skip(1).sum();
        double g = 1 + 9 * sum / (point.length - 1);
        return candidate(point, 0, point[0], g * (1 - Math.sqrt(point[0] / g)));
    }

    private static ParetoSearch search(int dimensions, int generations, Function<double[], Candidate> function) {
        SplittableRandom random = new SplittableRandom(7);
        List<Candidate> first = new ArrayList<>();
        for (int i = 0; i < SIZE; i++) {
            first.add(function.apply(random.doubles(dimensions).toArray()));
        }
        ParetoSearch search = new ParetoSearch(first, SIZE, random.split());
        for (int i = 0; i < generations; i++) {
            search.update(search.sample().stream().map(function).toList());
        }
        return search;
    }

    private static double generationalDistance(List<Candidate> front) {
        return front.stream()
                .mapToDouble(
                        one -> one.costs().get(1) - (1 - Math.sqrt(one.costs().get(0))))
                .average()
                .orElse(1);
    }

    /** The benchmark of the paper: 30 variables and 250 generations of 100. */
    @Test
    void findsTheFrontOfZdt1() {
        List<Candidate> front =
                ParetoSearch.front(search(30, 250, ParetoSearchTest::zdt1).population());
        assertEquals(SIZE, front.size(), "all candidates are on the front");
        assertTrue(generationalDistance(front) < 0.003, () -> "distance " + generationalDistance(front));
        // It covers the whole front without large gaps.
        List<Double> x = front.stream().map(one -> one.costs().get(0)).sorted().toList();
        double gap = Math.max(x.get(0), 1 - x.get(SIZE - 1));
        for (int i = 1; i < SIZE; i++) {
            gap = Math.max(gap, x.get(i) - x.get(i - 1));
        }
        assertTrue(gap < 0.05, "largest gap " + gap);
    }

    /** Only the points of the front with x in [0.2, 0.6] keep the limit. */
    @Test
    void limitsCutTheFront() {
        Function<double[], Candidate> limited = point -> {
            Candidate free = zdt1(point);
            double violation = Math.max(0, Math.max(0.2 - point[0], point[0] - 0.6));
            return new Candidate(free.point(), free.costs(), violation);
        };
        List<Candidate> front = search(10, 150, limited).population();
        assertTrue(front.stream().allMatch(one -> one.violation() == 0));
        assertTrue(generationalDistance(front) < 0.002, () -> "distance " + generationalDistance(front));
        List<Double> x = front.stream().map(one -> one.costs().get(0)).sorted().toList();
        assertEquals(0.2, x.get(0), 0.005);
        assertEquals(0.6, x.get(SIZE - 1), 0.005);
    }

    /** If no point keeps the limits, the search approaches them, whatever the costs. */
    @Test
    void theLeastViolationWinsIfNoPointKeepsTheLimits() {
        Candidate best = search(4, 60, point -> candidate(point, 1 + point[0] + point[1], -point[0], -point[1]))
                .population()
                .get(0);
        assertEquals(1, best.violation(), 0.001);
    }

    @Test
    void theSameSeedGivesTheSamePoints() {
        assertEquals(
                search(5, 20, ParetoSearchTest::zdt1).population(),
                search(5, 20, ParetoSearchTest::zdt1).population());
    }

    @Test
    void pointsStayInTheCube() {
        ParetoSearch search = search(3, 30, point -> candidate(point, 0, point[0] - point[1], -point[0]));
        for (double[] point : search.sample()) {
            assertTrue(DoubleStream.of(point).allMatch(x -> x >= 0 && x <= 1));
        }
        assertTrue(search.population().stream()
                .min(Comparator.comparingDouble(one -> one.costs().get(0)))
                .filter(one -> one.point().get(0) < 0.01 && one.point().get(1) > 0.99)
                .isPresent());
    }

    /** Each front is dominated by the one before it; a front that does not fit whole keeps the ends and the loneliest candidates. */
    @Test
    void selectsByFrontAndThenByDistance() {
        List<Candidate> all = List.of(
                candidate(0, 0, 1, 9),
                candidate(1, 0, 9, 9),
                candidate(2, 0, 9, 1),
                candidate(3, 0, 4, 5),
                candidate(4, 0, 5, 4.5),
                candidate(5, 0, 6, 4),
                candidate(6, 1, 0, 0),
                candidate(7, 0.5, 0, 0));
        assertEquals(List.of(0, 2, 3, 4, 5), numbers(ParetoSearch.front(all)));
        SplittableRandom random = new SplittableRandom(1);
        // Neighbors of 3: 4/8 + 4.5/8; of 5: 4/8 + 3.5/8; of 4: 2/8 + 1/8.
        assertEquals(List.of(0, 2, 3, 5), numbers(new ParetoSearch(all, 4, random).population()));
        assertEquals(List.of(0, 2, 3, 5, 4, 1), numbers(new ParetoSearch(all, 6, random).population()));
        assertEquals(List.of(0, 2, 3, 5, 4, 1, 7, 6), numbers(new ParetoSearch(all, 10, random).population()));
    }

    /** Candidates of equal costs do not dominate each other. The one between two equals has no distance, so that it is dropped first. */
    @Test
    void aCandidateBetweenEqualsIsDroppedFirst() {
        List<Candidate> all = List.of(
                candidate(0, 0, 1, 9),
                candidate(1, 0, 5, 5),
                candidate(2, 0, 5, 5),
                candidate(3, 0, 5, 5),
                candidate(4, 0, 9, 1),
                candidate(5, 0, 3, 7));
        assertEquals(all, ParetoSearch.front(all));
        ParetoSearch search = new ParetoSearch(all, 5, new SplittableRandom(1));
        assertEquals(List.of(0, 4, 5, 1, 3), numbers(search.population()));
        // A candidate that is there already counts once.
        search.update(List.of(all.get(0), all.get(4)));
        assertEquals(List.of(0, 4, 5, 1, 3), numbers(search.population()));
    }

    /** Costs without a range, or without an end, have no distance. */
    @Test
    void infiniteCostsAreNoDistance() {
        double endless = Double.POSITIVE_INFINITY;
        List<Candidate> all =
                List.of(candidate(0, 0, 1, endless), candidate(1, 0, 1, endless), candidate(2, 0, 1, endless));
        assertEquals(List.of(0, 2, 1), numbers(new ParetoSearch(all, 3, new SplittableRandom(1)).population()));
        List<Candidate> mixed = List.of(
                candidate(0, 0, 4, 1, 1),
                candidate(1, 0, 3, endless, 2),
                candidate(2, 0, 2, endless, 2.4),
                candidate(3, 0, 1, endless, 3));
        assertEquals(List.of(0, 3, 1, 2), numbers(new ParetoSearch(mixed, 4, new SplittableRandom(1)).population()));
    }
}
