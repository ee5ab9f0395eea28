package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.bench.BenchReport.Medians;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.ApiResponse.Stream;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.options.InputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One scheduler process on an API server with many pods: started, observed from outside, and stopped. */
final class ServerRun {
    private static final double NANOS = 1e9;
    private static final int PATIENCE_MILLIS = 1000;
    /** Each poll takes CPU time from the scheduler that is measured. */
    private static final int ASK_MILLIS = 100;

    private static final int OK = 200;

    private final KubeConnection connection;
    private final ServerLoad load;
    private final Path kubeconfig;
    private final String schedulerName;
    private final Duration limit;

    /** @param limit timeout for a scheduler */
    ServerRun(KubeConnection connection, ServerLoad load, Path kubeconfig, String schedulerName, Duration limit) {
        this.connection = connection;
        this.load = load;
        this.kubeconfig = kubeconfig;
        this.schedulerName = schedulerName;
        this.limit = limit;
    }

    /**
     * The measurements of a start.
     *
     * @param synced seconds until the scheduler reports that it is ready, to a tenth; NaN if it does not report this
     * @param firstBind seconds until its first pod was bound
     * @param cpu seconds of CPU time until then
     * @param restBytes resident memory when idle
     * @param loadBytes resident memory after binding many pods
     * @param peakBytes maximum resident memory
     */
    record SyncResult(
            String name, double synced, double firstBind, double cpu, long restBytes, long loadBytes, long peakBytes) {}

    /**
     * The measurements of a backlog.
     *
     * @param podsPerSecond from the start of the scheduler to the last bind
     * @param steady pods a second between the first and the last bind
     * @param cpu seconds of CPU time of the scheduler, from its start to the last bind
     * @param residentBytes resident memory at that time
     * @param median seconds from the start of the scheduler until half of the pods were bound
     * @param late the same for 99 % of the pods
     */
    record ThroughputResult(
            String name,
            double podsPerSecond,
            double steady,
            double cpu,
            long residentBytes,
            double median,
            double late) {}

    /** Starts a scheduler with one pending pod, waits until it is idle, and then measures how fast it binds many pods. */
    SyncResult sync(Contender contender, String prefix, Duration rest, int pending)
            throws IOException, InterruptedException {
        String first = prefix + "first-";
        String more = prefix + "more-";
        load.pending(first, 1, schedulerName, done -> {});
        int port = freePort();
        try (BoundPods bound = new BoundPods(connection, first);
                SchedulerProcess process = SchedulerProcess.start(
                        contender.name(), contender.command(kubeconfig.toString(), schedulerName, port))) {
            double synced = Double.NaN;
            if (contender.tellsReady()) {
                awaitReady(process, port);
                synced = (System.nanoTime() - process.started()) / NANOS;
            }
            double firstBind = (bound.await(1, process, limit).get(0) - process.started()) / NANOS;
            double cpu = process.cpuSeconds();
            Thread.sleep(rest.toMillis());
            long restBytes = process.residentBytes();
            if (pending > 0) {
                try (BoundPods others = new BoundPods(connection, more)) {
                    load.pending(more, pending, schedulerName, done -> {});
                    others.await(pending, process, limit);
                }
            }
            return new SyncResult(
                    contender.name(), synced, firstBind, cpu, restBytes, process.residentBytes(), process.peakBytes());
        } finally {
            load.delete(first, 1);
            load.delete(more, pending);
        }
    }

    private void awaitReady(SchedulerProcess process, int port) throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!isReady(port)) {
            process.requireAlive();
            if (System.nanoTime() - end > 0) {
                throw new IOException("after " + limit.toSeconds() + " s the scheduler is not ready");
            }
            TimeUnit.MILLISECONDS.sleep(ASK_MILLIS);
        }
    }

    private static boolean isReady(int port) {
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + port + "/readyz").toURL().openConnection();
            connection.setConnectTimeout(PATIENCE_MILLIS);
            connection.setReadTimeout(PATIENCE_MILLIS);
            return connection.getResponseCode() == OK;
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Creates a backlog, starts a scheduler, and waits until it has bound all. */
    ThroughputResult live(Contender contender, String prefix, int pending) throws IOException, InterruptedException {
        load.pending(prefix, pending, schedulerName, done -> {});
        int port = freePort();
        try (BoundPods bound = new BoundPods(connection, prefix);
                SchedulerProcess process = SchedulerProcess.start(
                        contender.name(), contender.command(kubeconfig.toString(), schedulerName, port))) {
            List<Long> times = bound.await(pending, process, limit);
            return throughput(
                    contender.name(), times, process.started(), process.cpuSeconds(), process.residentBytes());
        } finally {
            load.delete(prefix, pending);
        }
    }

    /** Creates a backlog and binds it directly, with one event each: the limit of the server. */
    ThroughputResult limit(String prefix, int pending, int nodes) throws IOException, InterruptedException {
        load.pending(prefix, pending, schedulerName, done -> {});
        try (BoundPods bound = new BoundPods(connection, prefix)) {
            long start = System.nanoTime();
            load.bindAll(prefix, pending, nodes);
            return throughput("(limit)", bound.await(pending, null, limit), start, Double.NaN, 0);
        } finally {
            load.delete(prefix, pending);
        }
    }

    private static ThroughputResult throughput(
            String name, List<Long> times, long start, double cpu, long residentBytes) {
        List<Double> seconds = new ArrayList<>();
        times.forEach(time -> seconds.add((time - start) / NANOS));
        int count = seconds.size();
        double last = seconds.get(count - 1);
        double between = last - seconds.get(0);
        return new ThroughputResult(
                name,
                count / last,
                between > 0 ? (count - 1) / between : count / last,
                cpu,
                residentBytes,
                seconds.get((count - 1) / 2),
                seconds.get((count - 1) * 99 / 100));
    }

    /** The median of each value over several runs of one scheduler. */
    static SyncResult middle(List<SyncResult> runs) {
        return new SyncResult(
                runs.get(0).name(),
                Medians.of(runs.stream().map(SyncResult::synced).toList()),
                Medians.of(runs.stream().map(SyncResult::firstBind).toList()),
                Medians.of(runs.stream().map(SyncResult::cpu).toList()),
                (long) Medians.of(
                        runs.stream().map(run -> (double) run.restBytes()).toList()),
                (long) Medians.of(
                        runs.stream().map(run -> (double) run.loadBytes()).toList()),
                (long) Medians.of(
                        runs.stream().map(run -> (double) run.peakBytes()).toList()));
    }

    /** The median of several backlogs. */
    static ThroughputResult middleOf(List<ThroughputResult> runs) {
        return new ThroughputResult(
                runs.get(0).name(),
                Medians.of(runs.stream().map(ThroughputResult::podsPerSecond).toList()),
                Medians.of(runs.stream().map(ThroughputResult::steady).toList()),
                Medians.of(runs.stream().map(ThroughputResult::cpu).toList()),
                (long) Medians.of(
                        runs.stream().map(run -> (double) run.residentBytes()).toList()),
                Medians.of(runs.stream().map(ThroughputResult::median).toList()),
                Medians.of(runs.stream().map(ThroughputResult::late).toList()));
    }

    /** Observes bound pods with its own watch. */
    static final class BoundPods implements AutoCloseable {
        private static final Duration IDLE = Duration.ofMinutes(30);
        private static final String PODS = "/api/v1/namespaces/" + ServerLoad.NAMESPACE + "/pods";
        private static final ObjectMapper JSON = new ObjectMapper();

        private final String prefix;
        private final Stream stream;
        private final Set<String> seen = new HashSet<>();
        private final List<Long> times = new ArrayList<>();
        private @Nullable String trouble;
        private boolean closed;

        /**
         * Starts the watch.
         *
         * @param prefix of the names of the pods that count
         */
        BoundPods(KubeConnection connection, String prefix) throws IOException {
            this.prefix = prefix;
            ApiResponse now = connection.get(PODS + "?limit=1");
            if (now.code() / 100 != 2) {
                throw new IOException(PODS + ": HTTP " + now.code() + ": " + now.message());
            }
            String version =
                    JSON.readTree(now.body()).at("/metadata/resourceVersion").asText();
            this.stream = connection.stream(PODS + "?watch=1&timeoutSeconds=3600&resourceVersion=" + version, IDLE);
            BufferedReader lines = new BufferedReader(new InputStreamReader(stream.open(), StandardCharsets.UTF_8));
            new ThreadFactoryBuilder()
                    .setNameFormat("bench-bound")
                    .setDaemon(true)
                    .build()
                    .newThread(() -> read(lines))
                    .start();
        }

        private void read(BufferedReader lines) {
            try (stream;
                    lines) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    JsonNode event = JSON.readTree(line);
                    String name = event.at("/object/metadata/name").asText();
                    if (name.startsWith(prefix)
                            && !event.at("/object/spec/nodeName").asText().isEmpty()) {
                        bound(name);
                    }
                }
                ended("the server closed it");
            } catch (IOException | RuntimeException e) {
                ended(ApiIoException.describe(e));
            }
        }

        private synchronized void bound(String name) {
            if (seen.add(name)) {
                times.add(System.nanoTime());
                notifyAll();
            }
        }

        private synchronized void ended(String why) {
            if (!closed) {
                trouble = "the watch of pods failed: " + why;
            }
            notifyAll();
        }

        /**
         * Waits until this number of pods is bound.
         *
         * @return the time of each bind, by {@link System#nanoTime}, in order
         * @throws IOException if the watch breaks, the scheduler ends, or the time is over
         */
        synchronized List<Long> await(int count, @Nullable SchedulerProcess scheduler, Duration limit)
                throws IOException, InterruptedException {
            long end = System.nanoTime() + limit.toNanos();
            while (times.size() < count) {
                if (trouble != null) {
                    throw new IOException(trouble);
                }
                if (scheduler != null) {
                    scheduler.requireAlive();
                }
                if (System.nanoTime() - end > 0) {
                    throw new IOException("after " + limit.toSeconds() + " s only " + times.size() + " of " + count
                            + " pods are bound; increase --limit, or check whether the nodes have enough resources");
                }
                TimeUnit.NANOSECONDS.timedWait(this, TimeUnit.MILLISECONDS.toNanos(100));
            }
            return List.copyOf(times);
        }

        @Override
        public void close() {
            synchronized (this) {
                closed = true;
            }
            // Closing belongs to the thread that reads.
            stream.cancel();
        }
    }

    /**
     * A scheduler that is measured.
     *
     * @param name for the table
     * @param command arguments of the process, with the placeholders {@link #KUBECONFIG}, {@link #SCHEDULER} and {@link #PORT}
     */
    record Contender(String name, List<String> command) {
        static final String KUBECONFIG = "{kubeconfig}";
        static final String SCHEDULER = "{name}";
        /** The address of {@code /readyz} over plain HTTP, if it has one. */
        static final String PORT = "{port}";

        Contender {
            command = List.copyOf(command);
        }

        /** This program's own {@code run}, with its default options. */
        static Contender own() {
            List<String> command = new ArrayList<>(program());
            command.addAll(List.of(
                    "run",
                    "--kubeconfig=" + KUBECONFIG,
                    "--algorithm-provider=DefaultProvider",
                    "--scheduler-name=" + SCHEDULER,
                    "--leader-elect=false",
                    "--status-address=127.0.0.1:" + PORT));
            return new Contender("policy-scheduler", command);
        }

        private static List<String> program() {
            @Nullable String home = System.getProperty("policyscheduler.home");
            if (home != null) {
                for (String place : new String[] {"cmd/policy-scheduler", "bin/policy-scheduler"}) {
                    Path script = Path.of(home, place);
                    if (Files.isExecutable(script)) {
                        return List.of(script.toString());
                    }
                }
            }
            return List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "io.policyscheduler.cmd.cli.Main");
        }

        /**
         * Parses another scheduler.
         *
         * @param text {@code NAME=COMMAND}, with the arguments of the command separated by spaces
         * @throws InputException if it is invalid
         */
        static Contender parse(String text) {
            int equals = text.indexOf('=');
            List<String> words = equals < 1
                    ? List.of()
                    : Arrays.stream(text.substring(equals + 1).strip().split("\\s+"))
                            .filter(word -> !word.isEmpty())
                            .toList();
            if (words.isEmpty() || text.substring(0, equals).contains("/")) {
                throw new InputException(
                        "--with: \"" + text + "\" is not NAME=COMMAND, for example real=/usr/bin/kube-scheduler"
                                + " --kubeconfig=" + KUBECONFIG + " --leader-elect=false");
            }
            return new Contender(text.substring(0, equals), words);
        }

        /**
         * A copy after a check that its program exists, so that an error appears before the other schedulers are measured.
         *
         * @throws InputException if there is no such program
         */
        Contender found() {
            String program = command.get(0);
            if (program.contains("/") && !Files.isExecutable(Path.of(program))) {
                throw new InputException("--with: " + name + ": " + program + " is not an executable program");
            }
            return this;
        }

        /** The command for one server. */
        List<String> command(String kubeconfig, String scheduler, int port) {
            return command.stream()
                    .map(word -> word.replace(KUBECONFIG, kubeconfig)
                            .replace(SCHEDULER, scheduler)
                            .replace(PORT, Integer.toString(port)))
                    .toList();
        }

        /** Whether it reports when it is ready. */
        boolean tellsReady() {
            return command.stream().anyMatch(word -> word.contains(PORT));
        }
    }

    /** A running scheduler process, with its resource usage as the operating system reports it. */
    static final class SchedulerProcess implements AutoCloseable {
        private static final long KILO = 1024;
        private static final double TICKS = 100;
        private static final int UTIME = 11;
        private static final long GRACE_SECONDS = 15;

        private final String name;
        private final Process process;
        private final Path log;
        private final long started;

        private SchedulerProcess(String name, Process process, Path log, long started) {
            this.name = name;
            this.process = process;
            this.log = log;
            this.started = started;
        }

        /**
         * Starts a process whose output goes to a file.
         *
         * @param name for messages
         * @param command arguments; the process must not replace itself by another one
         * @throws IOException if there is no such program
         */
        static SchedulerProcess start(String name, List<String> command) throws IOException {
            Path log = Files.createTempFile("bench-scheduler", ".log");
            long started = System.nanoTime();
            Process process = new ProcessBuilder(new ArrayList<>(command))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            process.getOutputStream().close();
            return new SchedulerProcess(name, process, log, started);
        }

        /** Start time, by {@link System#nanoTime}. */
        long started() {
            return started;
        }

        /**
         * Does nothing while the process runs.
         *
         * @throws IOException with its last line of output if it has ended
         */
        void requireAlive() throws IOException {
            if (!process.isAlive()) {
                List<String> lines =
                        Files.readString(log, StandardCharsets.UTF_8).lines().toList();
                throw new IOException(name + " exited with code " + process.exitValue()
                        + (lines.isEmpty() ? "" : ": " + lines.get(lines.size() - 1)));
            }
        }

        /** Current resident memory in bytes; 0 if the operating system does not report it. */
        long residentBytes() {
            return status("VmRSS");
        }

        /** Maximum resident memory in bytes; 0 if the operating system does not report it. */
        long peakBytes() {
            return status("VmHWM");
        }

        private long status(String field) {
            return proc("status")
                    .flatMap(text -> text.lines()
                            .filter(line -> line.startsWith(field + ":"))
                            .findFirst())
                    .map(line -> Long.parseLong(line.replaceAll("\\D", "")) * KILO)
                    .orElse(0L);
        }

        /** CPU time since its start, in seconds. */
        double cpuSeconds() {
            return proc("stat").map(SchedulerProcess::cpuSeconds).orElse(0.0);
        }

        /** Parses {@code /proc/PID/stat}, where the name of the program can contain spaces and parentheses. */
        static double cpuSeconds(String stat) {
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[UTIME]) + Long.parseLong(fields[UTIME + 1])) / TICKS;
        }

        private Optional<String> proc(String name) {
            try {
                return Optional.of(Files.readString(Path.of("/proc", Long.toString(process.pid()), name)));
            } catch (IOException e) {
                return Optional.empty();
            }
        }

        @Override
        public void close() {
            process.destroy();
            try {
                if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                }
                Files.deleteIfExists(log);
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                log.toFile().deleteOnExit();
            }
        }
    }
}
