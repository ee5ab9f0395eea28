package io.policyscheduler.cmd.run;

import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.framework.config.setting.Setting;
import io.policyscheduler.framework.config.setting.Settings;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The flags that rows of {@link Settings} describe; other flags with a row stand where their values are used. */
final class SettingFlags implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec spec) {
        for (Setting setting : Settings.all()) {
            if (!setting.description().isEmpty() && spec.findOption(setting.flag()) == null) {
                spec.addOption(option(setting));
            }
        }
        return spec;
    }

    private static OptionSpec option(Setting setting) {
        OptionSpec.Builder option = OptionSpec.builder(setting.flag())
                .defaultValue(setting.flagDefault())
                .description(setting.description());
        if (setting.shape().kind() == Shape.Kind.BOOL) {
            return option.type(Boolean.class)
                    .paramLabel("BOOL")
                    .arity("0..1")
                    .fallbackValue("true")
                    .build();
        }
        return option.type(Integer.class).paramLabel("N").arity("1").build();
    }

    static boolean flag(CommandSpec spec, Setting setting) {
        return Boolean.TRUE.equals(spec.findOption(setting.flag()).getValue());
    }

    /** The number of a flag, in the range of its setting; another one is a usage error. */
    static int number(CommandSpec spec, Setting setting) {
        int number = unchecked(spec, setting);
        setting.problem(number).ifPresent(problem -> {
            throw invalid(spec, setting, number, problem);
        });
        return number;
    }

    static int unchecked(CommandSpec spec, Setting setting) {
        Integer value = spec.findOption(setting.flag()).getValue();
        return value == null ? Integer.parseInt(setting.flagDefault()) : value;
    }

    /** A value that makes no sense, in the words of configurations. */
    static ParameterException invalid(CommandSpec spec, Setting setting, long value, String problem) {
        return new ParameterException(
                spec.commandLine(), setting.field() + ": Invalid value: " + value + ": " + problem);
    }
}
