package io.policyscheduler.cmd.run;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.run.RunSettings.Kube;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.FlagGroup;
import io.policyscheduler.framework.config.Settings;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Every setting of {@code run}, in groups and in the order of the help. */
public final class SettingCatalog {
    private static final ImmutableList<Setting> ROWS = ImmutableList.<Setting>builder()
            .addAll(Settings.all())
            .addAll(RunSettings.ALL)
            .addAll(ServingFlags.ALL)
            .addAll(Kube.ALL)
            .addAll(LoggingFlags.ALL)
            .build();
    private static final ImmutableList<Group> GROUPS =
            Arrays.stream(FlagGroup.values()).map(SettingCatalog::group).collect(ImmutableList.toImmutableList());

    private static final ImmutableMap<String, Setting> BY_SPELLING = bySpelling();

    private SettingCatalog() {}

    private static Group group(FlagGroup group) {
        return new Group(
                group.heading(),
                ROWS.stream()
                        .filter(row ->
                                !row.flag().isEmpty() && row.requireFlag().group() == group)
                        .toList());
    }

    private static ImmutableMap<String, Setting> bySpelling() {
        ImmutableMap.Builder<String, Setting> settings = ImmutableMap.builder();
        for (Setting setting : withFlags()) {
            setting.requireFlag().spellings().forEach(spelling -> settings.put(spelling, setting));
        }
        return settings.buildOrThrow();
    }

    /** The groups of the help. */
    public static List<Group> groups() {
        return GROUPS;
    }

    /** Every setting that has a flag, in the order of the help. */
    public static List<Setting> withFlags() {
        return GROUPS.stream().flatMap(group -> group.rows().stream()).toList();
    }

    /** Every setting: those with flags, then those that only a file has. */
    public static Set<Setting> all() {
        Set<Setting> settings = new LinkedHashSet<>(withFlags());
        settings.addAll(ROWS);
        return settings;
    }

    /** The setting for any spelling of a flag. */
    public static Optional<Setting> find(String spelling) {
        return Optional.ofNullable(BY_SPELLING.get(spelling));
    }

    /**
     * A group of settings in the help.
     *
     * @param heading over the flags
     * @param rows each with a flag
     */
    public record Group(String heading, List<Setting> rows) {
        public Group {
            rows = ImmutableList.copyOf(rows);
        }
    }
}
