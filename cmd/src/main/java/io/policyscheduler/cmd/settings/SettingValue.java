package io.policyscheduler.cmd.settings;

import io.policyscheduler.framework.config.setting.Setting;

/**
 * What holds for a setting, and who says it.
 *
 * @param value a Boolean, Integer, Long, Double, Duration, String or List of String
 * @param layer who says it
 * @param source the same for users, e.g. {@code environment POLICY_SCHEDULER_LEADER_ELECT} or {@code file config.yaml:12}
 */
public record SettingValue(Object value, Layer layer, String source) {
    /** The source of what nobody has said. */
    public static final String BY_DEFAULT = "default";

    /** Who can say something, the weakest first. */
    public enum Layer {
        DEFAULT,
        FILE,
        ENVIRONMENT,
        FLAG
    }

    /** The value as a flag would have it. */
    public String text() {
        return Setting.format(value);
    }

    /** Whether whoever started the program says it, rather than a file or nobody. */
    public boolean isGivenAtStart() {
        return layer == Layer.ENVIRONMENT || layer == Layer.FLAG;
    }
}
