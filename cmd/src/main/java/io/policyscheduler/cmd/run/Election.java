package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.kube.election.LeaseSettings;
import io.policyscheduler.cmd.settings.RunSettings;
import io.policyscheduler.cmd.settings.SettingTree;
import io.policyscheduler.framework.config.setting.Compat;
import io.policyscheduler.framework.config.setting.Settings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The leader election of {@code run}. Off by default, where kube-scheduler has it on: a scheduler that somebody starts by hand
 * should not wait for a lease, and the manifests say so when they want it.
 */
final class Election {
    private static final String LEASES = "leases";

    /** What 1.17 could lock besides. */
    private static final List<String> OLDER = List.of("endpoints", "configmaps", "endpointsleases", "configmapsleases");

    private Election() {}

    private static boolean isOlder(SettingTree settings, String lock) {
        return OLDER.contains(lock) && settings.text(RunSettings.COMPAT).equals(Compat.V1_17.text());
    }

    /** What is told of a lock that is taken for a lease. */
    static List<String> warnings(SettingTree settings) {
        String lock = settings.text(Settings.RESOURCE_LOCK);
        return settings.isOn(Settings.LEADER_ELECT) && isOlder(settings, lock)
                ? List.of("W146 " + Settings.RESOURCE_LOCK.flag() + "=" + lock + " is taken for " + LEASES
                        + ": end every scheduler that holds another kind of lock before this one starts")
                : List.of();
    }

    /**
     * What was asked for, with a new identity; null when off. With the defaults of 1.17, its other kinds of locks are taken for
     * leases, see {@link #warnings}.
     *
     * @param schedulerName after which the Lease is named, unless its name is given
     * @throws IllegalArgumentException when the values do not go together; the message is for users
     */
    static @Nullable LeaseSettings of(SettingTree settings, String schedulerName) {
        if (!settings.isOn(Settings.LEADER_ELECT)) {
            return null;
        }
        String lock = settings.text(Settings.RESOURCE_LOCK);
        if (!lock.equals(LEASES) && !isOlder(settings, lock)) {
            throw new IllegalArgumentException(
                    Settings.RESOURCE_LOCK.flag() + ": \"" + lock + "\" is not supported, only " + LEASES);
        }
        String name = settings.text(Settings.RESOURCE_NAME);
        try {
            return new LeaseSettings(
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
