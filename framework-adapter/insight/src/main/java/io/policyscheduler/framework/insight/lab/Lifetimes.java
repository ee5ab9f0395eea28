package io.policyscheduler.framework.insight.lab;

import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Kaplan-Meier curves of the lifetimes of pods in a trace, one for each namespace and spec. Pods that do not end are censored. */
final class Lifetimes {
    private record Template(String namespace, PodSpec spec) {
        static Template of(Arrival arrival) {
            return new Template(arrival.namespace(), arrival.template().spec());
        }
    }

    /**
     * A pod.
     *
     * @param nanos until its end, or until the end of the observation
     */
    private record Lifetime(long nanos, boolean ended) {}

    /** The curve of one template. Thousands of pods can have the same template. */
    private static final class Curve {
        private final List<Lifetime> observed = new ArrayList<>();
        /** The times of the steps in ascending order. */
        private final List<Long> times = new ArrayList<>();
        /** The share of the pods that live longer than each of these times, in descending order. */
        private final List<Double> survival = new ArrayList<>();

        void estimate() {
            observed.sort(Comparator.comparingLong(Lifetime::nanos).thenComparing(one -> !one.ended()));
            double left = 1;
            for (int i = 0; i < observed.size(); i++) {
                if (observed.get(i).ended()) {
                    int atRisk = observed.size() - i;
                    left = left * (atRisk - 1) / atRisk;
                    times.add(observed.get(i).nanos());
                    survival.add(left);
                }
            }
        }

        /** Returns a lifetime that is longer than an age; {@link ClusterTrace#NONE} for one beyond the last step. */
        long draw(long age, SplittableRandom random) {
            // No comparison is 0, because several steps can have one time: the results are insertion points.
            int later = -1 - Collections.binarySearch(times, age, (time, given) -> time <= given ? -1 : 1);
            double drawn = (later == 0 ? 1 : survival.get(later - 1)) * random.nextDouble();
            int reached = -1 - Collections.binarySearch(survival, drawn, (share, given) -> share > given ? -1 : 1);
            int step = Math.max(later, reached);
            return step < times.size() ? times.get(step) : ClusterTrace.NONE;
        }
    }

    private final Map<Template, Curve> curves = new HashMap<>();
    private final long observedNanos;

    /** @param observedNanos when the observation of the trace ended, nanoseconds since the start */
    Lifetimes(ClusterTrace trace, long observedNanos) {
        this.observedNanos = observedNanos;
        for (Arrival arrival : trace.arrivals()) {
            Curve curve = curves.computeIfAbsent(Template.of(arrival), any -> new Curve());
            if (arrival.durationNanos() != ClusterTrace.NONE) {
                curve.observed.add(new Lifetime(arrival.durationNanos(), true));
            } else if (arrival.endNanos() != ClusterTrace.NONE) {
                curve.observed.add(new Lifetime(arrival.endNanos() - arrival.atNanos(), true));
            } else {
                curve.observed.add(new Lifetime(age(arrival), false));
            }
        }
        curves.values().forEach(Curve::estimate);
    }

    private long age(Arrival arrival) {
        return Math.max(0, observedNanos - arrival.atNanos());
    }

    /** Returns the pod with a random end after the observation, if it has none. */
    Arrival extended(Arrival arrival, long seed) {
        Curve curve = curves.get(Template.of(arrival));
        if (curve == null || arrival.durationNanos() != ClusterTrace.NONE || arrival.endNanos() != ClusterTrace.NONE) {
            return arrival;
        }
        long lifetime =
                curve.draw(age(arrival), LoadScenario.random(seed, LoadScenario.Purpose.LIFETIME, arrival.key()));
        return lifetime == ClusterTrace.NONE
                ? arrival
                : arrival.withTimes(arrival.atNanos(), arrival.atNanos() + lifetime);
    }
}
