package io.policyscheduler.cmd.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.http.StatusContent.PageTree;
import io.policyscheduler.cmd.http.StatusContent.Query;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.WebServer.Limits;
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
}
