package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.Algorithms.VolumeBinders;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.devices.DeviceAllocator.ClaimReserver;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.modern.DynamicResources;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.PolicyTranslator;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProfileBuilder;
import io.policyscheduler.predicates.VolumeBinder;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Schedulers with plugins of current releases: the default profile, and profiles of configurations. */
public final class ProfileSources {
    /**
     * One profile of a configuration.
     *
     * @param name of the scheduler in reports
     * @param text of the configuration
     * @param file its name in messages
     * @param profile scheduler name; empty for the first profile
     */
    public record Configured(String name, String text, String file, String profile) {}

    private final SchedulerFactoryOptions terms;

    public ProfileSources(SchedulerFactoryOptions terms) {
        this.terms = terms;
    }

    /**
     * The plugins of a profile, created for each cluster.
     *
     * @throws InputException if the configuration is invalid
     */
    public Function<ClusterState, Profile> plugins(Configured configured) {
        return accepted(configured.file(), () -> {
            SchedulerConfiguration configuration = read(configured, Release.NEWEST);
            ProfileConfiguration profile = ConfiguredProfile.of(configuration, configured.profile(), terms.warnings());
            build(configuration, profile, new ClusterState()).close();
            return cluster -> unchecked(configuration, profile, cluster);
        });
    }

    /** The default profile of the newest release, or of the requested one. */
    public SchedulerSpec modern(String name, @Nullable DecidingRelease asked) {
        if (asked == null) {
            return defaults(name, Release.NEWEST, ModernProfile::defaults);
        }
        asked.tell(terms.gates().release(), terms.warnings());
        return defaults(
                name,
                asked.rules(),
                cluster -> ModernProfile.of(cluster)
                        .release(asked.rules())
                        .plugins(terms.plugins())
                        .build());
    }

    private SchedulerSpec defaults(String name, Release release, Function<ClusterState, Profile> profile) {
        return terms.independent(ProfileSchedulers.of(
                name,
                profile,
                terms.percentage(null, null),
                PlacedVolumes.of(terms.gates().at(release), terms.gates().release(), true, true),
                Extenders.NONE));
    }

    /**
     * A policy as kube-scheduler of 1.18 to 1.22 ran it.
     *
     * @param policy as read in strict mode
     * @throws InputException if the release rejects the policy
     */
    public SchedulerSpec translated(Policy policy, DecidingRelease asked) {
        try {
            SchedulerConfiguration configuration =
                    PolicyTranslator.translate(policy, asked.rules(), PolicyTranslator.DEFAULT_SCHEDULER_NAME);
            return decided(
                    asked.name(),
                    configuration,
                    configuration.profiles().get(0),
                    asked,
                    terms.extenders(policy.file(), ExtenderConfig.inCallOrder(policy.extenders()), false),
                    policy.alwaysCheckAllPredicates() ? Profile::checkingAllFilters : UnaryOperator.identity());
        } catch (PolicyException e) {
            throw InputException.refused(e);
        } catch (ConfigurationException | PluginException e) {
            throw InputException.refused(PolicyTranslator.rejected(policy, String.valueOf(e.getMessage())));
        }
    }

    /** The provider ClusterAutoscalerProvider of 1.18 to 1.22. */
    public SchedulerSpec clusterAutoscaler(DecidingRelease asked) {
        return accepted(asked.name(), () -> {
            SchedulerConfiguration configuration = PolicyTranslator.clusterAutoscaler(asked.rules());
            return decided(
                    asked.name(),
                    configuration,
                    configuration.profiles().get(0),
                    asked,
                    Extenders.NONE,
                    UnaryOperator.identity());
        });
    }

    /**
     * A profile of a configuration.
     *
     * @throws InputException if the configuration is invalid
     */
    public SchedulerSpec of(Configured configured, @Nullable DecidingRelease asked) {
        return accepted(configured.file(), () -> decided(configured, asked, UnaryOperator.identity()));
    }

    /**
     * The profile, with its problems as an exception.
     *
     * @throws ConfigurationException if the configuration is invalid
     * @throws PluginException if the arguments of a plugin are invalid
     * @throws InputException if the configuration has no plugins, or not the profile
     */
    public SchedulerSpec checked(Configured configured) throws ConfigurationException {
        return decided(configured, terms.release(configured.name(), null), UnaryOperator.identity());
    }

    /** Reads a configuration. */
    @FunctionalInterface
    private interface Reading<T> {
        T read() throws ConfigurationException;
    }

    private static <T> T accepted(String file, Reading<T> reading) {
        try {
            return reading.read();
        } catch (ConfigurationException e) {
            throw InputException.refused(e);
        } catch (PluginException e) {
            throw new InputException(file + ": " + e.getMessage(), e);
        }
    }

    /** @param finish sets what a configuration cannot express */
    private SchedulerSpec decided(Configured configured, @Nullable DecidingRelease asked, UnaryOperator<Profile> finish)
            throws ConfigurationException {
        SchedulerConfiguration configuration = read(configured, asked == null ? usual(configured) : asked.rules());
        if (asked != null) {
            asked.requireReads(configuration.version());
            asked.tell(terms.gates().release(), terms.warnings());
        }
        configuration.warnings().forEach(warning -> terms.warnings().accept(warning.line(configuration.file())));
        ProfileConfiguration profile = ConfiguredProfile.of(configuration, configured.profile(), terms.warnings());
        Extenders extenders = terms.extenders(configured.file(), configuration.extenders(), false);
        return decided(configured.name(), configuration, profile, null, extenders, finish);
    }

    /**
     * The release of the cluster if it is older than {@code v1} and reads the version of the configuration, as in {@code run}; else
     * the newest supported one, unless the options set one.
     */
    private Release usual(Configured configured) throws ConfigurationException {
        Release cluster = terms.gates().release();
        boolean isOld = !ConfigVersion.V1.isReadBy(cluster);
        return isOld
                        && new ConfigurationReader()
                                .read(configured.text(), configured.file())
                                .version()
                                .isReadBy(cluster)
                ? cluster
                : Release.NEWEST;
    }

    private SchedulerSpec decided(
            String name,
            SchedulerConfiguration configuration,
            ProfileConfiguration profile,
            @Nullable DecidingRelease asked,
            Extenders extenders,
            UnaryOperator<Profile> finish)
            throws ConfigurationException {
        if (asked != null) {
            asked.tell(terms.gates().release(), terms.warnings());
        }
        Profile sample = build(configuration, profile, new ClusterState());
        boolean binds =
                sample.filters().stream().anyMatch(plugin -> plugin.name().equals("VolumeBinding"));
        boolean gives =
                sample.filters().stream().anyMatch(plugin -> plugin.name().equals(DynamicResources.NAME));
        sample.close();
        return terms.independent(ProfileSchedulers.of(
                name,
                cluster -> finish.apply(unchecked(configuration, profile, cluster)),
                terms.percentage(profile.percentageOfNodesToScore(), configuration.percentageOfNodesToScore()),
                PlacedVolumes.of(
                        terms.gates().at(configuration.release()), terms.gates().release(), binds, gives),
                extenders));
    }

    private static SchedulerConfiguration read(Configured configured, Release release) throws ConfigurationException {
        SchedulerConfiguration configuration =
                new ConfigurationReader(release).read(configured.text(), configured.file());
        new ConfigurationValidator().check(configuration);
        return configuration;
    }

    private Profile build(SchedulerConfiguration configuration, ProfileConfiguration profile, ClusterState cluster)
            throws ConfigurationException {
        return new ProfileBuilder(terms.plugins(), cluster, WaitingPods.NONE, SteadyClock.system())
                .build(configuration, profile);
    }

    /** For a profile that is built once. */
    private Profile unchecked(
            SchedulerConfiguration configuration, ProfileConfiguration profile, ClusterState cluster) {
        try {
            return build(configuration, profile, cluster);
        } catch (ConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The profile of {@code config:FILE[#PROFILE]}. */
    public static final class ConfiguredProfile {
        private ConfiguredProfile() {}

        /**
         * The profile of a scheduler name, or the first.
         *
         * @param wanted scheduler name; empty for the first profile
         * @throws InputException if there is none
         */
        public static ProfileConfiguration of(
                SchedulerConfiguration configuration, String wanted, Consumer<String> warnings) {
            List<ProfileConfiguration> profiles = configuration.profiles();
            if (wanted.isEmpty()) {
                ProfileConfiguration first = profiles.get(0);
                if (profiles.size() > 1) {
                    warnings.accept(
                            configuration.file() + ": only the first profile is used, " + first.schedulerName());
                }
                return first;
            }
            return profiles.stream()
                    .filter(profile -> profile.schedulerName().equals(wanted))
                    .findFirst()
                    .orElseThrow(() -> missing(configuration, wanted));
        }

        private static InputException missing(SchedulerConfiguration configuration, String wanted) {
            List<String> names = configuration.profiles().stream()
                    .map(ProfileConfiguration::schedulerName)
                    .toList();
            @Nullable String nearest = Suggestions.nearest(wanted, names);
            return new InputException(configuration.file() + ": no profile \"" + wanted + "\""
                    + (nearest == null
                            ? "; it has " + String.join(", ", names)
                            : " (did you mean \"" + nearest + "\"?)"));
        }
    }

    /**
     * The kube-scheduler release whose decisions a profile reproduces.
     *
     * @param name of the scheduler in messages
     * @param release as requested; can be newer than the newest supported one
     */
    public record DecidingRelease(String name, Release release) {
        /** The first release with default plugins that translates policies to plugins only. */
        private static final Release FIRST = new Release(18);

        private static final Release LAST_OF_POLICIES = new Release(22);

        /** @throws InputException if the release is older than those with default plugins */
        public DecidingRelease {
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
        public Release rules() {
            return release.compareTo(Release.NEWEST) > 0 ? Release.NEWEST : release;
        }

        /**
         * Warns about differences from that release.
         *
         * @param cluster the release that pods are read with
         */
        public void tell(Release cluster, Consumer<String> warnings) {
            // W303 has reported a cluster that is too new.
            if (!release.equals(rules()) && cluster.compareTo(Release.NEWEST) <= 0) {
                warnings.accept(ReleaseOptions.tooNew(release));
            }
            if (of(cluster).compareTo(rules()) > 0) {
                warnings.accept("W302 " + name + ": pods are read as on a cluster of " + cluster + "; --release="
                        + release + " reads them as on a cluster of " + release);
            }
        }

        /** @throws InputException if the release does not read that version of configurations */
        public void requireReads(ConfigVersion version) {
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
        public void requireReadsPolicies() {
            if (release.compareTo(LAST_OF_POLICIES) > 0) {
                throw new InputException("\"" + name + "\": the policies of kube-scheduler are supported from "
                        + FIRST + " to " + LAST_OF_POLICIES + ", and for 1.17 (strict:); later releases have no"
                        + " policies, see policy-scheduler migrate");
            }
        }
    }

    /** Sets the volumes, devices, and labels of a pod that is placed offline. */
    public static final class PlacedVolumes {
        private PlacedVolumes() {}

        /** According to the kinds that a policy reads; with the rules of 1.17, pods keep their labels. */
        public static SchedulerSpec.Volumes of(EffectivePolicy policy) {
            FeatureGates gates = policy.gates();
            return of(
                    gates,
                    gates.honoursNewerFields() ? gates.release() : Release.V1_17,
                    policy.predicates().containsKey("CheckVolumeBinding"),
                    policy.allocatesClaims());
        }

        /**
         * According to the kinds that a scheduler reads.
         *
         * @param gates of the scheduler
         * @param server the release of the API server, which labels pods
         * @param binds whether claims are bound to volumes
         * @param gives whether requested devices are allocated
         */
        static SchedulerSpec.Volumes of(FeatureGates gates, Release server, boolean binds, boolean gives) {
            VolumeBinder binder = VolumeBinders.binder(gates, binds);
            @Nullable ClaimReserver giver = gives ? new ClaimReserver(gates.release()) : null;
            return new SchedulerSpec.Volumes() {
                @Override
                public void assume(ClusterState cluster, PodInfo pod, NodeInfo node) {
                    binder.assume(cluster, pod, node);
                    if (giver != null) {
                        giver.give(cluster, pod, node);
                    }
                }

                @Override
                public PodInfo bound(ClusterState cluster, PodInfo pod, String node) {
                    NodeInfo info = cluster.node(node);
                    return info == null || !ComponentChange.POD_TOPOLOGY_LABELS.in(server)
                            ? pod.withNodeName(node)
                            : pod.toBuilder()
                                    .nodeName(node)
                                    .labels(labeled(pod.labels(), info.node().labels()))
                                    .build();
                }

                @Override
                public boolean givesDevices() {
                    return gives;
                }
            };
        }

        /**
         * The labels of a pod with the zone and the region of its node, as {@code plugin/pkg/admission/podtopologylabels} sets
         * them.
         */
        private static Labels labeled(Labels pod, Labels node) {
            Labels labels = pod;
            for (String key : List.of(Node.ZONE, Node.REGION)) {
                String value = node.get(key);
                if (value != null && !labels.has(key, value)) {
                    labels = labels.with(key, value);
                }
            }
            return labels;
        }
    }
}
