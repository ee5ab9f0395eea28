package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.algorithm.PodScorer.Reduction;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.ImageTable.ImageState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.placement.ImageScorer;
import io.policyscheduler.framework.plugin.CacheableScore;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.ScorePlugin.InTreeScore;
import io.policyscheduler.framework.plugin.SignPlugin;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Prefers nodes that hold the pod's images. Mirrors {@code pkg/scheduler/framework/plugins/imagelocality}. */
final class ImageLocality implements InTreeScore, CacheableScore, SignPlugin {
    static final String NAME = "ImageLocality";

    private record Last(List<Container> containers, List<String> volumes, ImageScorer images, int counted) {}

    private final ClusterView cluster;
    private final boolean initContainersCount;
    private final boolean volumesCount;
    private Last last = new Last(List.of(), List.of(), new ImageScorer(List.of(), 1), 1);

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
    public Map<String, Object> sign(PodInfo pod) {
        return Map.of("images", Set.copyOf(imagesOf(pod).images().names()));
    }

    @Override
    public long score(CycleState state, PodInfo pod, NodeInfo node) {
        Map<String, ImageState> images = node.images();
        if (images.isEmpty() || pod.spec().containers().isEmpty()) {
            return MIN_SCORE;
        }
        return imagesOf(pod)
                .images()
                .score(
                        images,
                        cluster.hasImageCountsOfEvents() ? images::get : cluster::image,
                        cluster.nodes().size());
    }

    private record Basis(List<String> names, List<Optional<ImageState>> states, int counted, int nodes) {}

    @Override
    public ScoreReads scoreReads(CycleState state, PodInfo pod) {
        return ScoreReads.of(key(pod), Reduction.NONE, null);
    }

    private Basis key(PodInfo pod) {
        Last asked = imagesOf(pod);
        List<String> names = asked.images().names();
        if (cluster.hasImageCountsOfEvents()) {
            return new Basis(names, List.of(), asked.counted(), cluster.nodes().size());
        }
        List<Optional<ImageState>> states = names.stream()
                .map(name -> Optional.ofNullable(cluster.image(name)))
                .toList();
        if (!names.isEmpty() && states.stream().allMatch(Optional::isEmpty)) {
            return new Basis(List.of(), List.of(), 1, 0);
        }
        return new Basis(names, states, asked.counted(), cluster.nodes().size());
    }

    private List<String> namesOf(PodInfo pod) {
        List<String> names = new ArrayList<>();
        for (Container container : pod.spec().containers()) {
            if (counts(container)) {
                names.add(container.image());
            }
        }
        if (volumesCount) {
            names.addAll(pod.spec().imageVolumes());
        }
        return names;
    }

    private int countedContainers(PodInfo pod) {
        return (int) pod.spec().containers().stream().filter(this::counts).count();
    }

    /**
     * Returns the images of the pod. Caches the last pod, because this plugin has no PreScore and scores a pod for one node after
     * the other.
     */
    @SuppressWarnings("ReferenceEquality")
    private Last imagesOf(PodInfo pod) {
        Last kept = last;
        if (kept.containers() != pod.spec().containers()
                || kept.volumes() != pod.spec().imageVolumes()) {
            int counted = countedContainers(pod);
            kept = new Last(
                    pod.spec().containers(),
                    pod.spec().imageVolumes(),
                    new ImageScorer(namesOf(pod), counted),
                    counted);
            last = kept;
        }
        return kept;
    }

    private boolean counts(Container container) {
        return initContainersCount || !container.init();
    }
}
