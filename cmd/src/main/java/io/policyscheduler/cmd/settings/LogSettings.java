package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Verbosity and format of the log.
 *
 * @param verbosity as {@code -v} has it, from 0; null to leave the log as it is
 * @param modules packages and classes with a verbosity of their own, of which the first that fits counts
 * @param format of each line
 */
public record LogSettings(@Nullable Integer verbosity, List<Module> modules, Format format) {
    /** How a line is written. */
    public enum Format {
        TEXT,
        JSON
    }

    /**
     * A verbosity for some classes.
     *
     * @param prefix a package, with or without {@code io.policyscheduler.} in front, or the name of a class
     */
    public record Module(String prefix, int verbosity) {}

    public LogSettings {
        modules = ImmutableList.copyOf(modules);
    }

    /**
     * Returns the log settings.
     *
     * @throws IllegalArgumentException when one makes no sense; the message is for users
     */
    public static LogSettings of(SettingTree settings) {
        Optional<SettingValue> verbosity = settings.find(LoggingFlags.VERBOSITY);
        List<Module> modules = new ArrayList<>();
        for (String text : settings.texts(LoggingFlags.VMODULE)) {
            modules.add(module(text));
        }
        return new LogSettings(
                verbosity.isEmpty() ? null : Math.toIntExact(settings.number(LoggingFlags.VERBOSITY)),
                modules,
                settings.text(LoggingFlags.FORMAT).equals("json") ? Format.JSON : Format.TEXT);
    }

    private static Module module(String text) {
        int equals = text.lastIndexOf('=');
        Integer level = equals < 1 ? null : Ints.tryParse(text.substring(equals + 1));
        if (level == null || level < 0) {
            throw new IllegalArgumentException(
                    LoggingFlags.VMODULE.flag() + ": \"" + text + "\" is not PREFIX=LEVEL (such as cmd.kube=6)");
        }
        return new Module(text.substring(0, equals).replaceFirst("\\*$", ""), level);
    }
}
