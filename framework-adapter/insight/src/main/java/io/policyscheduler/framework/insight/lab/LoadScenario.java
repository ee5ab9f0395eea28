package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableMap;
import com.google.common.hash.Hashing;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Departure;
import io.policyscheduler.framework.insight.lab.ClusterTrace.PodUpdate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A change of the load of a trace. It depends on the trace and on a seed, not on the scheduler, so that all schedulers of a comparison get
 * the same pods.
 *
 * @param factor how often the trace contains each workload on average, above 0; 1 for no change. A workload is a controller with all its
 *     pods, all ReplicaSets of a Deployment, or a pod without a controller. Pods of DaemonSets, static pods, and pods that are being
 *     deleted do not change
 * @param jitter the longest time by which pods arrive earlier or later; zero for no change
 * @param observed if pods that do not end in the trace get a random end, the time from the start for which the trace was observed: they
 *     end after it, by the Kaplan-Meier curve of the pods with the same namespace and spec. Null if they do not end
 */
public record LoadScenario(
        double factor, Duration jitter, @Nullable Duration observed) {
    /** No change. */
    public static final LoadScenario NONE = new LoadScenario(1, Duration.ZERO, null);

    private static final String POD_TEMPLATE_HASH = "pod-template-hash";
    /** Sums of shares differ by less. */
    private static final double ROUNDING = 1e-9;

    public LoadScenario {
        if (!(factor > 0 && factor < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("factor " + factor);
        }
    }

    /** Returns a scenario that only shifts arrivals. */
    public static LoadScenario jitter(Duration most) {
        return new LoadScenario(1, most, null);
    }

    /**
     * A changed trace.
     *
     * @param ratios number of pods and requests of each resource, divided by those of the original trace; empty if the load is not scaled.
     *     A resource without requests is missing
     */
    public record Load(ClusterTrace trace, Map<String, Double> ratios) {
        public Load {
            ratios = ImmutableMap.copyOf(ratios);
        }
    }

    /** The purposes of random numbers. Draws of one purpose do not change those of another. */
    public enum Purpose {
        SCALE,
        JITTER,
        /** Shifts arrivals between the runs of one comparison. */
        NOISE,
        FAILURE,
        RECLAIM,
        LIFETIME
    }

    /** Returns the random numbers of an object, such as a pod, for one purpose. */
    static SplittableRandom random(long seed, Purpose purpose, String key) {
        return new SplittableRandom(Hashing.farmHashFingerprint64()
                .newHasher()
                .putLong(seed)
                .putUnencodedChars(purpose.name())
                .putChar('/')
                .putUnencodedChars(key)
                .hash()
                .asLong());
    }

    /**
     * Returns the changed trace.
     *
     * @param seed equal seeds give equal traces
     */
    public Load apply(ClusterTrace trace, long seed) {
        Load load = factor == 1 ? new Load(trace, Map.of()) : new Scaling(trace, factor, seed).load();
        ClusterTrace changed = load.trace();
        if (observed != null) {
            Lifetimes lifetimes = new Lifetimes(trace, observed.toNanos());
            changed = changed.withArrivals(changed.arrivals().stream()
                    .map(arrival -> lifetimes.extended(arrival, seed))
                    .toList());
        }
        return new Load(jitter.isZero() ? changed : changed.jittered(seed, Purpose.JITTER, jitter), load.ratios());
    }

    /** Pods that are dropped or cloned together. */
    private static final class Workload {
        private final long rank;
        private long pods;
        private final double[] requests;
        private int copies;

        Workload(long rank, int resources) {
            this.rank = rank;
            this.requests = new double[resources];
        }
    }

    /** Drops or clones workloads of one trace. */
    private static final class Scaling {
        private final ClusterTrace trace;
        private final long seed;
        private final List<String> resources;
        private final Map<String, Workload> owned = new HashMap<>();
        /** In the order of their first pods: of the snapshot, then of the arrivals. */
        private final List<Workload> workloads = new ArrayList<>();
        /** The workload of each pod in this order; null for pods that do not change. */
        private final List<@Nullable Workload> ofPods = new ArrayList<>();

        private final String mark;

        Scaling(ClusterTrace trace, double factor, long seed) {
            this.trace = trace;
            this.seed = seed;
            this.resources = RunMetrics.resourcesOf(trace.cluster().nodes());
            trace.cluster().running().forEach(pod -> add(pod, pod.namespace(), pod.name(), 0));
            trace.cluster().pending().forEach(pod -> add(pod, pod.namespace(), pod.name(), 0));
            trace.arrivals().forEach(one -> add(one.template(), one.namespace(), one.name(), one.atNanos()));
            this.mark = mark();
            choose(factor);
        }

        private void add(PodInfo pod, String namespace, String name, long atNanos) {
            if (pod.terminating() || SimulatedPods.staysOnNode(pod)) {
                ofPods.add(null);
                return;
            }
            PodInfo.OwnerReference owner = pod.controller();
            Workload workload;
            if (owner == null) {
                workload = create(namespace + "/" + name + "@" + atNanos);
            } else {
                workload =
                        owned.computeIfAbsent(namespace + "/" + owner.kind() + "/" + nameOf(owner, pod), this::create);
            }
            long[] amounts =
                    RunMetrics.amountsOf(resources, pod.resources().current().placed());
            workload.pods++;
            for (int i = 0; i < amounts.length; i++) {
                workload.requests[i] += amounts[i];
            }
            ofPods.add(workload);
        }

        /** The ReplicaSets of a Deployment have its name and the hash of their template. */
        private static String nameOf(PodInfo.OwnerReference owner, PodInfo pod) {
            String hash = "-" + pod.labels().getOrEmpty(POD_TEMPLATE_HASH);
            String name = owner.name();
            return hash.length() > 1 && name.endsWith(hash) ? name.substring(0, name.length() - hash.length()) : name;
        }

        private Workload create(String key) {
            Workload workload = new Workload(random(seed, Purpose.SCALE, key).nextLong(), resources.size());
            workloads.add(workload);
            return workload;
        }

        /** Returns what the names of clones have before their number; no name of the trace ends like that. */
        private String mark() {
            String free = "-x";
            while (hasNameWith(free)) {
                free += "x";
            }
            return free;
        }

        private boolean hasNameWith(String end) {
            Predicate<String> hasEnd = Pattern.compile(end + "[0-9]+$").asPredicate();
            return trace.arrivals().stream().map(Arrival::name).anyMatch(hasEnd)
                    || Stream.of(trace.cluster().running(), trace.cluster().pending())
                            .flatMap(List::stream)
                            .map(PodInfo::name)
                            .anyMatch(hasEnd);
        }

        private double[] totals() {
            double[] totals = new double[resources.size() + 1];
            for (Workload one : workloads) {
                totals[0] += one.pods;
                for (int i = 0; i < one.requests.length; i++) {
                    totals[i + 1] += one.requests[i];
                }
            }
            return totals;
        }

        /** Decides how often each workload is in the load: equally often, and once more for those that come first in random order. */
        private void choose(double factor) {
            double[] totals = totals();
            int whole = (int) Math.floor(factor);
            double left = factor - whole;
            List<Workload> order = new ArrayList<>(workloads);
            order.sort(Comparator.comparingLong(one -> one.rank));
            Workload smallest = null;
            double ofSmallest = 0;
            for (Workload one : order) {
                double share = share(one, totals);
                one.copies = whole;
                if (share <= left + ROUNDING) {
                    one.copies++;
                    left -= share;
                } else if (smallest == null || share < ofSmallest) {
                    smallest = one;
                    ofSmallest = share;
                }
            }
            if (smallest != null && ofSmallest - left < left) {
                smallest.copies++;
            }
        }

        /** The mean share of a workload in the number of pods and in the requests of each resource. */
        private static double share(Workload one, double[] totals) {
            double sum = one.pods / totals[0];
            int count = 1;
            for (int i = 0; i < one.requests.length; i++) {
                if (totals[i + 1] > 0) {
                    sum += one.requests[i] / totals[i + 1];
                    count++;
                }
            }
            return sum / count;
        }

        private Map<String, Double> ratios() {
            double[] totals = totals();
            double[] scaled = new double[totals.length];
            for (Workload one : workloads) {
                scaled[0] += one.copies * one.pods;
                for (int i = 0; i < one.requests.length; i++) {
                    scaled[i + 1] += one.copies * one.requests[i];
                }
            }
            Map<String, Double> ratios = new LinkedHashMap<>();
            for (int i = 0; i < totals.length; i++) {
                if (totals[i] > 0) {
                    ratios.put(i == 0 ? "pods" : resources.get(i - 1), scaled[i] / totals[i]);
                }
            }
            return ratios;
        }

        Load load() {
            Map<String, Departure> departures = new HashMap<>();
            trace.departures().forEach(one -> departures.put(one.uid(), one));
            Map<String, List<PodUpdate>> updates = new HashMap<>();
            trace.updates()
                    .forEach(one -> updates.computeIfAbsent(one.uid(), uid -> new ArrayList<>())
                            .add(one));
            List<PodInfo> running = new ArrayList<>();
            List<PodInfo> pending = new ArrayList<>();
            List<Arrival> arrivals = new ArrayList<>();
            int index = 0;
            for (List<PodInfo> pods :
                    List.of(trace.cluster().running(), trace.cluster().pending())) {
                List<PodInfo> kept = pods == trace.cluster().running() ? running : pending;
                for (PodInfo pod : pods) {
                    int copies = copies(index++);
                    if (copies > 0) {
                        kept.add(pod);
                    }
                    if (copies > 1) {
                        Arrival original =
                                ofSnapshot(pod, departures.get(pod.uid()), updates.getOrDefault(pod.uid(), List.of()));
                        addClones(original, copies, arrivals);
                    }
                }
            }
            for (Arrival arrival : trace.arrivals()) {
                int copies = copies(index++);
                if (copies > 0) {
                    arrivals.add(arrival);
                }
                addClones(arrival, copies, arrivals);
            }
            ClusterSnapshot cluster = trace.cluster();
            return new Load(
                    new ClusterTrace(
                            cluster.with(cluster.nodes(), cluster.objects(), running, pending),
                            trace.start(),
                            arrivals,
                            trace.endNanos(),
                            trace.changes(),
                            trace.departures(),
                            trace.updates(),
                            trace.uses(),
                            trace.placements()),
                    ratios());
        }

        private int copies(int index) {
            Workload workload = ofPods.get(index);
            return workload == null ? 1 : workload.copies;
        }

        /** A pod of the snapshot, as one that arrives at the start and ends as the pod of the snapshot does. */
        private Arrival ofSnapshot(PodInfo pod, @Nullable Departure departure, List<PodUpdate> updates) {
            MeasuredUse use = trace.uses().getOrDefault(pod.uid(), MeasuredUse.NONE);
            Arrival source = SimulatedPods.ofSnapshot(pod, use);
            long duration = ClusterTrace.NONE;
            long end = ClusterTrace.NONE;
            if (departure != null && departure.how() == TraceRun.End.SUCCEEDED) {
                duration = departure.atNanos();
            } else if (departure != null) {
                end = departure.atNanos();
            }
            return new Arrival(
                    0,
                    source.namespace(),
                    source.name(),
                    source.template(),
                    duration,
                    end,
                    source.restarts(),
                    null,
                    updates,
                    "",
                    use);
        }

        private void addClones(Arrival original, int copies, List<Arrival> arrivals) {
            for (int copy = 2; copy <= copies; copy++) {
                arrivals.add(original.cloned(mark + copy));
            }
        }
    }
}
