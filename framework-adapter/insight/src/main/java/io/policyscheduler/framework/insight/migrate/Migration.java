package io.policyscheduler.framework.insight.migrate;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.framework.insight.migrate.Finding.Level;
import java.util.List;

/**
 * A policy as a KubeSchedulerConfiguration.
 *
 * @param policy the policy
 * @param target the version and release of the configuration
 * @param layout the form of the profile
 * @param configuration the whole file, YAML, with comments that name the entries of the policy
 * @param findings the result for every item of the policy, the most severe first
 * @param kept the policies for {@code policy-scheduler extender}; empty if the configuration does not call it
 */
public record Migration(
        EffectivePolicy policy,
        MigrationTarget target,
        Layout layout,
        String configuration,
        List<Finding> findings,
        List<ExtenderPolicy> kept) {
    public Migration {
        findings = ImmutableList.copyOf(findings);
        kept = ImmutableList.copyOf(kept);
    }

    /** Returns the number of losses, whatever their level. */
    public long losses() {
        return findings.stream().filter(Finding::isLoss).count();
    }

    /** Returns the number of findings of a level. */
    public long count(Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    /** Returns whether an error was found, that is, whether a part of the policy is lost. */
    public boolean loses() {
        return count(Level.ERROR) > 0;
    }

    /**
     * A reduced policy that an extender of this program serves beside the migrated configuration.
     *
     * @param file what to call the file, as the findings name it
     * @param text the policy, JSON
     * @param urlPrefix where the configuration expects the extender
     * @param entry the entry of {@code extenders} in one line
     * @param command how to start the extender
     * @param items the entries of the policy that it serves
     */
    public record ExtenderPolicy(
            String file, String text, String urlPrefix, String entry, String command, List<String> items) {
        public ExtenderPolicy {
            items = ImmutableList.copyOf(items);
        }
    }

    /** How a profile says what it runs. */
    enum Layout {
        /** The plugins of the release, where need be with other weights. */
        DEFAULTS,
        /** The filters and scores listed at their points, the other points as the release has them. */
        POINTS,
        /** Every plugin listed once for all its points, without the halves that the policy does not have. */
        MULTI_POINT
    }
}
