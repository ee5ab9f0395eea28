package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.options.CommonOptions.WithoutFormat;
import io.policyscheduler.cmd.run.SettingCatalog.Group;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.Compat;
import io.policyscheduler.framework.config.Setting.SettingFlag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Stack;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/** Adds a flag for each row of {@link SettingCatalog} to a command, in its groups. */
final class SettingFlags implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec spec) {
        spec.preprocessor(new Spellings());
        int order = 0;
        for (Group group : SettingCatalog.groups()) {
            ArgGroupSpec.Builder flags = ArgGroupSpec.builder()
                    .validate(false)
                    .heading("%n" + group.heading() + ":%n")
                    .order(order++);
            group.rows().forEach(setting -> flags.addArg(option(setting)));
            spec.addArgGroup(flags.build());
        }
        // config show has the same flags, and a result.
        return spec.userObject() instanceof RunCommand ? new WithoutFormat().transform(spec) : spec;
    }

    private static OptionSpec option(Setting setting) {
        SettingFlag flag = setting.requireFlag();
        OptionSpec.Builder option = OptionSpec.builder(flag.spellings().toArray(String[]::new))
                .paramLabel(flag.label())
                .description(escaped(setting.description() + shownDefault(setting)));
        if (setting.isList()) {
            // The row parses the text, so that flags and variables have the same syntax.
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
        String own = flag.displayedDefault().isEmpty() ? flag.byDefault() : flag.displayedDefault();
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

    /** Picocli uses descriptions as format strings. */
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

    /**
     * Normalizes the flags of a command line: {@code --leader_elect} and {@code --leader-elect} become
     * {@code --leader-elect=true}, {@code -v2} becomes {@code --v=2}, a boolean does not take the next argument, and the last one
     * of repeated flags wins. Mirrors {@code github.com/spf13/pflag}, with the underscores of {@code WordSepNormalizeFunc}.
     */
    static final class Spellings implements IParameterPreprocessor {
        private static final Pattern SHORT = Pattern.compile("(-[a-zA-Z])(?:=?(.+))?");

        /** A flag of this program, with its value if the same argument contains it. */
        private record Given(Setting setting, @Nullable String value) {}

        /** An argument, and the setting whose value it is, if any. */
        private record Written(String argument, @Nullable Setting setting) {}

        @Override
        @SuppressWarnings("JdkObsolete") // picocli's
        public boolean preprocess(
                Stack<String> args, CommandSpec spec, @Nullable ArgSpec arg, Map<String, Object> info) {
            List<String> given = new ArrayList<>(args);
            // The top of the stack is the next argument.
            Collections.reverse(given);
            List<String> written = new ArrayList<>(write(given));
            Collections.reverse(written);
            args.clear();
            args.addAll(written);
            return false;
        }

        /** The same arguments, normalized. */
        static List<String> write(List<String> args) {
            List<Written> written = new ArrayList<>();
            int i = 0;
            while (i < args.size()) {
                String arg = args.get(i++);
                if (arg.equals("--")) {
                    written.add(new Written(arg, null));
                    args.subList(i, args.size()).forEach(rest -> written.add(new Written(rest, null)));
                    break;
                }
                Optional<Given> found = read(arg);
                if (found.isEmpty()) {
                    written.add(new Written(arg, null));
                    continue;
                }
                Setting setting = found.get().setting();
                String value = found.get().value();
                if (value == null && setting.shape().kind() == Shape.Kind.BOOL) {
                    value = "true";
                } else if (value == null && i < args.size() && !isFlag(args.get(i))) {
                    value = args.get(i++);
                }
                written.add(new Written(setting.flag() + (value == null ? "" : "=" + value), setting));
            }
            return lastOnes(written);
        }

        private static boolean isFlag(String arg) {
            return arg.startsWith("--") && read(arg).isPresent();
        }

        private static Optional<Given> read(String arg) {
            if (arg.startsWith("--")) {
                int equals = arg.indexOf('=');
                String name = equals < 0 ? arg : arg.substring(0, equals);
                String value = equals < 0 ? null : arg.substring(equals + 1);
                return SettingCatalog.find(name.replace('_', '-')).map(setting -> new Given(setting, value));
            }
            Matcher matcher = SHORT.matcher(arg);
            return matcher.matches()
                    ? SettingCatalog.find(matcher.group(1)).map(setting -> new Given(setting, matcher.group(2)))
                    : Optional.empty();
        }

        private static List<String> lastOnes(List<Written> written) {
            Set<Setting> seen = new HashSet<>();
            List<String> kept = new ArrayList<>();
            for (int i = written.size() - 1; i >= 0; i--) {
                Setting setting = written.get(i).setting();
                if (setting == null || setting.isList() || seen.add(setting)) {
                    kept.add(written.get(i).argument());
                }
            }
            Collections.reverse(kept);
            return kept;
        }
    }
}
