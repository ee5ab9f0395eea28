package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ClusterException;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.snapshot.KindReaders;
import io.policyscheduler.cmd.snapshot.LiveSnapshot;
import io.policyscheduler.cmd.snapshot.LiveSnapshot.LiveCreationObjects;
import io.policyscheduler.cmd.snapshot.MissingKinds;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Picocli mixin: the cluster, which is a dump or a running cluster. */
public final class SnapshotOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Snapshot: one or more files with nodes, pods, and other objects. YAML, JSON, or JSON"
                    + " Lines, also gzipped.")
    private List<Path> files = List.of();

    @Option(
            names = "--now",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description =
                    "Current time for rules, such as 2026-03-01T22:30:00Z (default: when the dump was made, else when"
                            + " the command starts).")
    private @Nullable Instant now;

    @Option(names = "--live", description = "Take the snapshot from the cluster of the kubeconfig.")
    private boolean live;

    @Option(names = "--kubeconfig", paramLabel = "FILE", description = "Path to a kubeconfig. Implies --live.")
    private @Nullable Path kubeconfig;

    @Option(names = "--master", paramLabel = "URL", description = "Address of the API server. Implies --live.")
    private @Nullable String master;

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "Kubeconfig context. Implies --live (default: the current context).")
    private @Nullable String context;

    @Mixin
    private DumpFiles dumps = new DumpFiles();

    private Set<ResourceKind> kinds = Set.of();
    private @Nullable Instant captured;
    private Objects creationObjects = Objects.NONE;

    /** Whether it is a running cluster. */
    public boolean isLive() {
        return live || kubeconfig != null || master != null || context != null;
    }

    /** The files of the dump; empty for a running cluster. */
    public List<Path> files() {
        return files;
    }

    /**
     * The current cluster.
     *
     * @param warnings receives skipped objects
     * @throws io.policyscheduler.cmd.options.InputException if a file cannot be read
     * @throws ClusterFailure if the running cluster does not respond
     */
    public ClusterSnapshot read(FeatureGates gates, Progress progress, Consumer<String> warnings) {
        return read(gates, List.of(), progress, warnings);
    }

    /** The cluster with more objects from files. */
    public ClusterSnapshot read(FeatureGates gates, List<Path> more, Progress progress, Consumer<String> warnings) {
        if (isLive() == !files.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    isLive()
                            ? "--cluster (a dump) and --live (a running cluster) cannot be combined"
                            : "no snapshot: set --cluster FILE... for a dump, or --live for the cluster of the"
                                    + " kubeconfig");
        }
        if (!isLive()) {
            List<Path> all = new ArrayList<>(files);
            all.addAll(more);
            ClusterSnapshot snapshot = readFiles(all, gates, progress, warnings);
            return snapshot.at(now == null && captured != null ? captured : moment());
        }
        ClusterSnapshot running =
                readLive(gates, !more.isEmpty(), progress, warnings).at(moment());
        return more.isEmpty() ? running : running.with(readFiles(more, gates, progress, warnings));
    }

    /**
     * The objects of the cluster that affect new objects.
     *
     * @param warnings receives denied resources of the running cluster
     * @throws ClusterFailure if the running cluster does not respond
     */
    public Objects creationObjects(Consumer<String> warnings) {
        if (isLive() && creationObjects == Objects.NONE) {
            try (KubeConnection connection = connect()) {
                creationObjects = LiveCreationObjects.read(connection, warnings);
            } catch (IOException e) {
                throw new ClusterFailure("cannot read the classes of the cluster: " + e.getMessage(), e);
            }
        }
        return creationObjects;
    }

    /** Warns about kinds that the files of the dump do not have and these schedulers read. */
    public void warnAboutMissing(ClusterSnapshot snapshot, List<SchedulerSpec> schedulers, Consumer<String> warnings) {
        if (isLive()) {
            return;
        }
        Set<ResourceKind> read = EnumSet.noneOf(ResourceKind.class);
        schedulers.forEach(decider -> read.addAll(KindReaders.of(decider)));
        MissingKinds.of(snapshot, kinds, read).forEach(warnings);
    }

    /** Warns if the dump has no disruption budgets, which affect the choice of victims. */
    public void tellMissingBudgets(PodInfo pod, Consumer<String> warnings) {
        if (!isLive()) {
            MissingKinds.ofPreemption(kinds, pod).ifPresent(warnings);
        }
    }

    private Instant moment() {
        return now == null ? SteadyClock.system().instant() : now;
    }

    /**
     * Sets the dump or the running cluster as the source of tables, which are read on demand.
     *
     * @param more files in addition to those of the dump
     */
    public void setTables(PolicyOptions policies, List<Path> more) {
        if (isLive()) {
            policies.configMapsFrom(ConfigMapEntries.of(this::connect));
            return;
        }
        List<Path> all = new ArrayList<>(files);
        all.addAll(more);
        policies.tablesFromDump(all);
    }

    /**
     * A connection to the running cluster; must be closed.
     *
     * @throws ClusterFailure if the cluster is not available
     */
    public KubeConnection connect() {
        return ConnectionOptions.connect(kubeconfig, master, context);
    }

    private ClusterSnapshot readLive(
            FeatureGates gates, boolean withClasses, Progress progress, Consumer<String> warnings) {
        try (KubeConnection connection = connect()) {
            try {
                if (withClasses) {
                    creationObjects = LiveCreationObjects.read(connection, warnings);
                }
                return LiveSnapshot.read(
                        connection, gates, warnings, objects -> progress.count("objects read", objects, 0));
            } catch (IOException e) {
                throw new ClusterFailure(connection.failure(e), e);
            }
        }
    }

    private ClusterSnapshot readFiles(
            List<Path> all, FeatureGates gates, Progress progress, Consumer<String> warnings) {
        Dump dump = new Dump(gates, creationObjects, warnings, objects -> progress.count("objects read", objects, 0));
        dumps.read(all, dump);
        Set<NewerField> dropped = ReleaseOptions.dropped(dump.snapshot());
        boolean applies = gates.release().equals(Release.NEWEST)
                || Optional.of(gates.release()).equals(dump.snapshot().knownRelease());
        if (!dropped.isEmpty() && applies && all.stream().allMatch(Files::isRegularFile)) {
            // A dump states the feature gates at its end, and pods are read
            // without the fields that the API server drops.
            dropped.addAll(gates.ignored());
            dump = new Dump(gates.ignoring(dropped), creationObjects, line -> {}, objects -> {});
            dumps.readAgain(all, dump);
        }
        creationObjects = dump.creationObjects();
        kinds = dump.kinds();
        captured = dump.captured().orElse(null);
        return dump.snapshot();
    }

    /** The number of skipped objects, for the end of the last line; empty for none. */
    public List<String> notes() {
        return dumps.notes();
    }

    /** Parses a Kubernetes timestamp. */
    public static final class TimeConverter implements ITypeConverter<Instant> {
        /** @throws TypeConversionException with a fix if the text is not a timestamp */
        @Override
        public Instant convert(String text) {
            try {
                return Instant.parse(text);
            } catch (DateTimeException e) {
                throw new TypeConversionException("'" + text + "' is no time; write it like 2026-03-01T22:30:00Z");
            }
        }
    }

    /** Picocli mixin: the connection, for commands that always need a cluster. */
    public static final class ConnectionOptions {
        @Option(names = "--kubeconfig", paramLabel = "FILE", description = "Path to a kubeconfig. Not needed in a pod.")
        private @Nullable Path kubeconfig;

        @Option(
                names = "--master",
                paramLabel = "URL",
                description = "Address of the API server. Overrides the kubeconfig.")
        private @Nullable String master;

        @Option(
                names = "--context",
                paramLabel = "NAME",
                description = "Kubeconfig context (default: the current context).")
        private @Nullable String context;

        /**
         * A connection; must be closed.
         *
         * @throws ClusterFailure if the cluster is not available
         */
        public KubeConnection connect() {
            return connect(kubeconfig, master, context);
        }

        /** A connection with these values, in the current context. */
        public static KubeConnection connect(@Nullable Path kubeconfig, @Nullable String master) {
            return connect(kubeconfig, master, null);
        }

        /** A connection with these values. */
        static KubeConnection connect(@Nullable Path kubeconfig, @Nullable String master, @Nullable String context) {
            try {
                return KubeConnection.auto(kubeconfig, master, context);
            } catch (ClusterException e) {
                throw new ClusterFailure(String.valueOf(e.getMessage()), e);
            }
        }
    }
}
