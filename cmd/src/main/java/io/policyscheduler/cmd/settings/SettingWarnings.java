package io.policyscheduler.cmd.settings;

import io.policyscheduler.framework.config.setting.Setting;
import io.policyscheduler.framework.config.setting.SettingFlag;
import java.util.ArrayList;
import java.util.List;

/** Tells of flags that are accepted for the sake of old command lines and do nothing. */
public final class SettingWarnings {
    private SettingWarnings() {}

    /** A line for each such flag or variable that is given and asks for something else than what is so anyway. */
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
