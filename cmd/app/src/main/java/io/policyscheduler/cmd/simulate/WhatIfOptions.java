package io.policyscheduler.cmd.simulate;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PodNames;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.whatif.WhatIf;
import io.policyscheduler.framework.insight.whatif.WhatIf.DrainNode;
import io.policyscheduler.framework.insight.whatif.WhatIf.Parser;
import io.policyscheduler.framework.insight.whatif.WhatIf.RemoveNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Picocli mixin: changes of the cluster before pods are scheduled. */
final class WhatIfOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--add-nodes",
            paramLabel = "N:like=NODE",
            description =
                    "Add N nodes like NODE, with its DaemonSet pods. Repeatable, as are the next three" + " options.")
    private List<String> added = List.of();

    @Option(names = "--remove-node", paramLabel = "NODE", description = "Remove a node and its pods.")
    private List<String> removed = List.of();

    @Option(
            names = "--drain",
            paramLabel = "NODE",
            description = "Cordon a node and reschedule its pods that have a controller.")
    private List<String> drained = List.of();

    @Option(
            names = "--scale",
            paramLabel = "WORKLOAD=N",
            description = "Set the number of replicas. WORKLOAD is [NAMESPACE/]deploy|rs|sts|rc/NAME.")
    private List<String> scaled = List.of();

    @Option(
            names = "--fit",
            paramLabel = "POD",
            description =
                    "After the pending pods, place copies of this pod until no node is feasible, and report the number"
                            + " of copies.")
    private @Nullable String fit;

    @Option(
            names = "--podspec",
            paramLabel = "FILE",
            description = "Like --fit, with the pod in FILE (JSON or YAML). The pod need not be in the snapshot.")
    private @Nullable Path podSpec;

    @Option(
            names = "--fit-limit",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Maximum number of copies (default: ${DEFAULT-VALUE}).")
    private int fitLimit = 10_000;

    /** Whether copies of a pod are counted. */
    boolean countsCopies() {
        return fit != null || podSpec != null;
    }

    /**
     * A pod of which copies are counted.
     *
     * @param more additional objects that are not in the cluster: its own claims
     */
    record PodTemplate(PodInfo pod, List<ClusterObject> more) {}

    /**
     * The pod to count copies of; null for none.
     *
     * @param gates feature gates to read a file with
     * @param creation returns the objects of the cluster that affect new pods
     * @throws InputException if there is no such pod
     */
    @Nullable
    PodTemplate copied(ClusterSnapshot snapshot, FeatureGates gates, Supplier<Objects> creation) {
        if (fit != null) {
            return new PodTemplate(new PodNames(snapshot).pod(fit), List.of());
        }
        return podSpec == null ? null : ofFile(podSpec, gates, creation.get());
    }

    private static PodTemplate ofFile(Path file, FeatureGates gates, Objects creation) {
        List<String> problems = new ArrayList<>();
        Dump dump = new Dump(gates, creation, problems::add, objects -> {});
        InputFiles.requireFile(file);
        try {
            dump.read(file);
        } catch (IOException e) {
            throw InputFiles.unreadable(file, e);
        }
        ClusterSnapshot read = dump.snapshot();
        List<PodInfo> pods =
                Stream.concat(read.pending().stream(), read.running().stream()).toList();
        // All pods of one workload are equal.
        if (pods.isEmpty() || dump.objects() != 1) {
            throw new InputException("--podspec " + file + ": expected one Pod or workload, found "
                    + dump.objects() + (dump.objects() == 1 ? " object with " : " objects with ") + pods.size()
                    + (pods.size() == 1 ? " pod" : " pods")
                    + (problems.isEmpty() ? "" : " (" + problems.get(0) + ")"));
        }
        return new PodTemplate(pods.get(0).withNodeName(""), read.objects());
    }

    int fitLimit() {
        return fitLimit;
    }

    /** The changes in order: nodes added, removed, and drained, workloads scaled. */
    List<WhatIf> changes() {
        if (fitLimit < 1) {
            throw new ParameterException(spec.commandLine(), "--fit-limit: " + fitLimit + " is not above 0");
        }
        if (fit != null && podSpec != null) {
            throw new ParameterException(spec.commandLine(), "use only one of --fit, --podspec");
        }
        List<WhatIf> changes = new ArrayList<>();
        added.forEach(text -> changes.add(parsed("--add-nodes", text, Parser::addNodes)));
        removed.forEach(node -> changes.add(new RemoveNode(node)));
        drained.forEach(node -> changes.add(new DrainNode(node)));
        scaled.forEach(text -> changes.add(parsed("--scale", text, Parser::scale)));
        return changes;
    }

    private WhatIf parsed(String option, String text, Function<String, WhatIf> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
        }
    }

    /**
     * Applies changes in order.
     *
     * @throws InputException if a change names an object that does not exist
     */
    static WhatIf.Changed apply(ClusterSnapshot snapshot, List<WhatIf> changes) {
        List<String> notes = new ArrayList<>();
        ClusterSnapshot changed = snapshot;
        for (WhatIf change : changes) {
            String problem = change.problem(changed);
            if (problem != null) {
                throw new InputException(problem);
            }
            WhatIf.Changed step = change.apply(changed);
            changed = step.snapshot();
            notes.addAll(step.notes());
        }
        return new WhatIf.Changed(changed, notes);
    }
}
