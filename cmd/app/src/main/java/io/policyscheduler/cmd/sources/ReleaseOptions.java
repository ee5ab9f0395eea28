package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Picocli mixin with {@code --release} and {@code --ignore-newer-fields}. */
public final class ReleaseOptions {
    private static final String RELEASE = "--release";
    private static final String IGNORE = "--ignore-newer-fields";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = RELEASE,
            paramLabel = "1.N",
            description = "Kubernetes release of the cluster (default: that of the API server or of the dump; "
                    + Release.NEWEST_TEXT + " if it is unknown).")
    private @Nullable String release;

    @Option(
            names = IGNORE,
            paramLabel = "NAME",
            split = ",",
            description = "Ignore these pod and volume fields, which were added after 1.17. validate --explain"
                    + " lists their names.")
    private List<String> ignored = List.of();

    /**
     * The options of a command that has parsed its flags itself.
     *
     * @param spec command of usage errors
     * @param release empty for none
     */
    public static ReleaseOptions of(CommandSpec spec, String release, List<String> ignored) {
        ReleaseOptions options = new ReleaseOptions();
        options.spec = spec;
        options.release = release;
        options.ignored = List.copyOf(ignored);
        return options;
    }

    /** The value of {@code --release}; an invalid one is a usage error. */
    public Optional<Release> given() {
        if (release == null || release.isEmpty()) {
            return Optional.empty();
        }
        try {
            Release asked = Release.parse(release);
            if (!asked.atLeast(Release.V1_17.minor())) {
                throw new IllegalArgumentException(
                        release + " is older than " + Release.V1_17 + ", the oldest supported release; use "
                                + Release.V1_17 + ", or omit the option to use the release of the cluster");
            }
            return Optional.of(asked);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), RELEASE + ": " + e.getMessage(), e);
        }
    }

    /**
     * The release whose kube-scheduler profiles decide: the value of {@code --release}, from the first release with {@code v1}
     * on.
     */
    Optional<Release> ofScheduler() {
        return given().filter(ConfigVersion.V1::isReadBy);
    }

    /** The reader of configurations for the release of the cluster; the newest one if none is given, as in {@code run}. */
    public ConfigurationReader reader() {
        return ConfigurationReader.inCluster(given().orElse(Release.NEWEST));
    }

    /** The gates for the cluster of a dump or a server; {@code --release} overrides its release. */
    public FeatureGates in(ClusterSnapshot snapshot, FeatureGates gates) {
        FeatureGates found = at(given().or(snapshot::knownRelease).orElse(Release.NEWEST), gates);
        Set<NewerField> off = off(snapshot);
        if (off.isEmpty()) {
            return found;
        }
        Set<NewerField> all = EnumSet.copyOf(off);
        all.addAll(found.ignored());
        return found.ignoring(all);
    }

    private Set<NewerField> off(ClusterSnapshot snapshot) {
        return given().equals(Optional.empty()) || given().equals(snapshot.knownRelease())
                ? dropped(snapshot)
                : Set.of();
    }

    /** The fields that the API server drops although its release has them, because their feature gates are off. */
    static Set<NewerField> dropped(ClusterSnapshot snapshot) {
        Set<NewerField> fields = EnumSet.noneOf(NewerField.class);
        snapshot.knownRelease().ifPresent(release -> {
            for (NewerField field : NewerField.values()) {
                if (release.compareTo(field.served()) >= 0
                        && !snapshot.features().getOrDefault(field.featureGate(), true)) {
                    fields.add(field);
                }
            }
        });
        return fields;
    }

    /** The gates for a detected release, unless {@code --release} is set. */
    public FeatureGates in(Release found, FeatureGates gates) {
        return at(given().orElse(found), gates);
    }

    /** Notes about the release: that it is unknown, or that it is newer than the newest supported one. Empty otherwise. */
    public List<String> notes(ClusterSnapshot snapshot) {
        Optional<Release> release = given().or(snapshot::knownRelease);
        if (release.isEmpty()) {
            return List.of("the dump does not contain the release of its cluster: assumed Kubernetes " + Release.NEWEST
                    + "; set " + RELEASE + " to change this");
        }
        List<String> notes = new ArrayList<>(newer(release.get()));
        off(snapshot)
                .forEach(field -> notes.add("the API server has the feature " + field.featureGate() + " off, so "
                        + field.key() + " is ignored"));
        return List.copyOf(notes);
    }

    /** W303 if {@code --release} is newer than the newest supported release; empty otherwise. */
    public List<String> newer() {
        return given().map(ReleaseOptions::newer).orElse(List.of());
    }

    /** W303 if a release is newer than the newest supported one; empty otherwise. */
    public static List<String> newer(Release release) {
        return release.compareTo(Release.NEWEST) > 0 ? List.of(tooNew(release)) : List.of();
    }

    /** W303 for a release that is newer than the newest supported one. */
    static String tooNew(Release release) {
        return "W303 Kubernetes " + release + " is newer than the newest supported release; decisions follow "
                + Release.NEWEST;
    }

    /**
     * Notes for a command whose schedulers may all follow 1.17.
     *
     * @param strictV117 every scheduler is a policy that {@code --strict-v1.17} applies to
     */
    public List<String> notes(ClusterSnapshot snapshot, boolean strictV117) {
        return strictV117 ? List.of("decisions follow Kubernetes 1.17 because of --strict-v1.17") : notes(snapshot);
    }

    /** The gates to read objects with before the release of the cluster is known. */
    public FeatureGates unknown(FeatureGates gates) {
        return in(Release.NEWEST, gates);
    }

    private FeatureGates at(Release rules, FeatureGates gates) {
        return gates.at(rules).ignoring(ignored());
    }

    private Set<NewerField> ignored() {
        Set<NewerField> fields = EnumSet.noneOf(NewerField.class);
        for (String name : ignored) {
            fields.add(NewerField.find(name).orElseThrow(() -> {
                String nearest = Suggestions.nearest(name, NewerField.keys());
                return new ParameterException(
                        spec.commandLine(),
                        IGNORE + ": \"" + name + "\" is not one of " + String.join(", ", NewerField.keys())
                                + (nearest == null ? "" : " (did you mean \"" + nearest + "\"?)"));
            }));
        }
        return fields;
    }

    /**
     * The kube-scheduler release whose decisions a profile reproduces.
     *
     * @param name of the scheduler in messages
     * @param release as requested; can be newer than the newest supported one
     */
    public record SchedulerRelease(String name, Release release) {
        /** The first release with default plugins that translates policies to plugins only. */
        private static final Release FIRST = new Release(18);

        private static final Release LAST_OF_POLICIES = new Release(22);

        /** @throws InputException if the release is older than those with default plugins */
        public SchedulerRelease {
            if (release.compareTo(FIRST) < 0) {
                throw new InputException("\"" + name + "\": the plugins of " + release
                        + " are unsupported; use provider:DefaultProvider for 1.17, or modern@1.18 and later");
            }
        }

        /** The release of the default profile for a cluster: its own release, or the nearest one with default plugins. */
        public static Release of(Release cluster) {
            return cluster.compareTo(FIRST) < 0
                    ? FIRST
                    : cluster.compareTo(Release.NEWEST) > 0 ? Release.NEWEST : cluster;
        }

        /** The release whose semantics apply: the newest supported one for later releases. */
        Release rules() {
            return release.compareTo(Release.NEWEST) > 0 ? Release.NEWEST : release;
        }

        /**
         * Warns about differences from that release.
         *
         * @param cluster the release that pods are read with
         */
        void warn(Release cluster, Consumer<String> warnings) {
            // W303 has reported a cluster that is too new.
            if (!release.equals(rules()) && cluster.compareTo(Release.NEWEST) <= 0) {
                warnings.accept(tooNew(release));
            }
            if (of(cluster).compareTo(rules()) > 0) {
                warnings.accept("W302 " + name + ": pods are read as on a cluster of " + cluster + "; --release="
                        + release + " reads them as on a cluster of " + release);
            }
        }

        /** @throws InputException if the release does not read that version of configurations */
        void requireReads(ConfigVersion version) {
            if (!version.isReadBy(rules())) {
                throw new InputException(
                        "\"" + name + "\": Kubernetes " + release + " does not read " + version.version()
                                + " ("
                                + (version == ConfigVersion.V1
                                        ? "since " + version.first()
                                        : version.first() + " to " + version.last())
                                + "); it reads " + ConfigVersion.usual(rules()).version());
            }
        }

        /** @throws InputException if the release has no Policy API */
        void requireReadsPolicies() {
            if (release.compareTo(LAST_OF_POLICIES) > 0) {
                throw new InputException("\"" + name + "\": the policies of kube-scheduler are supported from "
                        + FIRST + " to " + LAST_OF_POLICIES + ", and for 1.17 (strict:); later releases have no"
                        + " policies, see policy-scheduler migrate");
            }
        }
    }
}
