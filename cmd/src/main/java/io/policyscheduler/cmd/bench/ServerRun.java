package io.policyscheduler.cmd.bench;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One scheduler on a server that is full of pods: started, watched from outside, stopped. */
final class ServerRun {
    private static final double NANOS = 1e9;
    private static final int PATIENCE_MILLIS = 1000;
    /** Each answer is work for the scheduler that is measured, and for the cores that it has. */
    private static final int ASK_MILLIS = 100;

    private static final int OK = 200;

    private final KubeConnection connection;
    private final ServerLoad load;
    private final Path kubeconfig;
    private final String schedulerName;
    private final Duration limit;

    /** @param limit how long a scheduler may take */
    ServerRun(KubeConnection connection, ServerLoad load, Path kubeconfig, String schedulerName, Duration limit) {
        this.connection = connection;
        this.load = load;
        this.kubeconfig = kubeconfig;
        this.schedulerName = schedulerName;
        this.limit = limit;
    }

    /**
     * What the start of a scheduler came to.
     *
     * @param synced seconds until it said that it is ready, to a tenth; NaN where it does not say it
     * @param firstBind seconds until its first pod was seen on a node
     * @param cpu seconds of CPU time that it had used by then
     * @param restBytes memory that it occupies at rest
     * @param loadBytes memory that it occupies after binding many pods
     * @param peakBytes the most memory that it has occupied
     */
    record Synced(
            String name, double synced, double firstBind, double cpu, long restBytes, long loadBytes, long peakBytes) {}

    /**
     * What a backlog came to.
     *
     * @param podsPerSecond from the start of the scheduler to the last bind
     * @param steady pods a second between the first and the last bind
     * @param cpu seconds of CPU time of the scheduler, from its start to the last bind
     * @param residentBytes memory that it occupies then
     * @param median seconds from the start of the scheduler until half of the pods were bound
     * @param late the same for 99 of 100
     */
    record Lived(
            String name,
            double podsPerSecond,
            double steady,
            double cpu,
            long residentBytes,
            double median,
            double late) {}

    /** Starts a scheduler with one pod waiting, lets it rest, and then bind many. */
    Synced sync(Contender contender, String prefix, Duration rest, int pending)
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
            return new Synced(
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
    Lived live(Contender contender, String prefix, int pending) throws IOException, InterruptedException {
        load.pending(prefix, pending, schedulerName, done -> {});
        int port = freePort();
        try (BoundPods bound = new BoundPods(connection, prefix);
                SchedulerProcess process = SchedulerProcess.start(
                        contender.name(), contender.command(kubeconfig.toString(), schedulerName, port))) {
            List<Long> times = bound.await(pending, process, limit);
            return lived(contender.name(), times, process.started(), process.cpuSeconds(), process.residentBytes());
        } finally {
            load.delete(prefix, pending);
        }
    }

    /** Creates a backlog and binds it straight, with an event each: what the server can take. */
    Lived limit(String prefix, int pending, int nodes) throws IOException, InterruptedException {
        load.pending(prefix, pending, schedulerName, done -> {});
        try (BoundPods bound = new BoundPods(connection, prefix)) {
            long start = System.nanoTime();
            load.bindAll(prefix, pending, nodes);
            return lived("(limit)", bound.await(pending, null, limit), start, Double.NaN, 0);
        } finally {
            load.delete(prefix, pending);
        }
    }

    private static Lived lived(String name, List<Long> times, long start, double cpu, long residentBytes) {
        List<Double> seconds = new ArrayList<>();
        times.forEach(time -> seconds.add((time - start) / NANOS));
        int count = seconds.size();
        double last = seconds.get(count - 1);
        double between = last - seconds.get(0);
        return new Lived(
                name,
                count / last,
                between > 0 ? (count - 1) / between : count / last,
                cpu,
                residentBytes,
                seconds.get((count - 1) / 2),
                seconds.get((count - 1) * 99 / 100));
    }

    /** The middle of several runs of one scheduler, each figure by itself. */
    static Synced middle(List<Synced> runs) {
        return new Synced(
                runs.get(0).name(),
                Medians.of(runs.stream().map(Synced::synced).toList()),
                Medians.of(runs.stream().map(Synced::firstBind).toList()),
                Medians.of(runs.stream().map(Synced::cpu).toList()),
                (long) Medians.of(
                        runs.stream().map(run -> (double) run.restBytes()).toList()),
                (long) Medians.of(
                        runs.stream().map(run -> (double) run.loadBytes()).toList()),
                (long) Medians.of(
                        runs.stream().map(run -> (double) run.peakBytes()).toList()));
    }

    /** The same of backlogs. */
    static Lived middleOf(List<Lived> runs) {
        return new Lived(
                runs.get(0).name(),
                Medians.of(runs.stream().map(Lived::podsPerSecond).toList()),
                Medians.of(runs.stream().map(Lived::steady).toList()),
                Medians.of(runs.stream().map(Lived::cpu).toList()),
                (long) Medians.of(
                        runs.stream().map(run -> (double) run.residentBytes()).toList()),
                Medians.of(runs.stream().map(Lived::median).toList()),
                Medians.of(runs.stream().map(Lived::late).toList()));
    }
}
