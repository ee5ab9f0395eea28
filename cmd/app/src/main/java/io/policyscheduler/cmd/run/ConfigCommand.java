package io.policyscheduler.cmd.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.options.CommonOptions.Group;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.run.SettingTree.Value;
import io.policyscheduler.cmd.sources.ProfilePlan;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Settings;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** {@code config}: shows the effective settings of {@code run}. */
@Command(
        name = "config",
        description = "Shows the settings of a scheduler.",
        subcommands = ConfigCommand.Show.class,
        sortOptions = false)
public final class ConfigCommand extends Group {
    /** {@code config show}. */
    @Command(
            name = "show",
            description = "Prints the value of every setting of run and its source: flag, environment variable,"
                    + " line of the configuration file, or default.",
            customSynopsis = "policy-scheduler config show [FLAG...]",
            sortOptions = false)
    static final class Show extends SchedulerArguments implements Callable<Integer> {
        private record SettingLine(Setting setting, String value, String source) {
            String name() {
                return setting.flag().isEmpty()
                        ? setting.field()
                        : setting.flag().substring(2);
            }
        }

        Show() {
            this(System.getenv());
        }

        Show(Map<String, String> environment) {
            super(environment);
        }

        @Override
        public Integer call() {
            new ProfilePlan(profileRequest()).check();
            check();
            warn(warnings());
            List<SettingLine> settings = new ArrayList<>();
            SettingCatalog.withFlags().forEach(setting -> settings.add(shown(setting)));
            configFile().configuration().ifPresent(file -> settings.addAll(withoutFlags(file)));
            common.output().write(() -> print(settings), () -> json(settings));
            return ExitCode.OK;
        }

        private SettingLine shown(Setting setting) {
            Optional<Value> value = settings().find(setting);
            boolean nobodySays = value.isEmpty() || value.get().layer() == Value.Layer.DEFAULT;
            if (setting.equals(Settings.SCHEDULER_NAME) && nobodySays) {
                Optional<SettingLine> names = configFile().configuration().flatMap(Show::namesOfProfiles);
                if (names.isPresent()) {
                    return names.get();
                }
            }
            boolean named = PolicyArguments.OF_SOURCE.contains(setting);
            return new SettingLine(
                    setting,
                    // A flag for another source replaces that of the file.
                    named
                            ? PolicyArguments.source(settings(), setting)
                            : value.map(Value::text).orElse(""),
                    value.map(Value::source).orElse(Value.BY_DEFAULT));
        }

        /** The settings of a file that have no flag. The address for metrics is empty if flags set the port. */
        private List<SettingLine> withoutFlags(SchedulerConfiguration file) {
            List<SettingLine> shown = new ArrayList<>();
            for (Setting setting : Settings.all()) {
                String given = file.given().get(setting.field());
                if (given != null && setting.flag().isEmpty()) {
                    boolean metrics = setting.equals(Settings.METRICS_ADDRESS);
                    shown.add(
                            new SettingLine(setting, metrics ? metricsAddress() : given, place(file, setting.field())));
                }
            }
            return shown;
        }

        private String metricsAddress() {
            InetSocketAddress address = plain().metrics();
            return address == null ? "" : ListenAddress.text(address);
        }

        private static String place(SchedulerConfiguration file, String field) {
            return "file " + file.file()
                    + file.positions()
                            .of(field)
                            .map(position -> ":" + position.line())
                            .orElse("");
        }

        /** In versions with profiles, the profiles have the names. */
        private static Optional<SettingLine> namesOfProfiles(SchedulerConfiguration configuration) {
            if (configuration.version() == ConfigVersion.V1ALPHA1) {
                return Optional.empty();
            }
            String names = configuration.profiles().stream()
                    .map(ProfileConfiguration::schedulerName)
                    .collect(Collectors.joining(","));
            return Optional.of(
                    new SettingLine(Settings.SCHEDULER_NAME, names, place(configuration, "profiles[0].schedulerName")));
        }

        private void print(List<SettingLine> settings) {
            TextTable table = new TextTable().text("SETTING").text("VALUE").text("SOURCE");
            settings.forEach(shown -> table.row(shown.name(), shown.value(), shown.source()));
            table.print(common.out());
        }

        private static ArrayNode json(List<SettingLine> settings) {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            for (SettingLine shown : settings) {
                array.addObject()
                        .put("setting", shown.name())
                        .put("value", shown.value())
                        .put("source", shown.source())
                        .put("field", shown.setting().field())
                        .put("variable", shown.setting().variable());
            }
            return array;
        }
    }
}
