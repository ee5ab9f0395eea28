package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.ApiResponse.Stream;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sees by a watch of its own when pods get a node, whoever binds them. */
final class BoundPods implements AutoCloseable {
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
     * Watches from now on.
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
     * Waits until so many are bound.
     *
     * @return when each was seen bound, by {@link System#nanoTime}, in that order
     * @throws IOException when the watch breaks off, the scheduler ends, or the time is over first
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
