package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.framework.config.setting.Setting;
import io.policyscheduler.framework.config.setting.Settings;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Every setting of {@code run}, in groups and in the order of the help. */
public final class SettingCatalog {
    private static final ImmutableList<SettingGroup> GROUPS = ImmutableList.of(
            SettingGroup.of("Configuration", RunSettings.CONFIG, RunSettings.COMPAT),
            SettingGroup.of(
                    "Policy",
                    Settings.SCHEDULER_NAME,
                    Settings.POLICY_FILE,
                    Settings.POLICY_CONFIG_MAP,
                    Settings.POLICY_CONFIG_MAP_NAMESPACE,
                    RunSettings.USE_LEGACY_POLICY,
                    Settings.PROVIDER,
                    RunSettings.STRICT,
                    RunSettings.FEATURE_GATES,
                    Settings.HARD_WEIGHT,
                    RunSettings.RULES,
                    RunSettings.RULE_EXECUTOR,
                    RunSettings.VERIFY_RULES),
            SettingGroup.of(
                    "Profiles and plugins", RunSettings.PROFILE, RunSettings.PLUGIN_PATH, RunSettings.PLUGIN_SHA256),
            SettingGroup.of(
                    "Cluster",
                    Settings.KUBECONFIG,
                    RunSettings.MASTER,
                    RunSettings.RELEASE,
                    RunSettings.IGNORE_NEWER_FIELDS),
            SettingGroup.of(
                    "Scheduling",
                    RunSettings.TIE_BREAK,
                    Settings.PERCENTAGE,
                    Settings.DISABLE_PREEMPTION,
                    Settings.BIND_TIMEOUT,
                    Settings.INITIAL_BACKOFF,
                    Settings.MAX_BACKOFF,
                    RunSettings.REQUEUE_HINTS,
                    RunSettings.DECISION_BUDGET,
                    RunSettings.IGNORE_UNREADABLE_PODS),
            SettingGroup.of(
                    "Leader election",
                    Settings.LEADER_ELECT,
                    Settings.LEASE_DURATION,
                    Settings.RENEW_DEADLINE,
                    Settings.RETRY_PERIOD,
                    Settings.RESOURCE_LOCK,
                    Settings.RESOURCE_NAME,
                    Settings.RESOURCE_NAMESPACE),
            SettingGroup.of("Status", Settings.HEALTHZ_ADDRESS));

    private static final ImmutableMap<String, Setting> BY_SPELLING = bySpelling();

    private SettingCatalog() {}

    private static ImmutableMap<String, Setting> bySpelling() {
        ImmutableMap.Builder<String, Setting> settings = ImmutableMap.builder();
        for (Setting setting : withFlags()) {
            setting.requireFlag().spellings().forEach(spelling -> settings.put(spelling, setting));
        }
        return settings.buildOrThrow();
    }

    /** The groups of the help. */
    public static List<SettingGroup> groups() {
        return GROUPS;
    }

    /** Every setting that has a flag, in the order of the help. */
    public static List<Setting> withFlags() {
        return GROUPS.stream().flatMap(group -> group.rows().stream()).toList();
    }

    /** Every setting: those with flags, then those that only a file has. */
    public static Set<Setting> all() {
        Set<Setting> settings = new LinkedHashSet<>(withFlags());
        settings.addAll(Settings.all());
        return settings;
    }

    /** The setting of any spelling of a flag. */
    public static Optional<Setting> find(String spelling) {
        return Optional.ofNullable(BY_SPELLING.get(spelling));
    }

    /** Every spelling of every flag, with its setting. */
    static Map<String, Setting> spellings() {
        return BY_SPELLING;
    }
}
