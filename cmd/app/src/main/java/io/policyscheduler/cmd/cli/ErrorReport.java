package io.policyscheduler.cmd.cli;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.ExitCode.ClusterFailure;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Verdict;
import io.policyscheduler.engine.algorithm.Suggestions;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints usage errors, input errors, and internal errors, each in one line. */
public final class ErrorReport implements IParameterExceptionHandler, IExecutionExceptionHandler {
    private static final String READ_ENOUGH = "Broken pipe";

    private final BooleanSupplier debug;

    /** @param debug whether to print stack traces; evaluated when an error happens */
    public ErrorReport(BooleanSupplier debug) {
        this.debug = debug;
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        TerminalWriter.print(err, Verdict.BAD, "error:");
        err.println(" " + UsageText.of(e));
        err.println("see " + command.getCommandSpec().qualifiedName() + " --help");
        trace(e, err, List.of(args).contains("--debug"));
        return ExitCode.USAGE;
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult result) {
        PrintWriter err = command.getErr();
        command.getOut().flush();
        int code = code(e);
        if (code == ExitCode.BUG) {
            err.println(
                    "error: internal error: " + e + (debug.getAsBoolean() ? "" : "; use --debug for the stack trace"));
        } else {
            String.valueOf(e.getMessage()).lines().forEach(line -> {
                TerminalWriter.print(err, Verdict.BAD, "error:");
                err.println(" " + line);
            });
        }
        trace(e, err, debug.getAsBoolean());
        return code;
    }

    /**
     * Returns the exit code of a command after its output is flushed.
     *
     * @param failure the error of writing the output; null if all of it was written
     * @param code of the command itself
     */
    static int written(@Nullable IOException failure, int code, PrintWriter err) {
        // A reader such as head closes the pipe early, which is not an error.
        if (failure == null || READ_ENOUGH.equals(failure.getMessage())) {
            return code;
        }
        err.println("error: cannot write the output: " + failure.getMessage() + "; the output is incomplete");
        return code == ExitCode.OK || code == ExitCode.NEGATIVE ? ExitCode.BAD_INPUT : code;
    }

    private static int code(Exception e) {
        if (e instanceof InputException) {
            return ExitCode.BAD_INPUT;
        }
        return e instanceof ClusterFailure ? ExitCode.CLUSTER_TROUBLE : ExitCode.BUG;
    }

    private static void trace(Exception e, PrintWriter err, boolean requested) {
        if (requested) {
            e.printStackTrace(err);
        }
    }

    /**
     * Ends the process if a thread ends with an exception, because the process without it would be incomplete and look healthy.
     * Only the first exception is printed.
     */
    static final class FatalErrors implements Thread.UncaughtExceptionHandler {
        private final PrintWriter err;
        private final boolean debug;
        private final IntConsumer exit;
        private final IntConsumer halt;
        private final AtomicBoolean reported = new AtomicBoolean();

        /**
         * @param debug whether to print stack traces
         * @param exit ends the process after its shutdown hooks, which release the lease
         * @param halt ends the process immediately
         */
        FatalErrors(PrintWriter err, boolean debug, IntConsumer exit, IntConsumer halt) {
            this.err = err;
            this.debug = debug;
            this.exit = exit;
            this.halt = halt;
        }

        /** Installs the handler for all threads of this process. */
        static void install(PrintWriter err, boolean debug) {
            Thread.setDefaultUncaughtExceptionHandler(new FatalErrors(
                    err, debug, System::exit, code -> Runtime.getRuntime().halt(code)));
        }

        @Override
        public void uncaughtException(Thread thread, Throwable cause) {
            if (!reported.compareAndSet(false, true)) {
                return;
            }
            boolean isWorkable = !(cause instanceof OutOfMemoryError || cause instanceof InternalError);
            try {
                String text = String.valueOf(cause).lines().findFirst().orElse("");
                err.println("error: the thread " + thread.getName() + " failed; the process exits: " + text
                        + (debug ? "" : "; use --debug for the stack trace"));
                if (debug) {
                    cause.printStackTrace(err);
                }
                err.flush();
            } finally {
                (isWorkable ? exit : halt).accept(ExitCode.BUG);
            }
        }
    }

    /**
     * Ends a process whose heap is too small. The serial collector has no limit for its share of the time: if the heap is almost full, the
     * process would collect garbage for hours instead of failing with an OutOfMemoryError. Other collectors are not checked.
     */
    static final class GcOverheadLimit implements Runnable {
        private static final Duration WINDOW = Duration.ofMinutes(1);

        /** One window can be a short peak of load. */
        private static final int WINDOWS = 2;

        private static final int MAX_TIME_PERCENT = 50;
        private static final int MIN_FREE_PERCENT = 5;

        /** The collectors of young and old objects of -XX:+UseSerialGC. */
        private static final Set<String> SERIAL = Set.of("Copy", "MarkSweepCompact");

        /**
         * The heap after its last collection.
         *
         * @param gcMillis time of all collections since the start of the process, ms
         * @param freePercent free part of the maximum heap
         */
        record HeapUsage(long gcMillis, long freePercent) {
            static HeapUsage ofProcess() {
                long millis = ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                        .sum();
                long used = ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null)
                        .mapToLong(pool -> pool.getCollectionUsage().getUsed())
                        .sum();
                // The pools were last collected at different times, so that the sum can exceed the maximum.
                return new HeapUsage(
                        millis,
                        Math.max(0, 100 - 100 * used / Runtime.getRuntime().maxMemory()));
            }
        }

        /** A wait, as that of {@link Thread#sleep(long)}. */
        interface Sleeper {
            void sleep(Duration time) throws InterruptedException;
        }

        private final Duration window;
        private final boolean hasLauncher;
        private final Supplier<Set<String>> collectors;
        private final Supplier<HeapUsage> usage;
        private final LongSupplier nanos;
        private final Sleeper sleeper;
        private final PrintWriter err;
        private final IntConsumer halt;

        /**
         * @param hasLauncher whether a script started the process, which reads POLICY_SCHEDULER_JAVA_OPTS; else it is in a container
         * @param collectors names of the garbage collectors
         * @param halt ends the process immediately, because shutdown hooks may need memory
         */
        GcOverheadLimit(
                Duration window,
                boolean hasLauncher,
                Supplier<Set<String>> collectors,
                Supplier<HeapUsage> usage,
                LongSupplier nanos,
                Sleeper sleeper,
                PrintWriter err,
                IntConsumer halt) {
            this.window = window;
            this.hasLauncher = hasLauncher;
            this.collectors = collectors;
            this.usage = usage;
            this.nanos = nanos;
            this.sleeper = sleeper;
            this.err = err;
            this.halt = halt;
        }

        /** Starts the checks of this process; {@code hasLauncher} as in the constructor. */
        static void start(PrintWriter err, boolean hasLauncher) {
            start(err, hasLauncher, WINDOW);
        }

        static void start(PrintWriter err, boolean hasLauncher, Duration window) {
            Thread thread = new Thread(
                    new GcOverheadLimit(
                            window,
                            hasLauncher,
                            () -> ManagementFactory.getGarbageCollectorMXBeans().stream()
                                    .map(GarbageCollectorMXBean::getName)
                                    .collect(Collectors.toUnmodifiableSet()),
                            HeapUsage::ofProcess,
                            System::nanoTime,
                            time -> Thread.sleep(time.toMillis()),
                            err,
                            code -> Runtime.getRuntime().halt(code)),
                    "gc-overhead-limit");
            thread.setDaemon(true);
            thread.start();
        }

        @Override
        public void run() {
            try {
                // The management classes are loaded after the first window, because short commands must start fast.
                sleeper.sleep(window);
                if (!collectors.get().equals(SERIAL)) {
                    return;
                }
                HeapUsage before = usage.get();
                int fullWindows = 0;
                while (true) {
                    long start = nanos.getAsLong();
                    sleeper.sleep(window);
                    HeapUsage now = usage.get();
                    long elapsed = Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - start));
                    long share = 100 * (now.gcMillis() - before.gcMillis()) / elapsed;
                    boolean isFull = share > MAX_TIME_PERCENT && now.freePercent() < MIN_FREE_PERCENT;
                    fullWindows = isFull ? fullWindows + 1 : 0;
                    if (fullWindows == WINDOWS) {
                        err.println("error: out of memory: garbage collection took " + Math.min(share, 100)
                                + " % of the last "
                                + window.toSeconds() + " s, and " + now.freePercent()
                                + " % of the heap are free; set a larger "
                                + (hasLauncher
                                        ? "heap, such as POLICY_SCHEDULER_JAVA_OPTS=-Xmx2g"
                                        : "memory limit of the container"));
                        err.flush();
                        halt.accept(ExitCode.BAD_INPUT);
                        return;
                    }
                    before = now;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The one-line message of a usage error: the value, the option, the reason, and a suggestion. */
    static final class UsageText {
        private static final String OPTION = "(?:Invalid value for option '([^']+)'(?: \\([^)]*\\))?: )";

        /** A message of picocli and its replacement. */
        private record Replacement(Pattern pattern, Function<Matcher, String> text) {
            static Replacement of(String regex, Function<Matcher, String> text) {
                return new Replacement(Pattern.compile(regex), text);
            }
        }

        private static final ImmutableList<Replacement> REWORDINGS = ImmutableList.of(
                Replacement.of(
                        "Missing required argument \\(specify one of these\\): \\((.*)\\)",
                        m -> "one of these is required: " + m.group(1).replace(" | ", ", ")),
                Replacement.of("Missing required parameters?: (.*)", m -> required(m.group(1))),
                Replacement.of("Missing required options?: (.*)", m -> required(m.group(1))),
                Replacement.of(
                        "Missing required parameter for option '([^']+)'.*? \\(([^)]*)\\)",
                        m -> m.group(1) + " requires a value: " + m.group(2)),
                Replacement.of(
                        ".*Expected parameter(?: \\([^)]*\\))? for option '([^']+)' but found '(.*)'",
                        m -> m.group(1) + " requires a value, found " + m.group(2)),
                Replacement.of(
                        "Expected parameter \\d+ \\(of (\\d+) mandatory parameters\\) for .*\\(([^)]*)\\) but found"
                                + " '(.*)'",
                        m -> m.group(1) + " arguments " + m.group(2) + " are required"
                                + (m.group(3).startsWith("-") ? "" : ", found " + m.group(3))),
                Replacement.of(
                        "positional parameter at index .*? \\(([^)]*)\\) requires at least (\\d+) values, but .*",
                        m -> m.group(2) + " arguments " + m.group(1) + " are required"),
                Replacement.of(
                        OPTION + "expected one of \\[(.*)\\] \\(case-(?:in)?sensitive\\) but was '(.*)'",
                        m -> m.group(1) + ": " + notOneOf(m.group(3), m.group(2))),
                Replacement.of(
                        OPTION + "'(.*)' is not an? (?:int|long)",
                        m -> m.group(1) + ": '" + m.group(2) + "' is not an integer"),
                Replacement.of(
                        OPTION + "'(.*)' is not a double", m -> m.group(1) + ": '" + m.group(2) + "' is not a number"),
                Replacement.of(
                        OPTION + "'(.*)' is not a boolean",
                        m -> m.group(1) + ": '" + m.group(2) + "' is not true or false"),
                Replacement.of(OPTION + "(.*)", m -> m.group(1) + ": " + m.group(2)),
                Replacement.of(
                        "Value for option option '([^']+)' \\(([^)]*)\\) should be in KEY=VALUE format but was (.*)",
                        m -> m.group(1) + ": '" + m.group(3) + "' is not " + m.group(2)),
                Replacement.of(
                        "(.*) are mutually exclusive \\(specify only one\\)", m -> "use only one of " + m.group(1)),
                Replacement.of(
                        "option '([^']+)' .*should be specified only once",
                        m -> m.group(1) + " is set more than once"));

        private UsageText() {}

        private static String required(String names) {
            return names.replace("'", "") + (names.contains(", ") ? " are required" : " is required");
        }

        /** Returns the message of an error in one line. */
        static String of(ParameterException e) {
            if (e instanceof UnmatchedArgumentException unmatched
                    && !unmatched.getUnmatched().isEmpty()) {
                return unmatched(unmatched);
            }
            String message = String.valueOf(e.getMessage())
                    .replaceAll("\\s*\\R\\s*", " ")
                    .replaceFirst("^Error: ", "")
                    .replaceFirst("for positional parameter at index \\S+ \\(([^)]*)\\):", "for option '$1':");
            for (Replacement rewording : REWORDINGS) {
                Matcher matcher = rewording.pattern().matcher(message);
                if (matcher.matches()) {
                    return rewording.text().apply(matcher) + swallowed(e.getCommandLine(), message);
                }
            }
            return message;
        }

        /** An option with several values also takes an argument that follows it. */
        private static String swallowed(CommandLine command, String message) {
            OptionSpec files = command.getCommandSpec().findOption("--cluster");
            boolean takesAll = files != null && files.arity().isVariable();
            return takesAll && message.startsWith("Missing required parameter:")
                    ? "; put it before --cluster, which takes all files that follow"
                    : "";
        }

        private static String notOneOf(String given, String choices) {
            Set<String> names = new LinkedHashSet<>();
            for (String choice : choices.split(", ")) {
                // Enum constants are upper case. Other names keep their case.
                names.add(choice.equals(choice.toUpperCase(Locale.ROOT)) ? lower(choice) : choice);
            }
            return "'" + given + "' is not one of " + String.join(", ", names)
                    + didYouMean(Suggestions.nearest(given, names));
        }

        private static String lower(String constant) {
            return constant.toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Flags of kube-scheduler, with the option of the commands that only read. */
        private static final Map<String, String> OF_KUBE = Map.of(
                "--policy-config-file", "--policy",
                "--policy-configmap", "--scheduler configmap:NAMESPACE/NAME",
                "--algorithm-provider", "--provider",
                "--config", "--scheduler config:FILE");

        /** Labels of the arguments that can be the file of a policy. */
        private static final Set<String> POLICY_ARGUMENTS = Set.of("FILE", "POLICY", "SCHEDULER");

        /** Flags of other schedulers, with their replacement here. */
        private static final Map<String, String> OF_OTHERS = Map.of(
                "--ip-resource", ": a rule counts the addresses of a node, as in policy-files/rules/underlay-ip.yaml");

        /**
         * Flags that kube-scheduler 1.8 to 1.12 accepted because a library registered them, and never used: those of cAdvisor, of
         * admission plugins, and of the GCE cloud provider.
         */
        private static final Pattern OF_LIBRARIES = Pattern.compile("--(allow-verification-with-non-compliant-keys"
                + "|application-metrics-count-limit|boot-id-file|cloud-provider-gce-lb-src-cidrs|container-hints|containerd"
                + "|default-(not-ready|unreachable)-toleration-seconds"
                + "|docker(-(env-metadata-whitelist|only|root|tls(-(ca|cert|key))?))?|enable-load-reader"
                + "|event-storage-(age|event)-limit|(global-)?housekeeping-interval"
                + "|ir-(data-source|dbname|hawkular|influxdb-host|namespace-only|password|percentile|user)"
                + "|log-cadvisor-usage|loglevel|machine-id-file|mesos-agent(-timeout)?"
                + "|storage-driver-(buffer-duration|db|host|password|secure|table|user))");

        private static String unmatched(UnmatchedArgumentException e) {
            String given = e.getUnmatched().get(0);
            CommandLine command = e.getCommandLine();
            if (given.startsWith("-") && given.length() > 1) {
                String flag = given.replaceFirst("=.*", "");
                String elsewhere = OF_LIBRARIES.matcher(flag).matches()
                        ? "; kube-scheduler 1.8 to 1.12 accepted it without effect: remove it"
                        : OF_OTHERS.getOrDefault(flag, "");
                return "unknown option " + flag + (elsewhere.isEmpty() ? didYouMean(known(flag, command)) : elsewhere);
            }
            Set<String> commands = command.getSubcommands().keySet();
            if (!commands.isEmpty()) {
                @Nullable String nearest = Suggestions.nearest(given, commands);
                return "unknown command '" + given + "'"
                        + (nearest == null
                                ? " (the commands are " + String.join(", ", commands) + ")"
                                : didYouMean(nearest));
            }
            String option = isFile(given) && holdsClusterObjects(given) ? "--cluster" : "--policy";
            boolean takes = command.getCommandSpec().findOption(option) != null && isFile(given);
            return "unexpected argument '" + given + "'" + didYouMean(takes ? option + " " + given : null);
        }

        /** The first kind in a document, as JSON or YAML. */
        private static final Pattern FIRST_KIND = Pattern.compile("\\bkind[\"']?\\s*:\\s*[\"']?(\\w+)");

        private static final Pattern CLUSTER_KIND = Pattern.compile(
                "(Pod|Node|Service|Deployment|ReplicaSet|ReplicationController|StatefulSet|Job|CronJob|DaemonSet|Namespace|"
                        + "PersistentVolume|PersistentVolumeClaim|StorageClass|CSINode|PodDisruptionBudget|PriorityClass)?(List)?");

        private static boolean holdsClusterObjects(String file) {
            // The kind is near the start, and a dump can be large.
            if (!Files.isRegularFile(Path.of(file))) {
                return false;
            }
            try (InputStream in = Files.newInputStream(Path.of(file))) {
                boolean zipped = file.endsWith(".gz");
                byte[] start = (zipped ? new GZIPInputStream(in) : in).readNBytes(64 << 10);
                Matcher kind = FIRST_KIND.matcher(new String(start, StandardCharsets.UTF_8));
                return kind.find() && CLUSTER_KIND.matcher(kind.group(1)).matches();
            } catch (IOException e) {
                return false;
            }
        }

        /** Returns the option for a flag of kube-scheduler, else the similar options. */
        private static @Nullable String known(String flag, CommandLine command) {
            String option = OF_KUBE.get(flag);
            boolean exists =
                    option != null && command.getCommandSpec().findOption(option.replaceFirst(" .*", "")) != null;
            if (exists) {
                return option;
            }
            boolean takesPolicy = command.getCommandSpec().positionalParameters().stream()
                    .anyMatch(argument -> POLICY_ARGUMENTS.contains(argument.paramLabel()));
            return flag.equals("--policy-config-file") && takesPolicy
                    ? "the file without an option"
                    : nearOptions(flag, command);
        }

        /** Returns the options that start with a flag, and the most similar one. */
        private static @Nullable String nearOptions(String flag, CommandLine command) {
            List<String> names = command.getCommandSpec().options().stream()
                    .filter(option -> !option.hidden())
                    .map(OptionSpec::names)
                    .flatMap(Arrays::stream)
                    .filter(name -> name.startsWith("--"))
                    .toList();
            @Nullable String nearest = Suggestions.nearest(flag, names);
            String near = names.stream()
                    .filter(name -> (flag.startsWith("--") && name.startsWith(flag)) || name.equals(nearest))
                    .collect(Collectors.joining(" or "));
            return near.isEmpty() ? null : near;
        }

        private static boolean isFile(String text) {
            try {
                return Files.isRegularFile(Path.of(text));
            } catch (InvalidPathException e) {
                return false;
            }
        }

        private static String didYouMean(@Nullable String suggestion) {
            return suggestion == null ? "" : " (did you mean " + suggestion + "?)";
        }
    }
}
