package io.policyscheduler.framework.insight.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.framework.insight.lab.ParameterSearch.CmaEs;
import io.policyscheduler.framework.insight.lab.ParameterSearch.Sobol;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

class ParameterSearchTest {
    @Test
    void eachPowerOfTwoOfASobolSequenceCoversEveryDimensionEvenly() {
        int dimensions = 40;
        for (int count : new int[] {2, 16, 64, 1024}) {
            Sobol sobol = new Sobol(dimensions, new SplittableRandom(3));
            double[][] points = new double[count][];
            for (int i = 0; i < count; i++) {
                points[i] = sobol.next();
            }
            for (int d = 0; d < dimensions; d++) {
                Set<Integer> intervals = new HashSet<>();
                for (double[] point : points) {
                    intervals.add((int) (point[d] * count));
                }
                assertEquals(count, intervals.size(), count + " points in dimension " + d);
            }
        }
    }

    /** The first two dimensions are a (0, m, 2)-net: each cell of a grid has one point. */
    @Test
    void theFirstTwoDimensionsCoverASquare() {
        Sobol sobol = new Sobol(2, new SplittableRandom(4));
        Set<String> cells = new HashSet<>();
        for (int i = 0; i < 64; i++) {
            double[] point = sobol.next();
            cells.add((int) (point[0] * 8) + " " + (int) (point[1] * 8));
        }
        assertEquals(64, cells.size());
    }

    private static double[] minimum(int dimensions, int generations, ToDoubleFunction<double[]> function) {
        double[] start = new double[dimensions];
        Arrays.fill(start, 0.5);
        CmaEs search = new CmaEs(start, function.applyAsDouble(start), 0.3, new SplittableRandom(5));
        double[] best = start;
        for (int i = 0; i < generations; i++) {
            List<double[]> points = search.sample();
            for (double[] point : points) {
                if (function.applyAsDouble(point) < function.applyAsDouble(best)) {
                    best = point;
                }
            }
            search.update(points.stream().mapToDouble(function).toArray());
        }
        return best;
    }

    @Test
    void findsTheMinimumOfASphere() {
        double[] best = minimum(5, 100, point -> {
            double sum = 0;
            for (int d = 0; d < point.length; d++) {
                sum += (point[d] - 0.1 * (d + 2)) * (point[d] - 0.1 * (d + 2));
            }
            return sum;
        });
        assertArrayEquals(new double[] {0.2, 0.3, 0.4, 0.5, 0.6}, best, 1e-4);
    }

    /** A narrow valley across the axes, which a search without covariances does not follow. */
    @Test
    void followsAValleyAcrossTheAxes() {
        double[] best = minimum(3, 150, point -> {
            double along = point[0] + point[1] + point[2] - 1.2;
            double across = point[0] - point[1];
            double other = point[1] - 2 * point[2];
            return along * along + 1e4 * across * across + 1e4 * other * other;
        });
        assertArrayEquals(new double[] {0.48, 0.48, 0.24}, best, 1e-3);
    }

    @Test
    void aMinimumOutsideOfTheCubeIsFoundOnItsBorder() {
        double[] best = minimum(2, 80, point -> (point[0] - 2) * (point[0] - 2) + (point[1] + 1) * (point[1] + 1));
        assertArrayEquals(new double[] {1, 0}, best, 1e-6);
    }

    @Test
    void theSameSeedGivesTheSamePoints() {
        assertArrayEquals(minimum(4, 10, point -> point[0]), minimum(4, 10, point -> point[0]));
        assertTrue(minimum(4, 10, point -> point[0])[0] < 0.1);
    }

    @Test
    void theSearchIsOverWhenAllValuesAreEqual() {
        CmaEs search = new CmaEs(new double[] {0.5, 0.5}, 1, 0.3, new SplittableRandom(5));
        int generations = 0;
        for (List<double[]> points = search.sample(); !points.isEmpty(); points = search.sample()) {
            search.update(points.stream().mapToDouble(point -> 1).toArray());
            generations++;
        }
        assertTrue(generations > 1 && generations < 100, generations + " generations");
    }
}
