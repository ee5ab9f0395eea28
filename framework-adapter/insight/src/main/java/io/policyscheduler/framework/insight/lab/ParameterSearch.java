package io.policyscheduler.framework.insight.lab;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Searches a cube of parameters, each from 0 to 1, for points with low values: first evenly, then around the best. */
public final class ParameterSearch {
    private ParameterSearch() {}

    /**
     * A Sobol sequence with a digital shift: each power of two of its points covers every dimension evenly. Direction numbers of Joe and
     * Kuo (new-joe-kuo-6).
     */
    public static final class Sobol {
        /** Most dimensions. */
        public static final int MOST = 16;

        private static final int BITS = 31;
        /** By dimension from the second on: degree, coefficients, and initial direction numbers. */
        private static final int[][] POLYNOMIALS = {
            {1, 0, 1},
            {2, 1, 1, 3},
            {3, 1, 1, 3, 1},
            {3, 2, 1, 1, 1},
            {4, 1, 1, 1, 3, 3},
            {4, 4, 1, 3, 5, 13},
            {5, 2, 1, 1, 5, 5, 17},
            {5, 4, 1, 1, 5, 5, 5},
            {5, 7, 1, 1, 7, 11, 19},
            {5, 11, 1, 1, 5, 1, 1},
            {5, 13, 1, 1, 1, 3, 11},
            {5, 14, 1, 3, 5, 5, 31},
            {6, 1, 1, 3, 3, 9, 7, 49},
            {6, 13, 1, 1, 1, 15, 21, 21},
            {6, 16, 1, 3, 1, 13, 27, 49}
        };

        private final int[][] directions;
        private final int[] state;
        private final int[] shift;
        private int index;

        /**
         * A sequence.
         *
         * @param dimensions 1 to {@link #MOST}
         * @param random gives the shift
         */
        public Sobol(int dimensions, SplittableRandom random) {
            if (dimensions < 1 || dimensions > MOST) {
                throw new IllegalArgumentException(dimensions + " dimensions are not from 1 to " + MOST);
            }
            directions = new int[dimensions][];
            state = new int[dimensions];
            shift = new int[dimensions];
            for (int d = 0; d < dimensions; d++) {
                directions[d] = directions(d);
                shift[d] = random.nextInt() >>> 1;
            }
        }

        private static int[] directions(int dimension) {
            int[] numbers = new int[BITS];
            if (dimension == 0) {
                for (int i = 0; i < BITS; i++) {
                    numbers[i] = 1 << (BITS - 1 - i);
                }
                return numbers;
            }
            int[] polynomial = POLYNOMIALS[dimension - 1];
            int degree = polynomial[0];
            for (int i = 0; i < BITS; i++) {
                if (i < degree) {
                    numbers[i] = polynomial[2 + i] << (BITS - 1 - i);
                    continue;
                }
                numbers[i] = numbers[i - degree] ^ (numbers[i - degree] >> degree);
                for (int k = 1; k < degree; k++) {
                    if (((polynomial[1] >> (degree - 1 - k)) & 1) == 1) {
                        numbers[i] ^= numbers[i - k];
                    }
                }
            }
            return numbers;
        }

        /** Returns the next point. */
        public double[] next() {
            double[] point = new double[state.length];
            for (int d = 0; d < point.length; d++) {
                point[d] = (double) (state[d] ^ shift[d]) / (1L << BITS);
                state[d] ^= directions[d][Integer.numberOfTrailingZeros(~index)];
            }
            index++;
            return point;
        }
    }

    /**
     * The covariance matrix adaptation evolution strategy (Hansen, "The CMA Evolution Strategy: A Tutorial", 2016) with its default
     * parameters. Points outside of the cube are moved to its border.
     */
    public static final class CmaEs {
        private final int n;
        private final int lambda;
        private final double[] weights;
        private final double muEff;
        private final double cSigma;
        private final double dSigma;
        private final double cC;
        private final double c1;
        private final double cMu;
        private final double expectedNorm;
        private final SplittableRandom random;

        private final double[] mean;
        private double sigma;
        private final double[][] covariance;
        private final double[] pathSigma;
        private final double[] pathC;
        private double[][] axes;
        private double[] scales;
        private int generation;

        /**
         * A search.
         *
         * @param start the first mean
         * @param step the first standard deviation in each dimension, such as 0.3
         */
        public CmaEs(double[] start, double step, SplittableRandom random) {
            n = start.length;
            this.random = random;
            mean = start.clone();
            sigma = step;
            lambda = 4 + (int) Math.floor(3 * Math.log(n));
            weights = new double[lambda / 2];
            double sum = 0;
            double squares = 0;
            for (int i = 0; i < weights.length; i++) {
                weights[i] = Math.log((lambda + 1) / 2.0) - Math.log(i + 1.0);
                sum += weights[i];
            }
            for (int i = 0; i < weights.length; i++) {
                weights[i] /= sum;
                squares += weights[i] * weights[i];
            }
            muEff = 1 / squares;
            cSigma = (muEff + 2) / (n + muEff + 5);
            dSigma = 1 + 2 * Math.max(0, Math.sqrt((muEff - 1) / (n + 1)) - 1) + cSigma;
            cC = (4 + muEff / n) / (n + 4 + 2 * muEff / n);
            c1 = 2 / ((n + 1.3) * (n + 1.3) + muEff);
            cMu = Math.min(1 - c1, 2 * (muEff - 2 + 1 / muEff) / ((n + 2.0) * (n + 2) + muEff));
            expectedNorm = Math.sqrt(n) * (1 - 1 / (4.0 * n) + 1 / (21.0 * n * n));
            covariance = identity(n);
            axes = identity(n);
            scales = new double[n];
            Arrays.fill(scales, 1);
            pathSigma = new double[n];
            pathC = new double[n];
        }

        private static double[][] identity(int n) {
            double[][] matrix = new double[n][n];
            for (int i = 0; i < n; i++) {
                matrix[i][i] = 1;
            }
            return matrix;
        }

        /** Returns the points of the next generation. */
        public double[][] sample() {
            double[][] points = new double[lambda][n];
            for (double[] point : points) {
                double[] normal = new double[n];
                for (int i = 0; i < n; i++) {
                    normal[i] = random.nextGaussian() * scales[i];
                }
                for (int i = 0; i < n; i++) {
                    double sum = 0;
                    for (int j = 0; j < n; j++) {
                        sum += axes[i][j] * normal[j];
                    }
                    point[i] = Math.min(1, Math.max(0, mean[i] + sigma * sum));
                }
            }
            return points;
        }

        /**
         * Moves to the better points of a generation.
         *
         * @param points of {@link #sample()}, in any order
         * @param values of these points; less is better
         */
        public void update(double[][] points, double[] values) {
            Integer[] order = new Integer[points.length];
            Arrays.setAll(order, i -> i);
            Arrays.sort(order, (a, b) -> Double.compare(values[a], values[b]));
            generation++;
            double[] step = new double[n];
            for (int i = 0; i < weights.length; i++) {
                for (int d = 0; d < n; d++) {
                    step[d] += weights[i] * (points[order[i]][d] - mean[d]) / sigma;
                }
            }
            double[] white = whitened(step);
            double norm = 0;
            for (int d = 0; d < n; d++) {
                pathSigma[d] = (1 - cSigma) * pathSigma[d] + Math.sqrt(cSigma * (2 - cSigma) * muEff) * white[d];
                norm += pathSigma[d] * pathSigma[d];
            }
            norm = Math.sqrt(norm);
            boolean stalls = norm / Math.sqrt(1 - Math.pow(1 - cSigma, 2.0 * generation))
                    >= (1.4 + 2 / (n + 1.0)) * expectedNorm;
            for (int d = 0; d < n; d++) {
                pathC[d] = (1 - cC) * pathC[d] + (stalls ? 0 : Math.sqrt(cC * (2 - cC) * muEff) * step[d]);
            }
            for (int a = 0; a < n; a++) {
                for (int b = 0; b < n; b++) {
                    double rank = 0;
                    for (int i = 0; i < weights.length; i++) {
                        double[] point = points[order[i]];
                        rank += weights[i] * (point[a] - mean[a]) * (point[b] - mean[b]) / (sigma * sigma);
                    }
                    covariance[a][b] = (1 - c1 - cMu + (stalls ? c1 * cC * (2 - cC) : 0)) * covariance[a][b]
                            + c1 * pathC[a] * pathC[b]
                            + cMu * rank;
                }
            }
            for (int d = 0; d < n; d++) {
                mean[d] += sigma * step[d];
            }
            sigma *= Math.exp(cSigma / dSigma * (norm / expectedNorm - 1));
            decompose();
        }

        /** Multiplies with the inverse of the square root of the covariance. */
        private double[] whitened(double[] vector) {
            double[] inAxes = new double[n];
            for (int j = 0; j < n; j++) {
                for (int i = 0; i < n; i++) {
                    inAxes[j] += axes[i][j] * vector[i];
                }
                inAxes[j] /= scales[j];
            }
            double[] result = new double[n];
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    result[i] += axes[i][j] * inAxes[j];
                }
            }
            return result;
        }

        /** Finds the axes of the covariance by Jacobi rotations. */
        private void decompose() {
            double[][] a = new double[n][];
            Arrays.setAll(a, i -> covariance[i].clone());
            double[][] vectors = identity(n);
            for (int sweep = 0; sweep < 50; sweep++) {
                double off = 0;
                for (int p = 0; p < n; p++) {
                    for (int q = p + 1; q < n; q++) {
                        off += a[p][q] * a[p][q];
                        rotate(a, vectors, p, q);
                    }
                }
                if (off < 1e-24) {
                    break;
                }
            }
            axes = vectors;
            double[] found = new double[n];
            for (int i = 0; i < n; i++) {
                found[i] = Math.sqrt(Math.max(1e-20, a[i][i]));
            }
            scales = found;
        }

        private static void rotate(double[][] a, double[][] vectors, int p, int q) {
            if (a[p][q] == 0) {
                return;
            }
            double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
            double t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
            double c = 1 / Math.sqrt(t * t + 1);
            double s = t * c;
            for (int i = 0; i < a.length; i++) {
                double ip = a[i][p];
                a[i][p] = c * ip - s * a[i][q];
                a[i][q] = s * ip + c * a[i][q];
            }
            for (int i = 0; i < a.length; i++) {
                double pi = a[p][i];
                a[p][i] = c * pi - s * a[q][i];
                a[q][i] = s * pi + c * a[q][i];
                double vp = vectors[i][p];
                vectors[i][p] = c * vp - s * vectors[i][q];
                vectors[i][q] = s * vp + c * vectors[i][q];
            }
        }
    }
}
