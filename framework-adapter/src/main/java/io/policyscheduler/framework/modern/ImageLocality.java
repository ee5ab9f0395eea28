package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.ImageTable.ContainerImages;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Prefers nodes that hold the pod's images. Mirrors {@code pkg/scheduler/framework/plugins/imagelocality}. */
final class ImageLocality implements InTreeScore, CacheableScore {
    static final String NAME = "ImageLocality";

    private static final long MEBIBYTE = 1024 * 1024;
    private static final long MIN_BYTES = 23 * MEBIBYTE;
    private static final long MAX_BYTES_PER_CONTAINER = 1000 * MEBIBYTE;

    /**
     * The images of a pod.
     *
     * @param max of the sum of all sizes, bytes
     */
    private record Last(List<Container> containers, List<String> volumes, ContainerImages images, long max) {}

    private final ClusterView cluster;
    private final boolean initContainersCount;
    private final boolean volumesCount;
    private Last last = new Last(List.of(), List.of(), new ContainerImages(List.of()), 0);

    ImageLocality(PluginHandle handle) {
        this.cluster = handle.cluster();
        this.initContainersCount = SchedulerChange.IMAGES_OF_INIT_CONTAINERS.in(handle.release());
        this.volumesCount = SchedulerChange.IMAGE_VOLUMES.in(handle.release());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        Map<String, ImageState> images = node.images();
        if (images.isEmpty() || pod.spec().containers().isEmpty()) {
            return MIN_SCORE;
        }
        int nodeCount = cluster.nodes().size();
        Last asked = imagesOf(pod);
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
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        return ScoreReads.of(key(pod), Reduction.NONE, null);
    }

    private Basis key(PodInfo pod) {
        List<String> names = namesOf(pod);
        List<Optional<ImageState>> states = names.stream()
                .map(name -> Optional.ofNullable(cluster.image(name)))
                .toList();
        if (!names.isEmpty() && states.stream().allMatch(Optional::isEmpty)) {
            // Whatever they are called.
            return new Basis(List.of(), List.of(), 1, 0);
        }
        return new Basis(names, states, countedContainers(pod), cluster.nodes().size());
    }

    private List<String> namesOf(PodInfo pod) {
        List<String> names = new ArrayList<>();
        for (Container container : pod.spec().containers()) {
            if (counts(container)) {
                names.add(tagged(container.image()));
            }
        }
        if (volumesCount) {
            pod.spec().imageVolumes().forEach(image -> names.add(tagged(image)));
        }
        return names;
    }

    private int countedContainers(PodInfo pod) {
        return (int) pod.spec().containers().stream().filter(this::counts).count();
    }

    /** There is no step before in which to make them ready, but a pod is scored for one node after the other. */
    @SuppressWarnings("ReferenceEquality")
    private Last imagesOf(PodInfo pod) {
        Last kept = last;
        if (kept.containers() != pod.spec().containers()
                || kept.volumes() != pod.spec().imageVolumes()) {
            kept = new Last(
                    pod.spec().containers(),
                    pod.spec().imageVolumes(),
                    new ContainerImages(namesOf(pod)),
                    MAX_BYTES_PER_CONTAINER * countedContainers(pod));
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
