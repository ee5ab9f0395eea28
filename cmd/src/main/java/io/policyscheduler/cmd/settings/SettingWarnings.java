package io.policyscheduler.cmd.settings;

import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.SettingFlag;
import java.util.ArrayList;
import java.util.List;

/** Warnings about flags that are accepted for compatibility and have no effect. */
public final class SettingWarnings {
    private SettingWarnings() {}

    /** Returns a line for each such flag or variable whose value differs from the actual behavior. */
    public static List<String> of(SettingTree settings) {
        List<String> warnings = new ArrayList<>();
        for (Setting setting : SettingCatalog.withFlags()) {
            SettingFlag flag = setting.requireFlag();
            boolean inVain = !flag.noEffect().isEmpty()
                    && settings.isGivenAtStart(setting)
                    && !flag.harmless().contains(settings.text(setting));
            if (inVain) {
                warnings.add(flag.code() + " " + flag.name() + " has no effect: " + flag.noEffect());
            }
        }
        return warnings;
    }
}
