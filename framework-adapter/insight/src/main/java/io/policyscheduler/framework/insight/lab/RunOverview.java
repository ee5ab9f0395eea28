package io.policyscheduler.framework.insight.lab;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.lab.TraceRun.PodLife;
import io.policyscheduler.framework.insight.lab.TraceRun.Sample;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterChange.NodeUpserted;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * What a report shows of one run besides its metrics: samples, the allocation of the nodes over time, the pods that waited longest, and
 * the moments with most waiting pods. Its size does not depend on the number of pods. Pods and moments are those of the window of the
 * metrics; the map is that of the whole run.
 */
public final class RunOverview implements TraceRun.Listener {
    private static final int MOST_WAITS = 10;
    private static final int MOST_PEAKS = 5;
    private static final long SECOND = 1_000_000_000;
    private static final Comparator<Wait> LONGEST_FIRST = Comparator.comparingLong(Wait::nanos)
            .reversed()
            .thenComparingLong(Wait::arrived)
            .thenComparing(Wait::namespace)
            .thenComparing(Wait::name);

    private final List<String> resources;
    private final long from;
    private final long shortest;
    private final long end;
    private final AllocationMap map;
    private final List<Sample> samples = new ArrayList<>();
    /** The shortest one first. */
    private final PriorityQueue<Wait> longest = new PriorityQueue<>(LONGEST_FIRST.reversed());

    /** By column of the map: most pods without a node, and when. */
    private final int[] most;

    private final long[] mostAt;
    private long since;
    private int waiting;

    /**
     * A pod that waited.
     *
     * @param arrived nanoseconds since the start
     * @param nanos from the arrival until the pod is bound, ends, or the run ends
     * @param isBound false if it never had a node
     */
    public record Wait(String namespace, String name, long arrived, long nanos, boolean isBound) {
        /** Returns the middle of the wait, in full seconds if one of them is after the arrival. */
        public long middle() {
            long exact = arrived + Math.max(1, nanos / 2);
            long seconds = exact / SECOND * SECOND;
            return seconds > arrived ? seconds : exact;
        }
    }

    /**
     * A moment with many waiting pods.
     *
     * @param atNanos nanoseconds since the start; the pods wait immediately before
     * @param pods without a node
     */
    public record Peak(long atNanos, int pods) {}

    /**
     * An empty overview.
     *
     * @param resources that are measured
     * @param from start of the window, nanoseconds since the start
     * @param shortest the wait of a pod that is bound at its first attempt, in nanoseconds; only longer ones are listed
     */
    public RunOverview(ClusterTrace trace, List<String> resources, long from, long shortest) {
        this.resources = ImmutableList.copyOf(resources);
        this.from = from;
        this.shortest = shortest;
        end = trace.endNanos();
        Set<String> names = new TreeSet<>();
        trace.cluster().nodes().forEach(node -> names.add(node.name()));
        trace.changes().forEach(change -> {
            if (change.change() instanceof NodeUpserted upserted) {
                names.add(upserted.node().name());
            }
        });
        map = new AllocationMap(resources.size(), end, names);
        most = new int[AllocationMap.COLUMNS];
        mostAt = new long[AllocationMap.COLUMNS];
    }

    @Override
    public void sampled(Sample sample) {
        samples.add(sample);
    }

    @Override
    public void changed(long nanos, ClusterChange change) {
        if (change instanceof ClusterChange.NodesReplaced replaced) {
            replaced.nodes().forEach(node -> changed(nanos, new NodeUpserted(node)));
        } else if (change instanceof NodeUpserted upserted) {
            Node node = upserted.node();
            map.node(nanos, node.name(), RunMetrics.amountsOf(resources, node.allocatable()));
        } else if (change instanceof ClusterChange.NodeDeleted deleted) {
            map.node(nanos, deleted.name(), null);
        }
    }

    @Override
    public void allocated(long nanos, PodInfo pod, String node, int sign) {
        map.requests(
                nanos,
                node,
                RunMetrics.amountsOf(resources, pod.resources().current().placed()),
                sign);
    }

    @Override
    public void ended(PodLife life) {
        boolean isBound = life.bound() != ClusterTrace.NONE;
        long until = isBound ? life.bound() : life.ended() == ClusterTrace.NONE ? end : life.ended();
        if (life.arrived() >= from && until - life.arrived() > shortest) {
            longest.add(new Wait(
                    life.pod().namespace(), life.pod().name(), life.arrived(), until - life.arrived(), isBound));
            if (longest.size() > MOST_WAITS) {
                longest.remove();
            }
        }
    }

    @Override
    public void stepped(TraceRun run) {
        waited(run.nanos(), run.waiting());
    }

    /** So many pods wait from now on, until the next call. Numbers that do not last are not seen. */
    void waited(long nanos, int pods) {
        long width = map.columnNanos();
        for (long begin = Math.max(since, from); begin < nanos; ) {
            int column = (int) (begin / width);
            long until = Math.min(nanos, (column + 1) * width);
            if (waiting > most[column]) {
                most[column] = waiting;
                long second = (begin / SECOND + 1) * SECOND;
                mostAt[column] = second <= until ? second : until;
            }
            begin = until;
        }
        since = nanos;
        waiting = pods;
    }

    /** Returns the samples, in the order of time. */
    public List<Sample> samples() {
        return ImmutableList.copyOf(samples);
    }

    /** Returns the allocation of the nodes, when the run is over. */
    public AllocationMap map() {
        return map;
    }

    /** Returns the pods that waited longest, at most 10, the longest wait first. */
    public List<Wait> longestWaits() {
        return longest.stream().sorted(LONGEST_FIRST).collect(ImmutableList.toImmutableList());
    }

    /**
     * Returns the moments with most waiting pods when the run is over, at most 5, the highest number first. Between two of them, at most
     * half as many pods wait as at the lower one.
     */
    public List<Peak> peaks() {
        waited(end, 0);
        List<Integer> columns = new ArrayList<>();
        IntStream.range(0, most.length)
                .filter(column -> most[column] > 0)
                .boxed()
                .sorted(Comparator.<Integer>comparingInt(column -> -most[column])
                        .thenComparingInt(column -> column))
                .forEach(column -> {
                    if (columns.size() < MOST_PEAKS
                            && columns.stream().allMatch(other -> lowest(other, column) <= most[column] / 2)) {
                        columns.add(column);
                    }
                });
        return columns.stream()
                .map(column -> new Peak(mostAt[column], most[column]))
                .toList();
    }

    private int lowest(int a, int b) {
        return Arrays.stream(most, Math.min(a, b), Math.max(a, b) + 1).min().orElse(0);
    }
}
