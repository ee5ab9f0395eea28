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
            SettingGroup.of(
                    "Configuration",
                    RunSettings.CONFIG,
                    RunSettings.COMPAT,
                    KubeFlags.WRITE_CONFIG_TO,
                    KubeFlags.VERSION),
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
                    RunSettings.IGNORE_NEWER_FIELDS,
                    Settings.CONTENT_TYPE,
                    Settings.QPS,
                    Settings.BURST),
            SettingGroup.of(
                    "Scheduling",
                    RunSettings.TIE_BREAK,
                    Settings.PERCENTAGE,
                    Settings.DISABLE_PREEMPTION,
                    Settings.BIND_TIMEOUT,
                    Settings.INITIAL_BACKOFF,
                    Settings.MAX_BACKOFF,
                    KubeFlags.UNSCHEDULABLE_DURATION,
                    RunSettings.REQUEUE_HINTS,
                    RunSettings.DECISION_BUDGET,
                    RunSettings.DECISION_HISTORY,
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
            SettingGroup.of(
                    "Status over plain HTTP",
                    Settings.HEALTHZ_ADDRESS,
                    ServingFlags.ADDRESS,
                    ServingFlags.PORT,
                    Settings.PROFILING,
                    Settings.CONTENTION_PROFILING),
            SettingGroup.of(
                    "Status over HTTPS",
                    ServingFlags.BIND_ADDRESS,
                    ServingFlags.SECURE_PORT,
                    ServingFlags.TLS_CERT_FILE,
                    ServingFlags.TLS_KEY_FILE,
                    ServingFlags.CERT_DIR,
                    ServingFlags.TLS_SNI_CERT_KEY,
                    ServingFlags.TLS_CIPHER_SUITES,
                    ServingFlags.TLS_MIN_VERSION,
                    ServingFlags.HTTP2_MAX_STREAMS,
                    ServingFlags.DISABLE_HTTP2,
                    ServingFlags.PERMIT_ADDRESS_SHARING,
                    ServingFlags.PERMIT_PORT_SHARING),
            SettingGroup.of(
                    "Who may read the status over HTTPS",
                    ServingFlags.CLIENT_CA_FILE,
                    ServingFlags.AUTHENTICATION_KUBECONFIG,
                    ServingFlags.AUTHENTICATION_SKIP_LOOKUP,
                    ServingFlags.AUTHENTICATION_TOLERATE_FAILURE,
                    ServingFlags.AUTHENTICATION_TOKEN_TTL,
                    ServingFlags.AUTHORIZATION_KUBECONFIG,
                    ServingFlags.ALWAYS_ALLOW_PATHS,
                    ServingFlags.AUTHORIZED_TTL,
                    ServingFlags.UNAUTHORIZED_TTL,
                    ServingFlags.REQUEST_HEADER_CA,
                    ServingFlags.REQUEST_HEADER_NAMES,
                    ServingFlags.REQUEST_HEADER_USERS,
                    ServingFlags.REQUEST_HEADER_UIDS,
                    ServingFlags.REQUEST_HEADER_GROUPS,
                    ServingFlags.REQUEST_HEADER_EXTRA),
            SettingGroup.of("Log", LoggingFlags.VERBOSITY, LoggingFlags.VMODULE, LoggingFlags.FORMAT),
            LoggingFlags.IGNORED,
            KubeFlags.IGNORED);

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
