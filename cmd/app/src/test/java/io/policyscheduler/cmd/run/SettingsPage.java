package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.run.SettingCatalog.Group;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.Compat;
import io.policyscheduler.framework.config.Setting.FileField;
import io.policyscheduler.framework.config.Setting.SettingFlag;
import io.policyscheduler.framework.config.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Generates {@code docs/settings.md} from the settings. */
final class SettingsPage {
    private final StringBuilder page = new StringBuilder();

    private SettingsPage() {}

    static String text() {
        SettingsPage page = new SettingsPage();
        page.introduction();
        SettingCatalog.groups().forEach(page::group);
        page.fileOnly();
        page.warnings();
        return page.page.toString();
    }

    private void line(String text) {
        page.append(text).append('\n');
    }

    private void introduction() {
        line("# Every setting of `run`");
        line("");
        line(
                "This page is generated from the program. A flag overrides an environment variable, which overrides the file of");
        line(
                "`--config`, which overrides the default. `config show` prints the value of each setting and its source. Booleans are");
        line(
                "written `--flag`, `--flag=true`, or `--flag=false`. They do not consume the next argument. `_` is the same as `-`. If");
        line("a flag is repeated, the last value applies. For lists, the values are appended.");
        line("");
        line(
                "*1.17* is the default with `--compat=1.17`, if it is different. *File* is the field of KubeSchedulerConfiguration,");
        line("with the versions that have it if not all do.");
        line("");
    }

    private void group(Group group) {
        line("## " + group.heading());
        line("");
        line("| flag | value | default | 1.17 | variable | file | |");
        line("|---|---|---|---|---|---|---|");
        group.rows().forEach(this::row);
        line("");
    }

    private void row(Setting setting) {
        SettingFlag flag = setting.requireFlag();
        List<String> spellings =
                flag.spellings().stream().map(SettingsPage::code).toList();
        String own = flag.displayedDefault().isEmpty() ? code(flag.byDefault()) : flag.displayedDefault();
        String in117 = setting.flagDefault(Compat.V1_17);
        line("| "
                + String.join(
                        " | ",
                        String.join("<br>", spellings),
                        value(setting),
                        own,
                        in117.equals(flag.byDefault()) ? "" : code(in117),
                        setting.variable().isEmpty() ? "none" : code(setting.variable()),
                        place(setting),
                        cell(setting.description() + effect(flag)))
                + " |");
    }

    private static String value(Setting setting) {
        SettingFlag flag = setting.requireFlag();
        List<String> parts = new ArrayList<>();
        boolean words = !flag.choices().isEmpty() && setting.shape().kind() != Shape.Kind.BOOL;
        parts.add(words ? String.join(", ", flag.choices()) : cell(flag.label()));
        parts.add(range(setting));
        parts.add(setting.unit());
        return String.join(" ", parts).replaceAll(" +", " ").strip();
    }

    private static String range(Setting setting) {
        Setting.Range range = setting.range();
        if (range == null) {
            return "";
        }
        long end = setting.shape().kind() == Shape.Kind.INT32 ? Integer.MAX_VALUE : Long.MAX_VALUE;
        return range.most() >= end ? "from " + range.least() : range.least() + " to " + range.most();
    }

    private static String place(Setting setting) {
        FileField file = setting.file();
        if (file == null) {
            return "";
        }
        boolean all = file.first() == ConfigVersion.V1ALPHA1 && file.last() == ConfigVersion.V1;
        String versions = file.first() == file.last()
                ? file.first().version()
                : file.first().version() + " to " + file.last().version();
        return code(file.path()) + (all ? "" : " (" + versions + ")");
    }

    private static String effect(SettingFlag flag) {
        return flag.noEffect().isEmpty() ? "" : " No effect (" + flag.code() + "): " + flag.noEffect() + ".";
    }

    private void fileOnly() {
        line("## Settings without a flag");
        line("");
        line("| field | value | default | before v1beta1 |");
        line("|---|---|---|---|");
        for (Setting setting : Settings.all()) {
            if (setting.flag().isEmpty()) {
                String now = setting.fileDefault(ConfigVersion.V1);
                String before = setting.fileDefault(ConfigVersion.V1ALPHA1);
                line("| " + place(setting) + " | " + setting.shape().goType() + " | " + code(now) + " | "
                        + (before.equals(now) ? "" : code(before)) + " |");
            }
        }
        line("");
        line("Defaults of fields in a file that differ from the default of the flag:");
        line("");
        line("| field | v1beta1 and later | before |");
        line("|---|---|---|");
        for (Setting setting : Settings.all()) {
            String now = setting.fileDefault(ConfigVersion.V1);
            String before = setting.fileDefault(ConfigVersion.V1ALPHA1);
            boolean other = !now.equals(setting.flagDefault()) || !before.equals(setting.flagDefault());
            if (!setting.flag().isEmpty() && other) {
                line("| " + code(setting.field()) + " | " + code(now) + " | " + code(before) + " |");
            }
        }
    }

    private void warnings() {
        Map<String, List<String>> codes = new TreeMap<>();
        for (Setting setting : SettingCatalog.withFlags()) {
            SettingFlag flag = setting.requireFlag();
            if (!flag.code().isEmpty()) {
                codes.computeIfAbsent(flag.code(), code -> new ArrayList<>()).add(code(flag.name()));
            }
        }
        if (codes.isEmpty()) {
            return;
        }
        line("");
        line("## Warnings about flags");
        line("");
        line("| code | flags |");
        line("|---|---|");
        codes.forEach((code, flags) -> line("| " + code + " | " + String.join(", ", flags) + " |"));
    }

    private static String code(String text) {
        return text.isEmpty() ? "" : "`" + cell(text) + "`";
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
