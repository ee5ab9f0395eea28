package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.settings.SettingCatalog;
import io.policyscheduler.cmd.settings.SettingGroup;
import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.Compat;
import io.policyscheduler.framework.config.Setting.SettingFlag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/** Gives a command a flag for each row of {@link SettingCatalog}, in its groups. */
final class SettingFlags implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec spec) {
        spec.preprocessor(new FlagSpellings());
        int order = 0;
        for (SettingGroup group : SettingCatalog.groups()) {
            ArgGroupSpec.Builder flags = ArgGroupSpec.builder()
                    .validate(false)
                    .heading("%n" + group.heading() + ":%n")
                    .order(order++);
            group.rows().forEach(setting -> flags.addArg(option(setting)));
            spec.addArgGroup(flags.build());
        }
        return spec;
    }

    private static OptionSpec option(Setting setting) {
        SettingFlag flag = setting.requireFlag();
        OptionSpec.Builder option = OptionSpec.builder(flag.spellings().toArray(String[]::new))
                .paramLabel(flag.label())
                .description(escaped(setting.description() + shownDefault(setting)));
        if (setting.isList()) {
            // Taken apart with the row, so that a flag and a variable are taken apart alike.
            return option.type(List.class)
                    .auxiliaryTypes(String.class)
                    .arity("1")
                    .build();
        }
        ITypeConverter<Object> converter = text -> parse(setting, text);
        option.type(type(setting)).converters(converter);
        return setting.shape().kind() == Shape.Kind.BOOL
                ? option.arity("0..1").fallbackValue("true").build()
                : option.arity("1").build();
    }

    private static Class<?> type(Setting setting) {
        return switch (setting.shape().kind()) {
            case BOOL -> Boolean.class;
            case INT32 -> Integer.class;
            case INT64 -> Long.class;
            case FLOAT -> Double.class;
            case DURATION -> Duration.class;
            default -> String.class;
        };
    }

    private static Object parse(Setting setting, String text) {
        try {
            return setting.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }

    private static String shownDefault(Setting setting) {
        SettingFlag flag = setting.requireFlag();
        String own = flag.shownDefault().isEmpty() ? flag.byDefault() : flag.shownDefault();
        String in117 = flag.in117().equals(flag.byDefault())
                ? ""
                : "with --compat " + Compat.V1_17.text() + ": " + flag.in117();
        List<String> told = new ArrayList<>();
        if (!own.isEmpty()) {
            told.add("default: " + own);
        }
        if (!in117.isEmpty()) {
            told.add(in117);
        }
        return told.isEmpty() ? "" : " (" + String.join("; ", told) + ").";
    }

    /** Picocli takes descriptions for formats. */
    private static String escaped(String text) {
        return text.replace(". (", " (").replace("%", "%%");
    }

    /** The flags of a command line with their values. */
    static Map<Setting, Object> given(ParseResult result) {
        Map<Setting, Object> given = new LinkedHashMap<>();
        for (Setting setting : SettingCatalog.withFlags()) {
            Object value = result.hasMatchedOption(setting.flag())
                    ? result.matchedOption(setting.flag()).getValue()
                    : null;
            if (value != null) {
                given.put(setting, setting.isList() ? all(setting, (List<?>) value) : value);
            }
        }
        return given;
    }

    private static List<String> all(Setting setting, List<?> texts) {
        List<String> all = new ArrayList<>();
        for (Object text : texts) {
            ((List<?>) setting.parse(String.valueOf(text))).forEach(part -> all.add(String.valueOf(part)));
        }
        return List.copyOf(all);
    }
}
