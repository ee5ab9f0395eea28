package io.policyscheduler.cmd.settings;

import io.policyscheduler.framework.config.Setting;

/**
 * The value of a setting and its source.
 *
 * @param value a Boolean, Integer, Long, Double, Duration, String or List of String
 * @param layer the layer that sets it
 * @param source the same for users, e.g. {@code environment POLICY_SCHEDULER_LEADER_ELECT} or {@code file config.yaml:12}
 */
public record SettingValue(Object value, Layer layer, String source) {
    /** The source of defaults. */
    public static final String BY_DEFAULT = "default";

    /** The layers, the lowest first. */
    public enum Layer {
        DEFAULT,
        FILE,
        ENVIRONMENT,
        FLAG
    }

    /** Returns the value in the format of flags. */
    public String text() {
        return Setting.format(value);
    }

    /** Returns whether a flag or an environment variable sets it. */
    public boolean isGivenAtStart() {
        return layer == Layer.ENVIRONMENT || layer == Layer.FLAG;
    }
}
