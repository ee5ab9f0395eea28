package io.policyscheduler.cmd.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.policyscheduler.cmd.options.CommandGroup;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.settings.SettingKeys;
import io.policyscheduler.cmd.sources.ProfilePlan;
import io.policyscheduler.engine.document.GoDuration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.OptionSpec;

/** {@code config}: what {@code run} would be told. */
@Command(
        name = "config",
        description = "Shows the settings of a scheduler.",
        subcommands = ConfigCommand.Show.class,
        sortOptions = false)
public final class ConfigCommand extends CommandGroup {
    /** {@code config show}. */
    @Command(
            name = "show",
            description = {
                "Prints every setting that run would have with the same flags, and where it comes from: a flag, a",
                "variable of the environment, the configuration file with its line, or the default."
            },
            sortOptions = false)
    static final class Show extends SchedulerArguments implements Callable<Integer> {
        private record Setting(String flag, String value, String source) {}

        @Override
        public Integer call() {
            new ProfilePlan(profileRequest()).check();
            options(releaseOptions.unknown(policyOptions.gates()));
            leaderElection.settings(schedulerName);
            List<Setting> settings = settings();
            common.output().write(() -> print(settings), () -> json(settings));
            return ExitCode.OK;
        }

        private List<Setting> settings() {
            IDefaultValueProvider provider = spec.defaultValueProvider();
            List<Setting> settings = new ArrayList<>();
            for (OptionSpec option : spec.options()) {
                String flag = option.longestName();
                if (option.usageHelp() || flag.equals("--output") || flag.equals("--debug")) {
                    continue;
                }
                String source = "default";
                if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                    source = "flag " + flag;
                } else if (provider instanceof LayeredDefaults layered) {
                    source = layered.layers()
                            .find(flag)
                            .map(value -> value.source())
                            .orElse(source);
                }
                settings.add(new Setting(flag, text(option.getValue()), source));
            }
            return settings;
        }

        private static String text(@Nullable Object value) {
            if (value instanceof List<?> list) {
                return list.stream().map(String::valueOf).collect(Collectors.joining(","));
            }
            if (value instanceof Duration duration) {
                return GoDuration.format(duration);
            }
            return value == null ? "" : value.toString();
        }

        private void print(List<Setting> settings) {
            TextTable table = new TextTable().text("SETTING").text("VALUE").text("SOURCE");
            settings.forEach(setting -> table.row(setting.flag().substring(2), setting.value(), setting.source()));
            table.print(common.out());
        }

        private static ArrayNode json(List<Setting> settings) {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            for (Setting setting : settings) {
                String field = SettingKeys.field(setting.flag());
                array.addObject()
                        .put("setting", setting.flag().substring(2))
                        .put("value", setting.value())
                        .put("source", setting.source())
                        .put("field", field == null ? "" : field)
                        .put("variable", SettingKeys.variable(setting.flag()));
            }
            return array;
        }
    }
}
