package io.policyscheduler.cmd.settings;

import io.policyscheduler.framework.config.setting.Setting;
import io.policyscheduler.framework.config.setting.Settings;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names of settings: a flag, a variable of the environment, and a field of KubeSchedulerConfiguration where it has one. The
 * variable of {@code --leader-elect-lease-duration} is {@code POLICY_SCHEDULER_LEADER_ELECT_LEASE_DURATION}.
 */
public final class SettingKeys {
    /** What every variable begins with. */
    public static final String PREFIX = Setting.PREFIX;

    private SettingKeys() {}

    /** The variable of a flag. */
    public static String variable(String flag) {
        return Setting.variable(flag);
    }

    /** The field of a flag; null when a configuration file has none. */
    public static @Nullable String field(String flag) {
        return Settings.ofFlag(flag).map(Setting::field).orElse(null);
    }

    /** All flags that have a field, with it. */
    public static Map<String, String> fields() {
        Map<String, String> fields = new LinkedHashMap<>();
        Settings.all().stream()
                .filter(setting -> !setting.flag().isEmpty())
                .forEach(setting -> fields.put(setting.flag(), setting.field()));
        return fields;
    }
}
