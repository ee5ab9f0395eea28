package example.gpushare;

import static example.gpushare.GpuShare.WHOLE;

import example.gpushare.GpuShare.Devices;

/** The scores of nodes, as the FGD simulator (Weng et al., ATC 2023) computes them, cut off to integers. */
enum GpuScore {
    /** What is left of CPU and GPUs after the placement; less is better. */
    BEST_FIT("BestFit") {
        @Override
        long of(Devices node, long milliCpu, int gpu, Fragmentation fragmentation) {
            double cpu = (node.freeMilliCpu - milliCpu) / CPUS;
            double gpus = (double) (node.freeSum - gpu) / WHOLE / GPUS;
            return (long) (100 * (1 - 0.5 * cpu - 0.5 * gpus));
        }
    },
    /** The dot product of free and requested amounts; less is better. */
    DOT_PRODUCT("DotProduct") {
        @Override
        long of(Devices node, long milliCpu, int gpu, Fragmentation fragmentation) {
            double cpu = node.freeMilliCpu / CPUS * (milliCpu / CPUS);
            double gpus = (double) node.freeSum / WHOLE / GPUS * ((double) gpu / WHOLE / GPUS);
            return (long) (100 * (1 - (cpu + gpus) / 2));
        }
    },
    /** Fill devices in use first, then unused devices of nodes in use, then unused nodes. */
    GPU_PACKING("GpuPacking") {
        @Override
        long of(Devices node, long milliCpu, int gpu, Fragmentation fragmentation) {
            if (gpu == 0) {
                return 0;
            }
            int count = node.free.length;
            if (node.freeSum == count * WHOLE) {
                return Math.max(33 - count, count);
            }
            int tightest = Integer.MAX_VALUE;
            for (int free : node.free) {
                if (free < WHOLE && free >= gpu) {
                    tightest = Math.min(tightest, free);
                }
            }
            if (tightest == Integer.MAX_VALUE) {
                return Math.max(50 - Math.max(1, gpu / WHOLE), 33);
            }
            return Math.max(100 - tightest / 10 / 10, 50);
        }
    },
    /** Keep pods of one class of demand together. */
    GPU_CLUSTERING("GpuClustering") {
        @Override
        long of(Devices node, long milliCpu, int gpu, Fragmentation fragmentation) {
            if (gpu == 0) {
                return 0;
            }
            int own = node.classes[GpuShare.classOf(gpu)];
            int all = 0;
            for (int each : node.classes) {
                all += each;
            }
            int affinity = all == 0 ? 25 : own == 0 ? 0 : own == all ? 75 : 50;
            return (long) (25.0 * (GPUS - (double) node.freeSum / WHOLE) / GPUS) + affinity;
        }
    },
    /** The placement that adds the least fragmentation for the expected workload. */
    FGD("FGD") {
        @Override
        long of(Devices node, long milliCpu, int gpu, Fragmentation fragmentation) {
            double after = fragmentation.after(node, milliCpu, gpu);
            double difference = (node.fragmented(fragmentation) - after) / WHOLE;
            return (long) (100 / (1 + Math.exp(-difference)));
        }
    },
    /** One node that is drawn. */
    RANDOM("Random") {
        @Override
        long of(Devices node, long milliCpu, int gpu, Fragmentation fragmentation) {
            throw new IllegalStateException("a node is drawn, not scored");
        }
    };

    private static final double CPUS = 128_000;
    private static final double GPUS = 8;

    private final String label;

    GpuScore(String label) {
        this.label = label;
    }

    /**
     * The score of a node, 0 to 100.
     *
     * @param gpu thousandths that the pod requests
     */
    abstract long of(Devices node, long milliCpu, int gpu, Fragmentation fragmentation);

    @Override
    public String toString() {
        return label;
    }
}
