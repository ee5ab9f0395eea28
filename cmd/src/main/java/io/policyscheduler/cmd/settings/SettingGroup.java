package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.framework.config.Setting;
import java.util.List;

/**
 * Settings that belong together, as the help shows them.
 *
 * @param heading over the flags
 * @param rows each with a flag
 */
public record SettingGroup(String heading, List<Setting> rows) {
    public SettingGroup {
        rows = ImmutableList.copyOf(rows);
    }
}
