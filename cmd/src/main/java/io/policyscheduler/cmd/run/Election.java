package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.kube.election.LeaseSettings;
import io.policyscheduler.cmd.kube.election.ResourceLock;
import io.policyscheduler.cmd.settings.SettingTree;
import io.policyscheduler.framework.config.Settings;
import org.jspecify.annotations.Nullable;

/**
 * The leader election of {@code run}. Off by default, where kube-scheduler has it on: a scheduler that somebody starts by hand
 * should not wait for a lease, and the manifests say so when they want it.
 */
final class Election {
    private Election() {}

    /**
     * What was asked for, with a new identity; null when off.
     *
     * @param schedulerName after which the lock is named, unless its name is given
     * @throws IllegalArgumentException when the values do not go together; the message is for users
     */
    static @Nullable LeaseSettings of(SettingTree settings, String schedulerName) {
        if (!settings.isOn(Settings.LEADER_ELECT)) {
            return null;
        }
        String lock = settings.text(Settings.RESOURCE_LOCK);
        ResourceLock kind = ResourceLock.find(lock)
                .orElseThrow(() -> new IllegalArgumentException(Settings.RESOURCE_LOCK.flag() + ": \"" + lock
                        + "\" is not one of " + String.join(", ", ResourceLock.texts())));
        String name = settings.text(Settings.RESOURCE_NAME);
        try {
            return new LeaseSettings(
                    kind,
                    settings.text(Settings.RESOURCE_NAMESPACE),
                    name.isEmpty() ? schedulerName : name,
                    LeaseSettings.newIdentity(),
                    settings.duration(Settings.LEASE_DURATION),
                    settings.duration(Settings.RENEW_DEADLINE),
                    settings.duration(Settings.RETRY_PERIOD),
                    true);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("leader election: " + e.getMessage(), e);
        }
    }
}
