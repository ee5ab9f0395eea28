package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.ProfileSources.DecidingRelease;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.insight.compare.ProfileSchedulers;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import io.policyscheduler.framework.profile.PluginRegistry;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Common options of all schedulers of a command.
 *
 * @param gates of the cluster
 * @param plugins plugins that profiles can use
 * @param ownPlugins whether all plugins are built in
 * @param warnings receives one line each
 * @param deciding default release of the kube-scheduler; null for the newest supported one
 * @param percentage share of feasible nodes after which the search stops, 0 to 100, 0 adapts to the size of the cluster; null for
 *     the value of the configuration, or all nodes without one
 * @param extenders creates extenders; null if they are not called
 */
public record SchedulerFactoryOptions(
        FeatureGates gates,
        PluginRegistry plugins,
        boolean ownPlugins,
        Consumer<String> warnings,
        @Nullable Release deciding,
        @Nullable Integer percentage,
        @Nullable ExtenderSource extenders) {
    /** Creates the clients of extenders. */
    @FunctionalInterface
    public interface ExtenderSource {
        /**
         * Returns the extenders of a policy or a configuration, in call order.
         *
         * @param strictV117 reproduce the errors of v1.17 in the protocol
         * @throws InputException if TLS files cannot be used
         */
        Extenders of(String file, List<ExtenderConfig> configs, boolean strictV117);
    }

    /** Returns the extenders to call; logs a warning if there are some and extenders are not called. */
    public Extenders extenders(String file, List<ExtenderConfig> configs, boolean strictV117) {
        if (configs.isEmpty()) {
            return Extenders.NONE;
        }
        if (extenders != null) {
            return extenders.of(file, configs, strictV117);
        }
        warnings.accept(file + ": warning " + PolicyWarningCode.EXTENDERS + ": the extenders are not called");
        return Extenders.NONE;
    }

    /** Returns the same terms with extenders that are called. */
    public SchedulerFactoryOptions calling(ExtenderSource source) {
        return new SchedulerFactoryOptions(gates, plugins, ownPlugins, warnings, deciding, percentage, source);
    }

    /** A copy for a cluster with these gates and another receiver of warnings. */
    public SchedulerFactoryOptions in(FeatureGates other, Consumer<String> listener) {
        return new SchedulerFactoryOptions(other, plugins, ownPlugins, listener, deciding, percentage, extenders);
    }

    /** A copy for the kube-scheduler of a release; null for the newest supported one. */
    public SchedulerFactoryOptions as(@Nullable Release release) {
        return new SchedulerFactoryOptions(gates, plugins, ownPlugins, warnings, release, percentage, extenders);
    }

    /** A copy for a share of the nodes; null for the value of the configuration. */
    public SchedulerFactoryOptions onPercentageOfNodes(@Nullable Integer share) {
        return new SchedulerFactoryOptions(gates, plugins, ownPlugins, warnings, deciding, share, extenders);
    }

    /** The effective share of the nodes for the values of a configuration; null for absent ones. */
    public int percentage(@Nullable Integer ofProfile, @Nullable Integer ofAll) {
        if (percentage != null) {
            return percentage;
        }
        Integer said = ofProfile == null ? ofAll : ofProfile;
        return said == null ? ProfileSchedulers.ALL_NODES : said;
    }

    /** What external plugins read is unknown. */
    public SchedulerSpec independent(SchedulerSpec source) {
        return source.independent(ownPlugins && extenders == null && !leavesCounts(gates));
    }

    /** Whether volume counts stay in the nodes. */
    public static boolean leavesCounts(FeatureGates gates) {
        return gates.enabled(FeatureGates.BALANCE_ATTACHED_NODE_VOLUMES);
    }

    /**
     * The release of the kube-scheduler.
     *
     * @param named the release in the text; null for none
     * @return null if neither the text nor the options set one
     */
    public @Nullable DecidingRelease release(String name, @Nullable Release named) {
        Release release = named == null ? deciding : named;
        return release == null ? null : new DecidingRelease(name, release);
    }
}
