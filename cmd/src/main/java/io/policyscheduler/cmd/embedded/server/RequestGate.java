package io.policyscheduler.cmd.embedded.server;

import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.server.Exchange;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Keeps out what a page in somebody's browser can send to a loopback address: requests under a name of its own that resolves
 * to it, and writes that need no permission of the server because they look like forms.
 */
final class RequestGate {
    private static final Pattern LOOPBACK =
            Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])(:\\d{1,5})?", Pattern.CASE_INSENSITIVE);
    private static final List<String> WRITES = List.of("POST", "PUT", "PATCH");
    private static final Pattern BODY_TYPES =
            Pattern.compile("application/(json|yaml|vnd\\.kubernetes\\.protobuf|[a-z.-]+\\+json|apply-patch\\+yaml)");
    private static final Pattern STREAMS =
            Pattern.compile("/api/v1/namespaces/[^/]+/pods/[^/]+/(exec|attach|portforward)");

    private RequestGate() {}

    /** Fails with Forbidden or UnsupportedMediaType. */
    static void check(Exchange exchange) {
        String host = exchange.header("Host");
        if (!LOOPBACK.matcher(host).matches()) {
            throw StatusError.of(
                    403,
                    "Forbidden",
                    "the embedded cluster answers on loopback addresses only: Host is \"" + host
                            + "\"; use localhost or 127.0.0.1");
        }
        boolean hasBody = exchange.body().length > 0;
        String type = mediaType(exchange.header("Content-Type"));
        // What kubectl exec sends has no body; it is refused with a better message, whoever sends it.
        boolean stream = !hasBody && STREAMS.matcher(exchange.path()).matches();
        // kubectl before 1.27 does not always say what it sends. Browsers always say where a page that writes comes
        // from.
        boolean untyped = type.isEmpty() && hasBody && !isBrowser(exchange);
        if ((hasBody || WRITES.contains(exchange.method()))
                && !stream
                && !untyped
                && !BODY_TYPES.matcher(type).matches()) {
            throw StatusError.unsupportedMediaType(type);
        }
    }

    private static boolean isBrowser(Exchange exchange) {
        return !exchange.header("Origin").isEmpty()
                || !exchange.header("Sec-Fetch-Site").isEmpty()
                || exchange.header("User-Agent").startsWith("Mozilla/");
    }

    private static String mediaType(String contentType) {
        int end = contentType.indexOf(';');
        return (end < 0 ? contentType : contentType.substring(0, end)).trim().toLowerCase(Locale.ROOT);
    }
}
