package io.policyscheduler.framework.config.setting;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * How a setting is given on the command line, and by a variable of the environment.
 *
 * @param name with its dashes, e.g. {@code --leader-elect}
 * @param group where the help has it
 * @param others older or shorter spellings of the same flag
 * @param label what stands for the value in the help, e.g. {@code FILE}
 * @param byDefault what holds if neither flag nor variable nor file says it; empty for nothing
 * @param in117 {@code byDefault} with the defaults of kube-scheduler 1.17
 * @param shownDefault what the help says of the default where the value alone does not tell; empty to show the value
 * @param choices the words that are allowed, in any case; empty for any
 * @param repeatable whether it may be given several times, which adds up; otherwise the last one counts
 * @param hasVariable whether a variable of the environment can give it
 * @param noEffect why it is accepted and does nothing, and what to do instead; empty for a flag that is honoured
 * @param code of the warning that says {@code noEffect}; empty where that is
 * @param harmless values of a flag without effect that need no warning, for they ask for what is so anyway
 */
public record SettingFlag(
        String name,
        FlagGroup group,
        List<String> others,
        String label,
        String byDefault,
        String in117,
        String shownDefault,
        List<String> choices,
        boolean repeatable,
        boolean hasVariable,
        String noEffect,
        String code,
        List<String> harmless) {
    public SettingFlag {
        others = ImmutableList.copyOf(others);
        choices = ImmutableList.copyOf(choices);
        harmless = ImmutableList.copyOf(harmless);
    }

    /** Every spelling, the usual one first. */
    public List<String> spellings() {
        return ImmutableList.<String>builder().add(name).addAll(others).build();
    }

    /** What holds if nobody says it. */
    public String byDefault(Compat compat) {
        return compat == Compat.V1_17 ? in117 : byDefault;
    }
}
