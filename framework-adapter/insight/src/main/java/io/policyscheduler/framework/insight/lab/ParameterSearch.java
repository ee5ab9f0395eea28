package io.policyscheduler.framework.insight.lab;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import org.hipparchus.optim.InitialGuess;
import org.hipparchus.optim.MaxEval;
import org.hipparchus.optim.SimpleBounds;
import org.hipparchus.optim.nonlinear.scalar.GoalType;
import org.hipparchus.optim.nonlinear.scalar.ObjectiveFunction;
import org.hipparchus.optim.nonlinear.scalar.noderiv.CMAESOptimizer;
import org.hipparchus.random.MersenneTwister;
import org.hipparchus.random.SobolSequenceGenerator;

/** Searches a cube of parameters, each from 0 to 1, for points with low values: first evenly, then around the best. */
public final class ParameterSearch {
    private ParameterSearch() {}

    /** A Sobol sequence with a digital shift: each power of two of its points covers every dimension evenly. */
    public static final class Sobol {
        /** The sequence has multiples of 2^-52. */
        private static final double SCALE = 1L << 52;

        private final SobolSequenceGenerator sequence;
        private final long[] shift;

        /**
         * A sequence.
         *
         * @param dimensions 1 or more
         * @param random gives the shift
         */
        public Sobol(int dimensions, SplittableRandom random) {
            sequence = new SobolSequenceGenerator(dimensions);
            shift = random.longs(dimensions).map(bits -> bits >>> 12).toArray();
        }

        /** Returns the next point. */
        public double[] next() {
            double[] point = sequence.nextVector();
            Arrays.setAll(point, d -> ((long) (point[d] * SCALE) ^ shift[d]) / SCALE);
            return point;
        }
    }

    /**
     * The covariance matrix adaptation evolution strategy (CMA-ES) of Hipparchus. Its optimizer requests one value after the other. So
     * that the points of a generation can be evaluated in parallel, each {@link #sample()} runs the optimizer again from the start with all
     * known values, up to the end of the first generation without values.
     */
    public static final class CmaEs {
        private final double[] start;
        private final double step;
        private final long seed;
        private final int lambda;
        /** The values of all earlier points, in the order of the requests. */
        private final List<Double> values = new ArrayList<>();

        /**
         * A search.
         *
         * @param start the first mean
         * @param value of the first mean
         * @param step the first standard deviation in each dimension, such as 0.3
         */
        public CmaEs(double[] start, double value, double step, SplittableRandom random) {
            this.start = start.clone();
            this.step = step;
            seed = random.nextLong();
            lambda = 4 + (int) Math.floor(3 * Math.log(start.length));
            values.add(value);
        }

        /** Returns the points of the next generation, which are in the cube; empty if the search is over. */
        public List<double[]> sample() {
            List<double[]> points = new ArrayList<>();
            Iterator<Double> known = values.iterator();
            ObjectiveFunction function = new ObjectiveFunction(point -> {
                if (known.hasNext()) {
                    return known.next();
                }
                points.add(point.clone());
                return 0;
            });
            int n = start.length;
            new CMAESOptimizer(Integer.MAX_VALUE, 0, true, 0, 0, new MersenneTwister(seed), false, null)
                    .optimize(
                            function,
                            GoalType.MINIMIZE,
                            new MaxEval(values.size() + lambda),
                            new InitialGuess(start),
                            new SimpleBounds(new double[n], filled(n, 1)),
                            new CMAESOptimizer.Sigma(filled(n, step)),
                            new CMAESOptimizer.PopulationSize(lambda));
            return points;
        }

        private static double[] filled(int length, double value) {
            double[] array = new double[length];
            Arrays.fill(array, value);
            return array;
        }

        /**
         * Moves to the better points of a generation.
         *
         * @param costs of the points of {@link #sample()}, in their order; less is better
         */
        public void update(double[] costs) {
            for (double cost : costs) {
                values.add(cost);
            }
        }
    }
}
