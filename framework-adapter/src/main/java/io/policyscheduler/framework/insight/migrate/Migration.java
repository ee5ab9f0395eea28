package io.policyscheduler.framework.insight.migrate;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.policy.EffectivePolicy;
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
        List<KeptPolicy> kept) {
    public Migration {
        findings = ImmutableList.copyOf(findings);
        kept = ImmutableList.copyOf(kept);
    }

    /** Returns the number of findings of a level. */
    public long count(Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    /** Returns whether an error was found, that is, whether a part of the policy is lost. */
    public boolean loses() {
        return count(Level.ERROR) > 0;
    }
}
