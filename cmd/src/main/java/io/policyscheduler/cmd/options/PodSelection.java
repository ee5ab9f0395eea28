package io.policyscheduler.cmd.options;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import java.util.Collection;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Picocli mixin: the selection of pods, with the flags of kubectl. Pods that are not selected stay where they are. */
public final class PodSelection {
    private static final String ALL = "all";
    /** The default of the API server for pods without a scheduler name. */
    private static final String DEFAULT_SCHEDULER = "default-scheduler";

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Select only pods in this namespace (default: all namespaces).")
    private @Nullable String namespace;

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "Select pods in all namespaces. Overrides --namespace.")
    private boolean allNamespaces;

    @Option(
            names = {"-l", "--selector"},
            paramLabel = "SELECTOR",
            converter = LabelSelectorConverter.class,
            description = "Select only pods with these labels, such as app=web,tier!=db (default: all pods).")
    private LabelSelector selector = LabelSelector.EVERYTHING;

    @Option(
            names = "--scheduler-name",
            paramLabel = "NAME",
            defaultValue = ALL,
            description = "Select only pods with this spec.schedulerName (default: ${DEFAULT-VALUE}).")
    private String scheduler = ALL;

    /** Returns whether the pod is selected. */
    public boolean wants(PodInfo pod) {
        return (namespace == null || allNamespaces || namespace.equals(pod.namespace()))
                && selector.matches(pod.labels())
                && (scheduler.equals(ALL) || scheduler.equals(scheduler(pod)));
    }

    /**
     * Returns the message for the case that no pod is selected.
     *
     * @param pods the candidates; not empty
     * @param what their state, such as {@code pending}
     */
    public String noneOf(Collection<PodInfo> pods, String what) {
        TreeSet<String> schedulers = new TreeSet<>();
        TreeSet<String> namespaces = new TreeSet<>();
        pods.forEach(pod -> {
            schedulers.add(scheduler(pod));
            namespaces.add(pod.namespace());
        });
        return "none of the " + pods.size() + " " + what + " pods is selected by --namespace, --selector and"
                + " --scheduler-name; they are in " + String.join(", ", namespaces) + ", for "
                + String.join(", ", schedulers);
    }

    private static String scheduler(PodInfo pod) {
        String name = pod.spec().schedulerName();
        return name.isEmpty() ? DEFAULT_SCHEDULER : name;
    }
}
