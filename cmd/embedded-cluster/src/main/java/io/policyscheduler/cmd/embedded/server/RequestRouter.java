package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.policyscheduler.cmd.embedded.admission.AccessControl;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AccessAttributes;
import io.policyscheduler.cmd.embedded.admission.AccessControl.AccessReviews;
import io.policyscheduler.cmd.embedded.admission.AccessControl.ApiUser;
import io.policyscheduler.cmd.embedded.admission.AccessControl.Decision;
import io.policyscheduler.cmd.embedded.admission.FieldManager;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission.UpdateAuthorization;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Deletion;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceRequest;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parses requests, calls the handlers, and sends their responses. */
public final class RequestRouter {
    private static final Logger LOG = LoggerFactory.getLogger(RequestRouter.class);

    /** Maximum time of a blocked request, as with the default {@code --request-timeout} of kube-apiserver. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofMinutes(1);

    private final ResourceCatalog catalog;
    private final AccessControl access;
    private final AccessReviews accessReviews;
    private final Discovery discovery;
    private final ReadHandler readHandler;
    private final WriteHandler writeHandler;
    private final WatchHandler watchHandler;
    private final PodSubresources podSubresources;
    private final Faults faults;
    private final RequestLog log;

    /** A router for a store. Watches time out by real time, independently of the clock. */
    public RequestRouter(
            StoredObjects store,
            ResourceCatalog catalog,
            ObjectAdmission admission,
            Deletion deletion,
            FieldManager owners,
            AccessControl access,
            AccessReviews reviews,
            Faults faults,
            RequestLog log,
            Clock clock,
            Duration bookmarkInterval) {
        this.catalog = catalog;
        this.access = access;
        this.accessReviews = reviews;
        this.discovery = new Discovery(catalog);
        Tables tables = new Tables(clock);
        this.readHandler = new ReadHandler(store, tables);
        this.writeHandler = new WriteHandler(store, admission, deletion, owners);
        this.watchHandler = new WatchHandler(store, tables, faults, bookmarkInterval);
        this.podSubresources = new PodSubresources(store, admission, deletion, catalog, clock);
        this.faults = faults;
        this.log = log;
    }

    void closeWatches() {
        watchHandler.closeAll();
    }

    int openWatches() {
        return watchHandler.openWatches();
    }

    /** Handles one request; may block. */
    void handle(Exchange exchange) {
        boolean lost = false;
        try {
            RequestGate.check(exchange);
            ApiRequest request = ApiRequest.read(exchange);
            ApiUser user = access.authenticate(exchange);
            authorize(exchange.header("User-Agent"), user, request);
            lost = applyFault(exchange, request);
            @Nullable ResourceRequest watched = watched(request);
            if (watched != null) {
                watchHandler.serve(exchange, watched, request);
                return;
            }
            Response response = execute(request, user, "127.0.0.1:" + exchange.localPort());
            if (!lost) {
                send(exchange, response);
            }
        } catch (StatusError e) {
            if (!lost) {
                send(exchange, new Response(e.code(), e.status()));
            }
        } catch (IOException e) {
            // The client has disconnected, which is the usual end of a watch.
            LOG.debug("connection of {} lost", exchange.path(), e);
        } catch (RuntimeException | Error e) {
            // Clients must be able to distinguish an error of this server from one of the network.
            LOG.error("{} {} failed", exchange.method(), exchange.path(), e);
            send(exchange, internalError(e));
            throw e;
        } finally {
            exchange.drop();
        }
    }

    /**
     * Executes a request other than a watch.
     *
     * @param address of this server, as it appears in discovery documents
     */
    Response execute(ApiRequest request, ApiUser user, String address) {
        try {
            return respond(request, user, address);
        } catch (StatusError e) {
            return new Response(e.code(), e.status());
        } catch (RuntimeException e) {
            LOG.error("{} {} failed", request.method(), request.segments(), e);
            return internalError(e);
        }
    }

    private static Response internalError(Throwable cause) {
        return new Response(
                500, StatusError.of(500, "InternalError", String.valueOf(cause)).status());
    }

    private void authorize(String userAgent, ApiUser user, ApiRequest request) {
        AccessAttributes question = AccessAttributes.of(request);
        Decision decision = access.decide(user, question);
        ResourceRequest.find(catalog, request.segments())
                .ifPresent(target -> log.add(userAgent, user, question.verb(), target, decision));
        if (!decision.allowed()) {
            throw question.refusal(user, decision.reason());
        }
    }

    /** Applies the fault for this request, if any; returns true if the response is to be dropped. */
    private boolean applyFault(Exchange exchange, ApiRequest request) {
        Faults.@Nullable Effect effect = faults.next(request.method(), exchange.path());
        if (effect instanceof Faults.ErrorResponse answer) {
            throw StatusError.of(answer.code(), answer.reason(), answer.message());
        }
        try {
            if (effect instanceof Faults.Delay delay) {
                Thread.sleep(delay.duration().toMillis());
            } else if (effect instanceof Faults.Hold hold) {
                if (!hold.released().await(REQUEST_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                    throw StatusError.of(504, "Timeout", "the request was not released");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return effect instanceof Faults.DropResponse;
    }

    private @Nullable ResourceRequest watched(ApiRequest request) {
        boolean isWatch = request.method().equals("GET") && request.parameters().containsKey("watch");
        // A watch of one object is a watch of its collection with a field selector.
        return isWatch && request.flag("watch")
                ? ResourceRequest.find(catalog, request.segments())
                        .filter(target -> target.name().isEmpty())
                        .orElse(null)
                : null;
    }

    private Response respond(ApiRequest request, ApiUser user, String address) {
        Optional<Response> review = accessReviews.review(request, user);
        if (review.isPresent()) {
            return review.get();
        }
        Optional<ResourceRequest> target = ResourceRequest.find(catalog, request.segments());
        if (target.isPresent()) {
            return target.get().subresource().isEmpty()
                    ? onObject(target.get(), request)
                    : onSubresource(target.get(), request, user);
        }
        List<String> path = request.segments();
        if (path.size() == 5
                && path.get(0).equals("api")
                && path.get(2).equals("namespaces")
                && path.get(4).equals("bindings")
                && request.method().equals("POST")) {
            String name = Json.text(request.bodyObject(), "metadata", "name");
            return podSubresources.bind(catalog.named("pods"), path.get(3), name, request);
        }
        boolean isGroup = path.size() > 2 && path.get(0).equals("apis");
        if (isGroup && catalog.types().stream().noneMatch(type -> type.group().equals(path.get(1)))) {
            return new Response(404, TextNode.valueOf("404 page not found\n"));
        }
        if (!request.method().equals("GET")) {
            throw path.isEmpty() ? StatusError.methodNotAllowed() : StatusError.pathNotFound();
        }
        return discovery.find(path, request.accept(), address);
    }

    private Response onObject(ResourceRequest target, ApiRequest request) {
        boolean collection = target.name().isEmpty();
        // Objects in namespaces are written through the path of their namespace only.
        boolean everywhere = target.type().namespaced() && target.namespace().isEmpty();
        if (!request.method().equals("GET")) {
            RequestOptions.checkWrite(request);
        }
        return switch (request.method()) {
            case "GET" -> collection ? readHandler.list(target, request) : readHandler.get(target, request);
            case "POST" -> {
                if (!collection || everywhere) {
                    throw StatusError.methodNotAllowed();
                }
                yield writeHandler.create(target, request);
            }
            case "PUT" -> {
                if (collection) {
                    throw StatusError.methodNotAllowed();
                }
                yield writeHandler.update(target, request);
            }
            case "PATCH" -> {
                if (collection) {
                    throw StatusError.methodNotAllowed();
                }
                yield writeHandler.patch(target, request);
            }
            case "DELETE" -> {
                if (collection && everywhere) {
                    throw StatusError.methodNotAllowed();
                }
                yield collection
                        ? writeHandler.deleteCollection(target, request)
                        : writeHandler.delete(target, request);
            }
            default -> throw StatusError.methodNotAllowed();
        };
    }

    private Response onSubresource(ResourceRequest target, ApiRequest request, ApiUser user) {
        boolean post = request.method().equals("POST");
        if (!request.method().equals("GET")) {
            RequestOptions.checkWrite(request);
        }
        switch (target.subresource()) {
            case "binding", "eviction" -> {
                if (!target.type().isPod()) {
                    throw StatusError.pathNotFound();
                }
                if (!post) {
                    throw StatusError.methodNotAllowed();
                }
                return target.subresource().equals("binding")
                        ? podSubresources.bind(target.type(), target.namespace(), target.name(), request)
                        : podSubresources.evict(target.type(), target.namespace(), target.name(), request);
            }
            case "scale" -> {
                if (!target.type().hasScale()) {
                    throw StatusError.pathNotFound();
                }
                return switch (request.method()) {
                    case "GET" -> readHandler.scale(target);
                    case "PUT", "PATCH" -> writeHandler.scale(target, request);
                    default -> throw StatusError.methodNotAllowed();
                };
            }
            case "log", "exec", "attach", "portforward" -> {
                if (!target.type().isPod()) {
                    throw StatusError.pathNotFound();
                }
                readHandler.get(target, request);
                throw StatusError.noRunningContainer(target.subresource());
            }
            case "finalize" -> {
                if (!target.type().isNamespace()) {
                    throw StatusError.pathNotFound();
                }
                if (!request.method().equals("PUT")) {
                    throw StatusError.methodNotAllowed();
                }
                return writeHandler.finalizeNamespace(target, request);
            }
            case "status" -> {
                if (!target.type().hasStatus()) {
                    throw StatusError.pathNotFound();
                }
                return switch (request.method()) {
                    case "GET" -> readHandler.get(target, request);
                    case "PUT" -> writeHandler.update(target, request, updateAuthorization(target, request, user));
                    case "PATCH" -> writeHandler.patch(target, request, updateAuthorization(target, request, user));
                    default -> throw StatusError.methodNotAllowed();
                };
            }
            default -> throw StatusError.pathNotFound();
        }
    }

    /**
     * Returns the permission check for a status write in addition to the usual one: a change of the devices of a claim requires
     * the same verb on {@code resourceclaims/binding}.
     */
    private UpdateAuthorization updateAuthorization(ResourceRequest target, ApiRequest request, ApiUser user) {
        ResourceType type = target.type();
        if (!type.plural().equals("resourceclaims") || !ComponentChange.CLAIM_BINDING_RIGHT.in(catalog.release())) {
            return UpdateAuthorization.NONE;
        }
        return (present, next) -> {
            for (String field : List.of("allocation", "reservedFor")) {
                if (present.path("status")
                        .path(field)
                        .equals(next.path("status").path(field))) {
                    continue;
                }
                AccessAttributes attributes = AccessAttributes.of(request);
                AccessAttributes question = new AccessAttributes(
                        attributes.verb(),
                        type.group(),
                        type.plural(),
                        "binding",
                        target.namespace(),
                        target.name(),
                        "");
                Decision decision = access.decide(user, question);
                if (!decision.allowed()) {
                    throw StatusError.invalid(
                            type,
                            target.name(),
                            List.of(Cause.forbidden(
                                    "status." + field,
                                    "changing status.allocation or status.reservedFor requires"
                                            + " resource=\"resourceclaims/binding\", verb=\"" + attributes.verb()
                                            + "\" permission: "
                                            + question.refusal(user, decision.reason())
                                                    .getMessage())));
                }
            }
        };
    }

    private static void send(Exchange exchange, Response response) {
        JsonNode body = response.body();
        if (body.isTextual()) {
            exchange.answer(response.code(), body.asText());
        } else if (body instanceof BinaryNode bytes) {
            exchange.answer(response.code(), "application/octet-stream", bytes.binaryValue());
        } else {
            exchange.answer(response.code(), "application/json", Json.bytes(body));
        }
    }

    /**
     * Rejects requests that a web page in a browser could send to a loopback address: with a host name that resolves to it, and
     * writes that need no CORS preflight because they look like forms.
     */
    static final class RequestGate {
        private static final Pattern LOOPBACK =
                Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1\\])(:\\d{1,5})?", Pattern.CASE_INSENSITIVE);
        private static final List<String> WRITES = List.of("POST", "PUT", "PATCH");
        private static final Pattern BODY_TYPES = Pattern.compile(
                "application/(json|yaml|vnd\\.kubernetes\\.protobuf|[a-z.-]+\\+json|apply-patch\\+yaml)");
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
            // kubectl exec sends no body; another handler rejects it with a better message.
            boolean stream = !hasBody && STREAMS.matcher(exchange.path()).matches();
            // kubectl before 1.27 does not always send a Content-Type. Browsers always send an Origin with writes.
            boolean untyped = type.isEmpty() && hasBody && !isBrowser(exchange);
            if ((hasBody || WRITES.contains(exchange.method()))
                    && !stream
                    && !untyped
                    && !BODY_TYPES.matcher(type).matches()) {
                throw StatusError.unsupportedMediaType();
            }
        }

        private static boolean isBrowser(Exchange exchange) {
            return !exchange.header("Origin").isEmpty()
                    || !exchange.header("Sec-Fetch-Site").isEmpty()
                    || exchange.header("User-Agent").startsWith("Mozilla/");
        }

        private static String mediaType(String contentType) {
            int end = contentType.indexOf(';');
            return (end < 0 ? contentType : contentType.substring(0, end))
                    .trim()
                    .toLowerCase(Locale.ROOT);
        }
    }

    /** The distinct kinds of received resource requests, successful or not. Thread-safe. */
    public static final class RequestLog {
        /**
         * A kind of request, in the terms of RBAC.
         *
         * @param userAgent name of the client program
         * @param user name of the user
         * @param verb such as {@code list}
         * @param group API group, empty for the core group
         * @param resource plural name, with a slash and the subresource if any
         * @param namespace empty for all namespaces and for kinds outside namespaces
         * @param allowed whether it was allowed
         * @param reason the binding that allows it; empty without RBAC
         */
        public record Entry(
                String userAgent,
                String user,
                String verb,
                String group,
                String resource,
                String namespace,
                boolean allowed,
                String reason) {}

        private final Set<Entry> entries = new ConcurrentSkipListSet<>(Comparator.comparing(Entry::userAgent)
                .thenComparing(Entry::user)
                .thenComparing(Entry::group)
                .thenComparing(Entry::resource)
                .thenComparing(Entry::verb)
                .thenComparing(Entry::namespace)
                .thenComparing(Entry::allowed)
                .thenComparing(Entry::reason));

        /** All kinds of requests so far. */
        public Set<Entry> entries() {
            return Set.copyOf(entries);
        }

        void add(String userAgent, ApiUser user, String verb, ResourceRequest target, Decision decision) {
            String resource =
                    target.served().plural() + (target.subresource().isEmpty() ? "" : "/" + target.subresource());
            entries.add(new Entry(
                    userAgent,
                    user.name(),
                    verb,
                    target.served().group(),
                    resource,
                    target.namespace(),
                    decision.allowed(),
                    decision.reason()));
        }
    }
}
