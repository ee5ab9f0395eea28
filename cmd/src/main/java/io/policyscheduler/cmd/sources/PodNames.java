package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.World;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds pods and nodes that users name. */
public final class PodNames {
    private static final String DEFAULT_NAMESPACE = "default";

    private final World world;

    public PodNames(World world) {
        this.world = world;
    }

    /**
     * A pod by {@code namespace/name}, or by its name alone in the namespace default.
     *
     * @throws InputException when there is none
     */
    public PodInfo pod(String text) {
        String key = text.contains("/") ? text : DEFAULT_NAMESPACE + "/" + text;
        return pods().filter(pod -> pod.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new InputException(
                        "no pod " + key + " that waits or runs" + didYouMean(suggestion(text, key))));
    }

    private @Nullable String suggestion(String text, String key) {
        String elsewhere = pods().filter(pod -> pod.name().equals(text.substring(text.indexOf('/') + 1)))
                .map(PodInfo::key)
                .findFirst()
                .orElse(null);
        return elsewhere != null
                ? elsewhere
                : Suggestions.nearest(key, pods().map(PodInfo::key).toList());
    }

    private Stream<PodInfo> pods() {
        return Stream.concat(world.pending().stream(), world.running().stream());
    }

    /**
     * Nothing, when there is a node of this name.
     *
     * @throws InputException when there is none
     */
    public void requireNode(String name) {
        List<String> names = world.nodes().stream().map(Node::name).toList();
        if (!names.contains(name)) {
            throw new InputException("no node " + name + didYouMean(Suggestions.nearest(name, names)));
        }
    }

    private static String didYouMean(@Nullable String suggestion) {
        return suggestion == null ? "" : " (did you mean " + suggestion + "?)";
    }
}
