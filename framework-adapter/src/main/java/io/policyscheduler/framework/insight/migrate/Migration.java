package io.policyscheduler.framework.insight.migrate;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.policy.EffectivePolicy;
import java.util.List;

/**
 * A policy as a KubeSchedulerConfiguration.
 *
 * @param policy what was migrated
 * @param target what it was migrated to
 * @param layout how the profile is written
 * @param configuration the whole file, YAML, with comments that name the entries of the policy
 * @param findings what became of every item of the policy, the gravest first
 * @param kept policies for extenders that the configuration calls; empty if it calls none of ours
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

    /** How many findings there are of a level. */
    public long count(Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    /** Whether something of the policy is lost. */
    public boolean loses() {
        return count(Level.ERROR) > 0;
    }
}
