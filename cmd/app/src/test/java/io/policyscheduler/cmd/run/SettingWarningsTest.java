package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.run.SettingTree.Patch;
import io.policyscheduler.cmd.run.SettingTree.Warnings;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.Compat;
import io.policyscheduler.framework.config.Setting.SettingFlag;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SettingWarningsTest {
    private static List<String> warnings(Setting setting, String text) {
        Patch defaults = Patch.defaults(SettingCatalog.withFlags(), Compat.NONE);
        return Warnings.of(SettingTree.of(defaults, Patch.ofFlags(Map.of(setting, setting.parse(text)))));
    }

    private static String sample(Setting setting) {
        boolean falseIsHarmless = setting.requireFlag().harmless().contains("false");
        return switch (setting.shape().kind()) {
            case BOOL -> falseIsHarmless ? "true" : "false";
            case INT32, FLOAT -> "7";
            default -> "something";
        };
    }

    @Test
    void eachFlagWithoutEffectHasOneLine() {
        Set<String> codes = new TreeSet<>();
        Map<String, List<String>> actual = new LinkedHashMap<>();
        Map<String, List<String>> expected = new LinkedHashMap<>();
        for (Setting setting : SettingCatalog.withFlags()) {
            SettingFlag flag = setting.requireFlag();
            // A log line that is written twice needs no warning.
            if (!flag.noEffect().isEmpty() && !flag.harmless().containsAll(List.of("true", "false"))) {
                codes.add(flag.code());
                actual.put(flag.name(), warnings(setting, sample(setting)));
                expected.put(
                        flag.name(), List.of(flag.code() + " " + flag.name() + " has no effect: " + flag.noEffect()));
            }
            flag.harmless().stream()
                    .filter(value -> !value.isEmpty())
                    .forEach(value -> assertEquals(List.of(), warnings(setting, value), flag.name()));
        }
        assertEquals(expected, actual);
        assertEquals(Set.of("W140", "W141", "W142", "W144", "W145", "W146", "W147", "W148"), codes);
    }

    @Test
    void aFlagThatIsHonouredHasNone() {
        for (Setting setting : SettingCatalog.withFlags()) {
            SettingFlag flag = setting.requireFlag();
            assertEquals(flag.noEffect().isEmpty(), flag.code().isEmpty(), flag.name());
            assertTrue(!flag.noEffect().isEmpty() || flag.harmless().isEmpty(), flag.name());
        }
    }

    @Test
    void theDefaultsAndFilesAreNotWarnedOf() {
        for (Compat compat : Compat.values()) {
            Patch defaults = Patch.defaults(SettingCatalog.withFlags(), compat);
            assertEquals(List.of(), Warnings.of(SettingTree.of(defaults)));
        }
    }
}
