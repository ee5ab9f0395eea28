package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds pods and nodes by the names of the command line, as in kubectl: {@code pod/NAME}, {@code NAMESPACE/NAME}, or a name. A
 * unique prefix of a name is sufficient.
 */
public final class PodNames {
    /** The first namespace to search if none is given. */
    public static final String DEFAULT_NAMESPACE = "default";

    private static final Pattern KIND = Pattern.compile("^(?:pods?|po)/(?=[^/]+$)");
    private static final int EXAMPLES = 5;

    private final ClusterSnapshot snapshot;

    public PodNames(ClusterSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    /** As {@link #pod(String, String)}, first in the namespace default. */
    public PodInfo pod(String text) {
        return pod(text, null);
    }

    /**
     * A pending or running pod.
     *
     * @param namespace of a name without one; null searches default first, then all others
     * @throws InputException if there is none, or more than one
     */
    public PodInfo pod(String text, @Nullable String namespace) {
        List<PodInfo> pods = Stream.concat(snapshot.pending().stream(), snapshot.running().stream())
                .toList();
        boolean isKey = pods.stream().anyMatch(pod -> pod.key().equals(text));
        String name = isKey ? text : KIND.matcher(text).replaceFirst("");
        boolean isWhole = name.contains("/");
        String key = isWhole ? name : (namespace == null ? DEFAULT_NAMESPACE : namespace) + "/" + name;
        List<PodInfo> found = matching(pods, key);
        if (found.isEmpty() && !isWhole && namespace == null) {
            found = pods.stream().filter(pod -> pod.name().equals(name)).toList();
            found = found.isEmpty()
                    ? pods.stream().filter(pod -> pod.name().startsWith(name)).toList()
                    : found;
        }
        if (found.size() == 1) {
            return found.get(0);
        }
        if (!found.isEmpty()) {
            throw new InputException(
                    name + " matches " + found.size() + " pods: " + examples(found) + "; use the full name");
        }
        throw new InputException("no pod " + key + " that is pending or running"
                + suggestion(pods, name.substring(name.indexOf('/') + 1)));
    }

    /** The pod with this name, else those whose names start with it. */
    private static List<PodInfo> matching(List<PodInfo> pods, String key) {
        return pods.stream()
                .filter(pod -> pod.key().equals(key))
                .findFirst()
                .map(List::of)
                .orElseGet(() ->
                        pods.stream().filter(pod -> pod.key().startsWith(key)).toList());
    }

    private static String examples(List<PodInfo> pods) {
        String names = pods.stream().limit(EXAMPLES).map(PodInfo::key).collect(Collectors.joining(", "));
        return pods.size() > EXAMPLES ? names + ", ..." : names;
    }

    /** The first pod with the nearest name. The namespace does not count, because it would hide how different the names are. */
    private static String suggestion(List<PodInfo> pods, String name) {
        String near = Suggestions.nearest(name, pods.stream().map(PodInfo::name).toList());
        return pods.stream()
                .filter(pod -> pod.name().equals(near))
                .findFirst()
                .map(pod -> " (did you mean " + pod.key() + "?)")
                .orElse("");
    }

    /**
     * The full name of a node for a name or a unique prefix.
     *
     * @throws InputException if there is none, or more than one
     */
    public String node(String text) {
        String name = text.replaceFirst("^(?:nodes?|no)/", "");
        List<String> names = snapshot.nodes().stream().map(Node::name).toList();
        if (names.contains(name)) {
            return name;
        }
        List<String> found =
                names.stream().filter(each -> each.startsWith(name)).toList();
        if (found.size() == 1) {
            return found.get(0);
        }
        if (!found.isEmpty()) {
            throw new InputException(name + " matches " + found.size() + " nodes: "
                    + String.join(", ", found.subList(0, Math.min(EXAMPLES, found.size())))
                    + (found.size() > EXAMPLES ? ", ..." : "") + "; use the full name");
        }
        throw new InputException("no node " + name + Suggestions.hint(name, names));
    }
}
