package io.policyscheduler.cmd.options;

import com.google.common.hash.Hashing;
import io.policyscheduler.cmd.report.HtmlReport;
import io.policyscheduler.cmd.report.HtmlReport.Origin;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Picocli mixin: {@code --html}. */
public final class HtmlOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Also write an HTML report to FILE. The file is self-contained.")
    private @Nullable Path file;

    /** Returns whether a report is requested. */
    public boolean isGiven() {
        return file != null;
    }

    /**
     * Checks that the directory of the report exists.
     *
     * @throws InputException if it does not
     */
    public void check() {
        Path folder = file == null ? null : file.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new InputException("--html " + file + ": no such folder: " + folder);
        }
    }

    /**
     * Writes the report, if it is requested.
     *
     * @param clock for the time of the report
     * @throws InputException if it cannot be written
     */
    public void write(InstantSource clock, Supplier<PageContent> content) {
        if (file == null) {
            return;
        }
        try {
            HtmlReport.write(file, content.get(), Origins.of(spec, clock.instant()));
        } catch (IOException e) {
            throw new InputException("cannot write " + file + ": " + e, e);
        }
    }

    /** Quotes an argument for a shell; user name and password in a URL are replaced. */
    public static String quoted(String argument) {
        return Origins.quoted(argument);
    }

    /** The origin of a result: the command line and the files that it names. */
    static final class Origins {
        /** Options whose files are output or contain credentials. */
        private static final Set<String> NOT_READ = Set.of(
                "--html", "--log", "--report", "--metrics", "--config-file", "--extender-policy", "--kubeconfig");

        /** Labels of arguments that contain a file name. */
        private static final Pattern NAMES_FILE = Pattern.compile("FILE|SCHEDULER|CONFIG|JAR");

        /** User name and password in a URL. */
        private static final Pattern USER = Pattern.compile("(?<=://)[^/@\\s]+@");

        private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./#-]+");

        private Origins() {}

        /**
         * The command, its inputs, and the time of a report.
         *
         * @throws IOException when a file can no longer be read
         */
        static Origin of(CommandSpec spec, Instant when) throws IOException {
            CommandSpec program = spec.root();
            String command = program.commandLine().getParseResult().originalArgs().stream()
                    .map(Origins::quoted)
                    .collect(Collectors.joining(" "));
            String[] version = program.version();
            return new Origin(
                    when,
                    version.length == 0 ? "policy-scheduler" : version[0],
                    program.name() + " " + command,
                    files(spec));
        }

        /** Quoted for a shell. */
        private static String quoted(String argument) {
            String shown = USER.matcher(argument).replaceAll("...@");
            return PLAIN.matcher(shown).matches() ? shown : "'" + shown.replace("'", "'\\''") + "'";
        }

        private static List<Origin.Source> files(CommandSpec spec) throws IOException {
            Map<String, Path> files = new LinkedHashMap<>();
            for (ArgSpec argument : spec.commandLine().getParseResult().matchedArgs()) {
                boolean isRead = !(argument instanceof OptionSpec option && NOT_READ.contains(option.longestName()));
                if (isRead && NAMES_FILE.matcher(argument.paramLabel()).find()) {
                    argument.originalStringValues().forEach(value -> find(value, files));
                }
            }
            Map<String, String> hashes = new LinkedHashMap<>();
            for (Map.Entry<String, Path> file : files.entrySet()) {
                hashes.put(
                        file.getKey(),
                        com.google.common.io.Files.asByteSource(file.getValue().toFile())
                                .hash(Hashing.sha256())
                                .toString());
            }
            return hashes.entrySet().stream()
                    .map(hash -> new Origin.Source(hash.getKey(), hash.getValue()))
                    .toList();
        }

        /** The file of a scheduler: {@code FILE}, also as part of {@code legacy:policy:FILE} or {@code config:FILE#PROFILE}. */
        private static void find(String value, Map<String, Path> files) {
            String rest = value;
            while (true) {
                String name = rest;
                int profile = name.lastIndexOf('#');
                if (isFile(name)) {
                    files.put(name, Path.of(name));
                    return;
                }
                if (profile > 0 && isFile(name.substring(0, profile))) {
                    files.put(name.substring(0, profile), Path.of(name.substring(0, profile)));
                    return;
                }
                int colon = rest.indexOf(':');
                if (colon < 0) {
                    return;
                }
                rest = rest.substring(colon + 1);
            }
        }

        private static boolean isFile(String name) {
            try {
                return !name.isEmpty() && Files.isRegularFile(Path.of(name));
            } catch (InvalidPathException e) {
                return false;
            }
        }
    }
}
