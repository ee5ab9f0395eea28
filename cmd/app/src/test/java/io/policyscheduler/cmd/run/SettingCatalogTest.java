package io.policyscheduler.cmd.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.PolicyOptions.RuleExecutionOptions;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SnapshotOptions.ConnectionOptions;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.Compat;
import io.policyscheduler.framework.config.Setting.FlagGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

class SettingCatalogTest {
    private static final Path FLAGS = Path.of("src/test/resources/io/policyscheduler/cmd/run/flags.txt");

    private static String row(Setting setting) {
        return String.join(
                "|",
                String.join(" ", setting.requireFlag().spellings()),
                setting.isList() ? "LIST" : setting.shape().kind().toString(),
                setting.flagDefault(Compat.NONE),
                setting.flagDefault(Compat.V1_17),
                setting.variable(),
                setting.field());
    }

    /** Spellings, type, default, default of 1.17, variable, and field of each flag; any change of a flag changes this table. */
    @Test
    void everyFlagWithItsSpellingsAndDefaults() throws IOException {
        String rows = SettingCatalog.withFlags().stream()
                .map(SettingCatalogTest::row)
                .collect(Collectors.joining("\n", "", "\n"));
        if (Boolean.getBoolean("renew")) {
            Files.writeString(FLAGS, rows);
        }
        assertEquals(
                Files.readString(FLAGS),
                rows,
                "this writes the table anew: mvn test -pl cmd/app -Dtest=SettingCatalogTest -Drenew=true");
    }

    @Test
    void everyFlagSaysWhatItIs() {
        for (Setting setting : SettingCatalog.withFlags()) {
            assertTrue(setting.description().endsWith("."), setting.flag());
            assertFalse(setting.description().contains("default:"), setting.flag());
        }
    }

    @ParameterizedTest
    @CsvSource({"ARGUMENTS", "ANY", "BYTES"})
    void aFlagOfATypeThatNoTextHasIsFoundAtOnce(Shape.Kind kind) {
        Shape shape = new Shape(kind, "some.Type", List.of(), null, false);
        assertEquals(
                "--odd: no flag can have values of the type some.Type",
                assertThrows(
                                IllegalStateException.class,
                                () -> Setting.ofFlag("--odd", shape)
                                        .in(FlagGroup.LOG)
                                        .row())
                        .getMessage());
    }

    @Test
    void aDefaultThatIsNoValueIsFoundAtOnce() {
        assertEquals(
                "--odd: its default is no value of it: 'soon' is not a duration (such as 15s, 1m30s or 500ms)",
                assertThrows(
                                IllegalStateException.class,
                                () -> Setting.ofFlag("--odd", Shape.DURATION)
                                        .in(FlagGroup.LOG)
                                        .standard("soon")
                                        .row())
                        .getMessage());
    }

    /** Flags that other commands share have the same description. */
    @Test
    void sharedFlagsSayTheSameEverywhere() {
        Set<Class<?>> shared = Set.of(
                PolicyOptions.class,
                ConnectionOptions.class,
                ReleaseOptions.class,
                PluginOptions.class,
                RuleExecutionOptions.class);
        Set<String> compared = new TreeSet<>();
        Set<String> offline = new TreeSet<>();
        List<String> different = new ArrayList<>();
        for (CommandLine command : Main.commandLine().getSubcommands().values()) {
            for (CommandSpec mixin : command.getCommandSpec().mixins().values()) {
                if (shared.contains(mixin.userObject().getClass())) {
                    for (OptionSpec option : mixin.options()) {
                        if (SettingCatalog.find(option.longestName()).isEmpty()) {
                            offline.add(option.longestName());
                            continue;
                        }
                        compared.add(option.longestName());
                        difference(command.getCommandName(), option).ifPresent(different::add);
                    }
                }
            }
        }
        assertEquals(List.of(), different);
        // run takes the current context, as kube-scheduler does, and the values of tables from the sources that
        // the policy names.
        assertEquals(Set.of("--context", "--table"), offline);
        assertEquals(
                Set.of(
                        "--feature-gates",
                        "--hard-pod-affinity-symmetric-weight",
                        "--ignore-newer-fields",
                        "--kubeconfig",
                        "--master",
                        "--plugin-path",
                        "--plugin-sha256",
                        "--release",
                        "--rule-executor",
                        "--rules",
                        "--strict-v1.17",
                        "--verify-rules"),
                compared);
    }

    private static Optional<String> difference(String command, OptionSpec option) {
        Setting setting = SettingCatalog.find(option.longestName()).orElseThrow();
        String said = String.join(" ", option.description())
                .replaceFirst(" \\(default: [^)]*\\)", "")
                .replace("%%", "%");
        String byDefault = option.defaultValue() == null ? "" : option.defaultValue();
        boolean isSwitch = setting.shape().kind() == Shape.Kind.BOOL;
        // Picocli adds the syntax of a list to the label.
        String label = option.paramLabel();
        String list = label + "[" + option.splitRegex() + label + "...]";
        boolean same = said.equals(setting.description())
                && (isSwitch
                        || Set.of(label, list).contains(setting.requireFlag().label()))
                && (isSwitch || byDefault.equals(setting.flagDefault()));
        return same ? Optional.empty() : Optional.of(command + " " + option.longestName() + ": " + said);
    }
}
