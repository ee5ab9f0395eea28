package io.policyscheduler.cmd.http;

import com.google.common.base.Splitter;
import io.policyscheduler.cmd.http.StatusServer.HealthReport.Check;
import io.policyscheduler.cmd.server.Exchange;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The content that a {@link StatusServer} serves.
 *
 * @param healthz health checks ({@code /healthz})
 * @param livez liveness checks ({@code /livez})
 * @param readyz readiness checks ({@code /readyz})
 * @param metrics scraped by {@code /metrics}
 * @param configz JSON text of {@code /configz}
 * @param decisions {@code /debug/decisions}
 * @param pages additional pages, which have priority over the other paths
 */
public record StatusContent(
        List<Check> healthz,
        List<Check> livez,
        List<Check> readyz,
        PrometheusRegistry metrics,
        Supplier<String> configz,
        Page decisions,
        PageTree pages) {
    public StatusContent {
        healthz = List.copyOf(healthz);
        livez = List.copyOf(livez);
        readyz = List.copyOf(readyz);
    }

    /** Without further pages. */
    public StatusContent(
            List<Check> healthz,
            List<Check> livez,
            List<Check> readyz,
            PrometheusRegistry metrics,
            Supplier<String> configz,
            Page decisions) {
        this(healthz, livez, readyz, metrics, configz, decisions, PageTree.NONE);
    }

    /** A copy with additional pages. */
    public StatusContent withPages(PageTree value) {
        return new StatusContent(healthz, livez, readyz, metrics, configz, decisions, value);
    }

    /** A copy without data of single pods and nodes: only health, metrics, and configuration. */
    public StatusContent withoutPods() {
        return new StatusContent(healthz, livez, readyz, metrics, configz);
    }

    /** Without decisions. */
    public StatusContent(
            List<Check> healthz,
            List<Check> livez,
            List<Check> readyz,
            PrometheusRegistry metrics,
            Supplier<String> configz) {
        this(healthz, livez, readyz, metrics, configz, Page.NONE);
    }

    /** Additional pages of a status port, by their path. Thread-safe. */
    @FunctionalInterface
    public interface PageTree {
        /** No pages. */
        PageTree NONE = exchange -> false;

        /**
         * Responds to a request, here or later, if the path is one of these pages. Does not block.
         *
         * @return false if it is not
         */
        boolean answer(Exchange exchange);
    }

    /** A page that depends on the query of its request. Thread-safe. */
    @FunctionalInterface
    public interface Page {
        /** No page. */
        Page NONE = parameters -> Answer.NOT_FOUND;

        /**
         * A response.
         *
         * @param code of HTTP
         * @param contentType such as {@code application/json}
         */
        record Answer(int code, String contentType, String text) {
            /** For a page that does not exist. */
            public static final Answer NOT_FOUND = text(404, "404 page not found\n");

            /** Plain text. */
            public static Answer text(int code, String text) {
                return new Answer(code, "text/plain; charset=utf-8", text);
            }
        }

        /**
         * Makes the page.
         *
         * @param parameters returns all values of a query parameter by its name; empty if absent
         */
        Answer answer(Function<String, Set<String>> parameters);
    }

    /** Parses the query of a request. */
    public static final class Query {
        private Query() {}

        /**
         * All values of a parameter, in order; a parameter without a value has an empty one, and an invalid encoding is not
         * decoded.
         *
         * @param query encoded, without the question mark
         */
        public static Set<String> values(String query, String name) {
            Set<String> values = new LinkedHashSet<>();
            for (String pair : Splitter.on('&').omitEmptyStrings().split(query)) {
                int at = pair.indexOf('=');
                if ((at < 0 ? pair : pair.substring(0, at)).equals(name)) {
                    values.add(at < 0 ? "" : decoded(pair.substring(at + 1)));
                }
            }
            return values;
        }

        private static String decoded(String text) {
            try {
                return URLDecoder.decode(text, StandardCharsets.UTF_8);
            } catch (IllegalArgumentException e) {
                return text;
            }
        }
    }
}
