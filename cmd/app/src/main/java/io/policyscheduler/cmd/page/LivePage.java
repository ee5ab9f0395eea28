package io.policyscheduler.cmd.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.http.StatusContent.PageTree;
import io.policyscheduler.cmd.http.StatusContent.Query;
import io.policyscheduler.cmd.page.Frames.NodeChanges.NodeRow;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.WebServer.Limits;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live page at {@code /}, and its resources below {@code /ui/}: files, {@code events} (a stream of frames for all viewers),
 * {@code node?name=}, {@code pod?pod=NAMESPACE/NAME}, {@code labels?key=} and {@code policy}. Read-only, except for a
 * {@link PageAddition}. Thread-safe.
 */
public final class LivePage implements PageTree, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LivePage.class);
    /** Most that wait for the thread that owns the state. */
    static final int MOST_QUESTIONS = 16;

    private static final String JSON = "application/json";

    private final PageFiles files;
    private final PageAddition addition;
    private final PageHub hub;
    private final Semaphore open = new Semaphore(MOST_QUESTIONS);
    private final Supplier<JsonNode> policy;

    /**
     * A page about something that does not run yet; see {@link #follow}.
     *
     * @param history the decisions to show; may be off
     * @param rates metrics of the scheduler and its calls
     * @param policy the profiles in effect, as an array
     * @param clock the time that users see
     */
    public LivePage(DecisionHistory history, PageRates rates, Supplier<JsonNode> policy, InstantSource clock) {
        this(history, rates, policy, clock, PageAddition.NONE);
    }

    /** A page with an additional view. */
    public LivePage(
            DecisionHistory history,
            PageRates rates,
            Supplier<JsonNode> policy,
            InstantSource clock,
            PageAddition addition) {
        this.files = PageFiles.ofPage(addition.name());
        this.addition = addition;
        this.hub = new PageHub(history, rates, clock);
        this.policy = policy;
    }

    /** Shows the state of this from now on. */
    public void follow(PageSource source) {
        hub.follow(source);
    }

    /** Number of connected viewers. */
    public int viewers() {
        return hub.viewers();
    }

    @Override
    public boolean answer(Exchange exchange) {
        if (addition.answer(exchange)) {
            return true;
        }
        if (!exchange.method().equals("GET") && !exchange.method().equals("HEAD")) {
            return false;
        }
        if (files.answer(exchange)) {
            return true;
        }
        switch (exchange.path()) {
            case "/ui/events" -> events(exchange);
            case "/ui/policy" -> json(exchange, policy.get());
            case "/ui/labels" -> labels(exchange);
            case "/ui/node" -> node(exchange, parameter(exchange, "name"));
            case "/ui/pod" -> pod(exchange, parameter(exchange, "pod"));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static String parameter(Exchange exchange, String name) {
        String last = "";
        for (String value : Query.values(exchange.query(), name)) {
            last = value;
        }
        return last;
    }

    private void events(Exchange exchange) {
        if (exchange.method().equals("HEAD")) {
            exchange.answer(200, "text/event-stream", new byte[0]);
            return;
        }
        // Proxies must not buffer the stream.
        exchange.responseHeader("X-Accel-Buffering", "no");
        hub.join(exchange);
    }

    private void labels(Exchange exchange) {
        hub.labels(parameter(exchange, "key"), values -> {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            values.forEach(json::put);
            json(exchange, json);
        });
    }

    private void node(Exchange exchange, String name) {
        ask(exchange, inside -> {
            Optional<Details.SeenNode> seen = Details.SeenNode.of(inside, name);
            return () -> found(exchange, seen.map(Details::node));
        });
    }

    private void pod(Exchange exchange, String key) {
        List<String> parts = Splitter.on('/').splitToList(key);
        if (parts.size() != 2) {
            exchange.answer(400, "pod: \"" + key + "\" is not NAMESPACE/NAME\n");
            return;
        }
        ask(exchange, inside -> {
            Optional<Details.SeenPod> seen = Details.SeenPod.of(inside, parts.get(0), parts.get(1));
            return () -> found(exchange, seen.map(Details::pod));
        });
    }

    /** A task on the owning thread; its result is sent from another one. */
    private interface Question {
        Runnable ask(PageSource.SchedulerState inside);
    }

    private void ask(Exchange exchange, Question question) {
        PageSource source = hub.source();
        if (source == null) {
            exchange.answer(503, "the scheduler does not run yet\n");
            return;
        }
        // Bounds the time that clients can take from the scheduling thread.
        if (!open.tryAcquire()) {
            exchange.answer(503, "too many concurrent requests: at most " + MOST_QUESTIONS + "\n");
            return;
        }
        Consumer<PageSource.SchedulerState> task = inside -> {
            open.release();
            try {
                hub.run(question.ask(inside));
            } catch (RuntimeException e) {
                LOG.error("a question of the page could not be answered", e);
                exchange.answer(500, "this could not be found out\n");
            }
        };
        source.post(task);
    }

    private static void found(Exchange exchange, Optional<? extends JsonNode> answer) {
        answer.ifPresentOrElse(
                json -> json(exchange, json), () -> exchange.answer(404, "there is none of this name\n"));
    }

    private static void json(Exchange exchange, JsonNode json) {
        exchange.answer(200, JSON, json.toString().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        hub.close();
    }

    /**
     * A view that a page has besides its own, with all paths below its name. Its script is {@code /NAME/NAME.js}, a module that exports a
     * {@code TITLE}, {@code open} as the views of the page do, and the names of those that it stands {@code INSTEAD_OF}. Thread-safe.
     */
    public interface PageAddition extends PageTree {
        /** No addition. */
        PageAddition NONE = new PageAddition() {
            @Override
            public String name() {
                return "";
            }

            @Override
            public Limits limits() {
                return Limits.withoutBodies();
            }

            @Override
            public boolean answer(Exchange exchange) {
                return false;
            }
        };

        /** The name, in lower-case letters; empty for none. */
        String name();

        /** What clients of the port are allowed to do. */
        Limits limits();
    }

    /** The details of one node or pod on the page. */
    static final class Details {
        private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

        private Details() {}

        /** A copy of a node, made on the owning thread. */
        record SeenNode(NodeRow row, List<PodInfo> pods) {
            SeenNode {
                pods = List.copyOf(pods);
            }

            static Optional<SeenNode> of(PageSource.SchedulerState inside, String name) {
                NodeInfo info = inside.cluster().node(name);
                return info == null || !info.hasNode()
                        ? Optional.empty()
                        : Optional.of(new SeenNode(NodeRow.of(info), info.pods()));
            }
        }

        /** A node with the pods that count on it. */
        static ObjectNode node(SeenNode seen) {
            Node node = seen.row().node();
            ObjectNode json = JSON.objectNode()
                    .put("name", node.name())
                    .put("trouble", seen.row().trouble());
            json.put("kubelet", node.kubeletVersion());
            ObjectNode labels = json.putObject("labels");
            node.labels().forEach(labels::put);
            ArrayNode taints = json.putArray("taints");
            for (Taint taint : node.taints()) {
                taints.add(taint.key() + (taint.value().isEmpty() ? "" : "=" + taint.value()) + ":" + taint.effect());
            }
            ArrayNode resources = json.putArray("resources");
            resource(resources, "cpu", seen.row().milliCpu(), node.allocatable().milliCpu());
            resource(
                    resources, "memory", seen.row().memory(), node.allocatable().memory());
            resource(resources, "pods", seen.row().pods(), node.allocatable().pods());
            for (int i = 0; i < node.allocatable().scalarCount(); i++) {
                resource(
                        resources,
                        node.allocatable().scalarName(i),
                        seen.row().scalars().get(i),
                        node.allocatable().scalarAmount(i));
            }
            ArrayNode pods = json.putArray("pods");
            for (PodInfo pod : seen.pods()) {
                pods.addObject()
                        .put("pod", pod.key())
                        .put("milliCpu", pod.resources().request().milliCpu())
                        .put("memory", pod.resources().request().memory())
                        .put("priority", pod.priority())
                        .put("phase", pod.phase())
                        .put("scheduler", pod.spec().schedulerName());
            }
            return json;
        }

        private static void resource(ArrayNode all, String name, long requested, long offered) {
            all.addObject().put("name", name).put("requested", requested).put("allocatable", offered);
        }

        /**
         * A copy of a pod, made on the owning thread.
         *
         * @param part of the queue; empty for none
         */
        record SeenPod(PodInfo pod, Optional<Part> part) {
            static Optional<SeenPod> of(PageSource.SchedulerState inside, String namespace, String name) {
                PodInfo pod = inside.pod(namespace, name);
                return pod == null
                        ? Optional.empty()
                        : Optional.of(new SeenPod(pod, Optional.ofNullable(inside.partOf(pod.key()))));
            }
        }

        /** A pod and where it is. */
        static ObjectNode pod(SeenPod seen) {
            PodInfo pod = seen.pod();
            ObjectNode json = JSON.objectNode().put("pod", pod.key()).put("uid", pod.uid());
            json.put("node", Strings.emptyToNull(pod.nodeName())).put("phase", pod.phase());
            json.put("nominatedNode", Strings.emptyToNull(pod.nominatedNodeName()));
            json.put("priority", pod.priority()).put("scheduler", pod.spec().schedulerName());
            json.put("milliCpu", pod.resources().request().milliCpu());
            json.put("memory", pod.resources().request().memory());
            ObjectNode labels = json.putObject("labels");
            pod.labels().forEach(labels::put);
            PodInfo.ScheduledCondition condition = pod.scheduled();
            json.put("message", condition == null ? null : Strings.emptyToNull(condition.message()));
            json.put("queue", seen.part().map(Part::label).orElse(null));
            return json;
        }
    }
}
