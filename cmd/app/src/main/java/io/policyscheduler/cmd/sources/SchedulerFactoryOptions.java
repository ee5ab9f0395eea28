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
 * What holds for all ways of deciding that a command sets to work.
 *
 * @param gates of the cluster that will be looked at
 * @param plugins that profiles may name
 * @param ownPlugins whether all of them are our own
 * @param warnings is told what is probably not meant, a line each
 * @param deciding whose kube-scheduler decides where a text does not say it; null for the newest one known
 * @param percentage share of the nodes after which profiles stop looking, 0 to 100, 0 adapts to the size of the cluster; null for
 *     what a configuration says, and all nodes where none says it
 * @param extenders creates the extenders that are called; null if none is called
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
         * @param strictV117 reproduce the mistakes of v1.17 in the protocol
         * @throws InputException if TLS files cannot be used
         */
        Extenders of(String file, List<ExtenderConfig> configs, boolean strictV117);
    }

    /** Returns the extenders to call; logs a warning if a file has some and nobody calls extenders. */
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

    /** The same for a cluster with these gates, with somebody else told. */
    public SchedulerFactoryOptions in(FeatureGates other, Consumer<String> listener) {
        return new SchedulerFactoryOptions(other, plugins, ownPlugins, listener, deciding, percentage, extenders);
    }

    /** The same, decided by the kube-scheduler of a release; null for the newest one known. */
    public SchedulerFactoryOptions as(@Nullable Release release) {
        return new SchedulerFactoryOptions(gates, plugins, ownPlugins, warnings, release, percentage, extenders);
    }

    /** The same on a share of the nodes; null for what a configuration says. */
    public SchedulerFactoryOptions onPercentageOfNodes(@Nullable Integer share) {
        return new SchedulerFactoryOptions(gates, plugins, ownPlugins, warnings, deciding, share, extenders);
    }

    /** The share of the nodes that counts where a configuration says these; null for what it does not say. */
    public int percentage(@Nullable Integer ofProfile, @Nullable Integer ofAll) {
        if (percentage != null) {
            return percentage;
        }
        Integer said = ofProfile == null ? ofAll : ofProfile;
        return said == null ? ProfileSchedulers.ALL_NODES : said;
    }

    /** Of plugins that others have written nothing is known. */
    public SchedulerSpec independent(SchedulerSpec source) {
        return source.independent(ownPlugins && extenders == null && !leavesCounts(gates));
    }

    /** True when counts of volumes stay behind on the nodes. */
    public static boolean leavesCounts(FeatureGates gates) {
        return gates.enabled(FeatureGates.BALANCE_ATTACHED_NODE_VOLUMES);
    }

    /**
     * Whose kube-scheduler decides.
     *
     * @param named the release that a text names for itself; null for none
     * @return null when neither the text nor anybody else has named one
     */
    public @Nullable DecidingRelease release(String name, @Nullable Release named) {
        Release release = named == null ? deciding : named;
        return release == null ? null : new DecidingRelease(name, release);
    }
}
