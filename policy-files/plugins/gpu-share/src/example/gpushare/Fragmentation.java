package example.gpushare;

import static example.gpushare.GpuShare.WHOLE;

import com.fasterxml.jackson.databind.JsonNode;
import example.gpushare.GpuShare.Devices;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The GPU fragmentation of a node for an expected workload: the free thousandths that an average pod of the workload cannot use. For a
 * class of pods that the node cannot run, or that needs no GPU, these are all free thousandths; for another class, those of devices with
 * less left than the class needs.
 */
final class Fragmentation {
    private final long[] cpu;
    /** Thousandths per device. */
    private final int[] gpu;

    private final int[] devices;
    private final List<List<String>> models;
    private final double[] share;

    private Fragmentation(int classes) {
        cpu = new long[classes];
        gpu = new int[classes];
        devices = new int[classes];
        models = new ArrayList<>(classes);
        share = new double[classes];
    }

    /**
     * Reads a workload.
     *
     * @param classes a list of {@code {cpu: millicores, gpu: thousandths, models: "A|B", share: part of the pods}}
     */
    static Fragmentation of(JsonNode classes) {
        if (!classes.isMissingNode() && !classes.isArray()) {
            throw new PluginException("argument \"workload\" must be a list, not " + classes);
        }
        Fragmentation result = new Fragmentation(classes.size());
        for (int i = 0; i < classes.size(); i++) {
            JsonNode one = classes.get(i);
            int total = one.path("gpu").asInt();
            if (total > WHOLE && total % WHOLE != 0) {
                throw new PluginException(
                        "workload: gpu " + total + " is more than " + WHOLE + ", but no multiple of it");
            }
            result.cpu[i] = one.path("cpu").asLong();
            result.devices[i] = total <= WHOLE ? Math.min(total, 1) : total / WHOLE;
            result.gpu[i] = Math.min(total, WHOLE);
            String allowed = one.path("models").asText("");
            result.models.add(allowed.isEmpty() ? List.of() : Arrays.asList(allowed.split("\\|")));
            result.share[i] = one.path("share").asDouble();
        }
        return result;
    }

    boolean isEmpty() {
        return share.length == 0;
    }

    /** The fragmentation of a node with these free devices, in thousandths of a device. */
    double of(int[] free, long freeMilliCpu, String model) {
        double all = 0;
        for (int each : free) {
            all += each;
        }
        double sum = 0;
        for (int m = 0; m < share.length; m++) {
            double unused = all;
            boolean mayRun = devices[m] > 0
                    && cpu[m] <= freeMilliCpu
                    && (models.get(m).isEmpty() || models.get(m).contains(model));
            if (mayRun) {
                int fitting = 0;
                int small = 0;
                for (int each : free) {
                    if (each >= gpu[m]) {
                        fitting++;
                    } else {
                        small += each;
                    }
                }
                if (fitting >= devices[m]) {
                    unused = small;
                }
            }
            sum += share[m] * unused;
        }
        return sum;
    }

    /** The least fragmentation that a node has after a placement. */
    double after(Devices node, long milliCpu, int requested) {
        long left = node.freeMilliCpu - milliCpu;
        if (requested == 0) {
            return of(node.free, left, node.model);
        }
        int[] free = node.free.clone();
        if (requested < WHOLE) {
            int device = bestDevice(node.free, requested, left, node.model);
            free[device] -= requested;
        } else {
            int open = requested / WHOLE;
            for (int i = 0; i < free.length && open > 0; i++) {
                if (free[i] == WHOLE) {
                    free[i] = 0;
                    open--;
                }
            }
        }
        return of(free, left, node.model);
    }

    /**
     * The device on which a share leaves the least fragmentation; -1 if none has enough left.
     *
     * @param leftMilliCpu free CPU after the placement
     */
    int bestDevice(int[] free, int requested, long leftMilliCpu, String model) {
        int best = -1;
        double least = Double.MAX_VALUE;
        int[] trial = free.clone();
        for (int i = 0; i < free.length; i++) {
            if (free[i] >= requested) {
                trial[i] -= requested;
                double now = of(trial, leftMilliCpu, model);
                if (now < least) {
                    least = now;
                    best = i;
                }
                trial[i] += requested;
            }
        }
        return best;
    }
}
