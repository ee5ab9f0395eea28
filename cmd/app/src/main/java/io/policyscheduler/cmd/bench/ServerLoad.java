package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/** Fills an API server with nodes and pods, with several concurrent requests. Existing objects are not changed. */
final class ServerLoad implements AutoCloseable {
    static final String NODE = "bench-node-";
    static final String BOUND = "bench-bound-";
    static final String NAMESPACE = "default";

    private static final int CONFLICT = 409;
    private static final int NOT_FOUND = 404;
    private static final int THREADS = 16;
    private static final int ZONES = 3;
    private static final int APPS = 100;

    private final KubeConnection connection;
    private final ExecutorService threads = Executors.newFixedThreadPool(
            THREADS,
            new ThreadFactoryBuilder()
                    .setNameFormat("bench-load-%d")
                    .setDaemon(true)
                    .build());

    ServerLoad(KubeConnection connection) {
        this.connection = connection;
    }

    @FunctionalInterface
    private interface Step {
        void at(int number) throws IOException;
    }

    /** Runs a task for each number below {@code count}; the first failure ends it. */
    private void each(int count, IntConsumer progress, Step step) throws IOException, InterruptedException {
        AtomicInteger next = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicReference<IOException> failure = new AtomicReference<>();
        Future<?>[] workers = new Future<?>[THREADS];
        for (int i = 0; i < THREADS; i++) {
            workers[i] = threads.submit(() -> {
                for (int number = next.getAndIncrement();
                        number < count && failure.get() == null;
                        number = next.getAndIncrement()) {
                    try {
                        step.at(number);
                        progress.accept(done.incrementAndGet());
                    } catch (IOException e) {
                        failure.compareAndSet(null, e);
                    }
                }
            });
        }
        for (Future<?> worker : workers) {
            try {
                worker.get();
            } catch (java.util.concurrent.ExecutionException e) {
                throw new IOException(e.getCause());
            }
        }
        IOException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
    }

    private static byte[] bytes(JsonNode node) {
        return node.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void require(ApiResponse response, String what, int... also) throws IOException {
        for (int code : also) {
            if (response.code() == code) {
                return;
            }
        }
        if (response.code() / 100 != 2) {
            throw new IOException(what + ": HTTP " + response.code() + ": " + response.message());
        }
    }

    /** Creates nodes with 32 cores in three zones until there are at least {@code count}. */
    void nodes(int count, IntConsumer progress) throws IOException, InterruptedException {
        each(count, progress, number -> {
            String name = NODE + number;
            ObjectNode node = JsonNodeFactory.instance
                    .objectNode()
                    .put("apiVersion", "v1")
                    .put("kind", "Node");
            node.putObject("metadata")
                    .put("name", name)
                    .putObject("labels")
                    .put("kubernetes.io/hostname", name)
                    .put("topology.kubernetes.io/zone", "zone-" + number % ZONES)
                    .put("failure-domain.beta.kubernetes.io/zone", "zone-" + number % ZONES);
            ApiResponse created = connection.post("/api/v1/nodes", bytes(node));
            require(created, name, CONFLICT);
            if (created.code() == CONFLICT) {
                return;
            }
            ObjectNode patch = JsonNodeFactory.instance.objectNode();
            ObjectNode status = patch.putObject("status");
            for (String part : new String[] {"capacity", "allocatable"}) {
                status.putObject(part).put("cpu", "32").put("memory", "256Gi").put("pods", "110");
            }
            status.putArray("conditions").addObject().put("type", "Ready").put("status", "True");
            require(
                    connection.patch("/api/v1/nodes/" + name + "/status", KubeConnection.MERGE_PATCH, bytes(patch)),
                    name);
        });
    }

    /** Creates pods on the nodes until there are at least {@code count}, with annotations of the given size in bytes. */
    void bound(int count, int nodes, int pad, String scheduler, IntConsumer progress)
            throws IOException, InterruptedException {
        String padding = "x".repeat(pad);
        each(count, progress, number -> {
            ObjectNode pod = pod(BOUND + number, scheduler, number);
            pod.withObject("/metadata").putObject("annotations").put("bench/pad", padding);
            pod.withObject("/spec").put("nodeName", NODE + number % nodes);
            require(connection.post(pods(), bytes(pod)), BOUND + number, CONFLICT);
        });
    }

    /** Creates pods that wait for a scheduler. */
    void pending(String prefix, int count, String scheduler, IntConsumer progress)
            throws IOException, InterruptedException {
        each(
                count,
                progress,
                number -> require(
                        connection.post(pods(), bytes(pod(prefix + number, scheduler, number))), prefix + number));
    }

    /** Binds pending pods without a scheduler, and writes an event for each. */
    void bindAll(String prefix, int count, int nodes) throws IOException, InterruptedException {
        each(count, done -> {}, number -> {
            String name = prefix + number;
            String node = NODE + number % nodes;
            ObjectNode binding = JsonNodeFactory.instance
                    .objectNode()
                    .put("apiVersion", "v1")
                    .put("kind", "Binding");
            binding.putObject("metadata").put("name", name).put("namespace", NAMESPACE);
            binding.putObject("target").put("kind", "Node").put("name", node);
            require(connection.post(pods() + "/" + name + "/binding", bytes(binding)), name);
            String now = Instant.now().toString().replaceFirst("\\.\\d+Z$", "Z");
            ObjectNode event = JsonNodeFactory.instance
                    .objectNode()
                    .put("apiVersion", "v1")
                    .put("kind", "Event");
            event.putObject("metadata").put("generateName", name + ".").put("namespace", NAMESPACE);
            event.putObject("involvedObject")
                    .put("kind", "Pod")
                    .put("apiVersion", "v1")
                    .put("name", name)
                    .put("namespace", NAMESPACE);
            event.put("reason", "Scheduled")
                    .put("type", "Normal")
                    .put("message", "Successfully assigned " + NAMESPACE + "/" + name + " to " + node)
                    .put("count", 1)
                    .put("firstTimestamp", now)
                    .put("lastTimestamp", now)
                    .putObject("source")
                    .put("component", "bench");
            require(connection.post("/api/v1/namespaces/" + NAMESPACE + "/events", bytes(event)), name);
        });
    }

    /** Deletes pods without a grace period. */
    void delete(String prefix, int count) throws IOException, InterruptedException {
        byte[] now = bytes(JsonNodeFactory.instance.objectNode().put("gracePeriodSeconds", 0));
        each(
                count,
                done -> {},
                number -> require(connection.delete(pods() + "/" + prefix + number, now), prefix + number, NOT_FOUND));
    }

    private static String pods() {
        return "/api/v1/namespaces/" + NAMESPACE + "/pods";
    }

    private static ObjectNode pod(String name, String scheduler, int number) {
        ObjectNode pod =
                JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "Pod");
        pod.putObject("metadata")
                .put("name", name)
                .put("namespace", NAMESPACE)
                .putObject("labels")
                .put("app", "app-" + number % APPS);
        ObjectNode spec = pod.putObject("spec")
                .put("schedulerName", scheduler)
                .put("automountServiceAccountToken", false)
                .put("terminationGracePeriodSeconds", 0);
        spec.putArray("containers")
                .addObject()
                .put("name", "c")
                .put("image", "registry.example.com/app:1.2.3")
                .putObject("resources")
                .putObject("requests")
                .put("cpu", "100m")
                .put("memory", "500Mi");
        return pod;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
