package io.policyscheduler.cmd.sources;

import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.insight.compare.decider.DeciderSource;
import io.policyscheduler.framework.insight.compare.decider.ProfileDeciders;
import io.policyscheduler.framework.plugin.PluginRegistry;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What holds for all that {@link Deciders} makes.
 *
 * @param gates of the cluster that will be looked at
 * @param plugins that profiles may name
 * @param ownPlugins whether all of them are our own
 * @param warnings is told what is probably not meant, a line each
 * @param deciding whose kube-scheduler decides where a text does not say it; null for the newest one known
 * @param percentage share of the nodes after which profiles stop looking, 0 to 100, 0 adapts to the size of the cluster; null for
 *     what a configuration says, and all nodes where none says it
 */
record DecidingTerms(
        FeatureGates gates,
        PluginRegistry plugins,
        boolean ownPlugins,
        Consumer<String> warnings,
        @Nullable Release deciding,
        @Nullable Integer percentage) {
    DecidingTerms in(FeatureGates other, Consumer<String> listener) {
        return new DecidingTerms(other, plugins, ownPlugins, listener, deciding, percentage);
    }

    DecidingTerms as(@Nullable Release release) {
        return new DecidingTerms(gates, plugins, ownPlugins, warnings, release, percentage);
    }

    DecidingTerms onPercentageOfNodes(@Nullable Integer share) {
        return new DecidingTerms(gates, plugins, ownPlugins, warnings, deciding, share);
    }

    int percentage(@Nullable Integer ofProfile, @Nullable Integer ofAll) {
        if (percentage != null) {
            return percentage;
        }
        Integer said = ofProfile == null ? ofAll : ofProfile;
        return said == null ? ProfileDeciders.ALL_NODES : said;
    }

    /** Of plugins that others have written nothing is known. */
    DeciderSource independent(DeciderSource source) {
        return source.independent(ownPlugins && !leavesCounts(gates));
    }

    /** True when counts of volumes stay behind on the nodes. */
    static boolean leavesCounts(FeatureGates gates) {
        return gates.enabled(FeatureGates.BALANCE_ATTACHED_NODE_VOLUMES);
    }

    /** The release that a source names, else the one that was given for all; null for neither. */
    @Nullable
    DecidingRelease releaseOf(String name, SourceText source) {
        return source.release() != null ? new DecidingRelease(name, source.release()) : release(name);
    }

    /** The release that was given for all; null for none. */
    @Nullable
    DecidingRelease release(String name) {
        return deciding == null ? null : new DecidingRelease(name, deciding);
    }
}
