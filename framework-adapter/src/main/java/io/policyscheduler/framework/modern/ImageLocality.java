package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.ImageTable.ContainerImages;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Prefers nodes that hold the pod's images. Mirrors {@code pkg/scheduler/framework/plugins/imagelocality}. */
final class ImageLocality implements InTreeScore {
    static final String NAME = "ImageLocality";

    private static final long MEBIBYTE = 1024 * 1024;
    private static final long MIN_BYTES = 23 * MEBIBYTE;
    private static final long MAX_BYTES_PER_CONTAINER = 1000 * MEBIBYTE;

    /** @param max of the sum of all sizes, bytes */
    private record Last(List<Container> containers, ContainerImages images, long max) {}

    private final ClusterView cluster;
    private final boolean initContainersCount;
    private Last last = new Last(List.of(), new ContainerImages(List.of()), 0);

    ImageLocality(PluginHandle handle) {
        this.cluster = handle.cluster();
        this.initContainersCount = SchedulerChange.IMAGES_OF_INIT_CONTAINERS.in(handle.release());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        List<Container> containers = pod.spec().containers();
        Map<String, ImageState> images = node.images();
        if (images.isEmpty() || containers.isEmpty()) {
            return MIN_SCORE;
        }
        int nodeCount = cluster.nodes().size();
        Last asked = imagesOf(containers);
        long sum = asked.images().sum(images, name -> {
            ImageState image = cluster.image(name);
            return image == null ? 0 : (long) (image.sizeBytes() * ((double) image.holders() / nodeCount));
        });
        long max = asked.max();
        long clamped = Math.min(Math.max(sum, MIN_BYTES), max);
        return MAX_SCORE * (clamped - MIN_BYTES) / (max - MIN_BYTES);
    }

    private record Basis(List<String> names, List<Optional<ImageState>> states, int counted, int nodes) {}

    @Override
    public Object scoreBasis(CycleState state, PodInfo pod) {
        List<Container> containers = pod.spec().containers();
        List<String> names = namesOf(containers);
        List<Optional<ImageState>> states = names.stream()
                .map(name -> Optional.ofNullable(cluster.image(name)))
                .toList();
        if (!names.isEmpty() && states.stream().allMatch(Optional::isEmpty)) {
            // Whatever they are called.
            return new Basis(List.of(), List.of(), 1, 0);
        }
        return new Basis(names, states, names.size(), cluster.nodes().size());
    }

    @Override
    public Reduction reduction(CycleState state) {
        return Reduction.NONE;
    }

    private List<String> namesOf(List<Container> containers) {
        return containers.stream()
                .filter(this::counts)
                .map(container -> tagged(container.image()))
                .toList();
    }

    /** There is no step before in which to make them ready, but a pod is scored for one node after the other. */
    @SuppressWarnings("ReferenceEquality")
    private Last imagesOf(List<Container> containers) {
        Last kept = last;
        if (kept.containers() != containers) {
            List<String> names = namesOf(containers);
            kept = new Last(containers, new ContainerImages(names), MAX_BYTES_PER_CONTAINER * names.size());
            last = kept;
        }
        return kept;
    }

    private boolean counts(Container container) {
        return initContainersCount || !container.init();
    }

    private static String tagged(String image) {
        return image.lastIndexOf(':') > image.lastIndexOf('/') ? image : image + ":latest";
    }
}
