package io.policyscheduler.cmd.settings;

import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.framework.config.setting.Compat;
import io.policyscheduler.framework.config.setting.ConfigVersion;
import io.policyscheduler.framework.config.setting.FileField;
import io.policyscheduler.framework.config.setting.Setting;
import io.policyscheduler.framework.config.setting.SettingFlag;
import io.policyscheduler.framework.config.setting.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes {@code docs/settings.md} from the rows. */
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
                "Written from the rows of the program; a test keeps it so. A flag goes before a variable of the environment, the");
        line(
                "variable before the file of `--config`, the file before the default; `config show` tells what holds and who says it.");
        line(
                "Booleans are written `--flag`, `--flag=true` or `--flag=false` and never take the next argument; `_` may stand for");
        line("`-`; of a flag that is given twice the last one counts, unless it is a list, to which each one adds.");
        line("");
        line("*1.17* is the default with `--compat=1.17`, where it is another one. *File* is the field of");
        line("KubeSchedulerConfiguration, with the versions that have it where not all do.");
        line("");
    }

    private void group(SettingGroup group) {
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
        String own = flag.shownDefault().isEmpty() ? code(flag.byDefault()) : flag.shownDefault();
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
        line("## Only in files");
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
        line("What a file means that leaves out a field which has a flag, where that is not the flag's default:");
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
