package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import io.policyscheduler.cmd.embedded.access.AccessControl;
import io.policyscheduler.cmd.embedded.access.AccessDecision;
import io.policyscheduler.cmd.embedded.access.AccessQuestion;
import io.policyscheduler.cmd.embedded.access.AccessReviews;
import io.policyscheduler.cmd.embedded.access.ApiUser;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.fields.FieldOwners;
import io.policyscheduler.cmd.embedded.printing.Tables;
import io.policyscheduler.cmd.embedded.request.ApiRequest;
import io.policyscheduler.cmd.embedded.request.ResourceRequest;
import io.policyscheduler.cmd.embedded.request.Response;
import io.policyscheduler.cmd.embedded.store.Deletion;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import io.policyscheduler.cmd.server.Exchange;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes requests apart, gives them to the handlers and sends what they answer. */
public final class RequestRouter {
    private static final Logger LOG = LoggerFactory.getLogger(RequestRouter.class);

    private final ResourceCatalog catalog;
    private final ResourcePaths paths;
    private final AccessControl access;
    private final AccessReviews reviews;
    private final ServedDocuments documents;
    private final ReadHandler reads;
    private final WriteHandler writes;
    private final DeleteHandler deletes;
    private final WatchHandler watches;
    private final BindingHandler bindings;
    private final EvictionHandler evictions;
    private final ScaleHandler scales;
    private final Faults faults;
    private final RequestLog log;

    /** One over a store. Watches time out by real time, whatever the clock shows. */
    public RequestRouter(
            StoredObjects store,
            ResourceCatalog catalog,
            ObjectAdmission admission,
            Deletion deletion,
            FieldOwners owners,
            AccessControl access,
            AccessReviews reviews,
            Faults faults,
            RequestLog log,
            Clock clock,
            Duration bookmarkInterval) {
        this.catalog = catalog;
        this.paths = new ResourcePaths(catalog);
        this.access = access;
        this.reviews = reviews;
        this.documents = new ServedDocuments(new ServedApis(catalog));
        Tables tables = new Tables(clock);
        this.reads = new ReadHandler(store, tables);
        this.writes = new WriteHandler(store, admission, owners);
        this.scales = new ScaleHandler(store, admission, owners);
        this.deletes = new DeleteHandler(store, deletion);
        this.watches = new WatchHandler(store, tables, faults, bookmarkInterval);
        this.bindings = new BindingHandler(store, clock);
        this.evictions = new EvictionHandler(store, deletion, catalog, clock);
        this.faults = faults;
        this.log = log;
    }

    void closeWatches() {
        watches.closeAll();
    }

    int openWatches() {
        return watches.openWatches();
    }

    /** Answers one request; may block. */
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
                watches.serve(exchange, watched, request);
                return;
            }
            Response response = answer(request, user, "127.0.0.1:" + exchange.localPort());
            if (!lost) {
                send(exchange, response);
            }
        } catch (StatusError e) {
            if (!lost) {
                send(exchange, new Response(e.code(), e.status()));
            }
        } catch (IOException e) {
            // The client has gone, which is how watches end.
            LOG.debug("connection of {} lost", exchange.path(), e);
        } finally {
            exchange.drop();
        }
    }

    /**
     * Carries a request out, other than a watch.
     *
     * @param address of this server, as it appears in discovery documents
     */
    Response answer(ApiRequest request, ApiUser user, String address) {
        try {
            return respond(request, user, address);
        } catch (StatusError e) {
            return new Response(e.code(), e.status());
        } catch (RuntimeException e) {
            LOG.error("{} {} failed", request.method(), request.segments(), e);
            return new Response(
                    500, StatusError.of(500, "InternalError", String.valueOf(e)).status());
        }
    }

    private void authorize(String userAgent, ApiUser user, ApiRequest request) {
        AccessQuestion question = AccessQuestion.of(request);
        AccessDecision decision = access.decide(user, question);
        paths.find(request.segments()).ifPresent(target -> log.add(userAgent, user, request, target, decision));
        if (!decision.allowed()) {
            throw access.refusal(user, question, decision);
        }
    }

    /** Carries out the fault ordered for this request, if any; true when its answer is to be lost. */
    private boolean applyFault(Exchange exchange, ApiRequest request) {
        Faults.@Nullable Effect effect = faults.next(request.method(), exchange.path());
        if (effect instanceof Faults.Answer answer) {
            throw StatusError.of(answer.code(), answer.reason(), answer.message());
        }
        if (effect instanceof Faults.Delay delay) {
            try {
                Thread.sleep(delay.duration().toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return effect instanceof Faults.LoseAnswer;
    }

    private @Nullable ResourceRequest watched(ApiRequest request) {
        boolean wanted = request.method().equals("GET") && request.parameters().containsKey("watch");
        return wanted && request.flag("watch") ? paths.find(request.segments()).orElse(null) : null;
    }

    private Response respond(ApiRequest request, ApiUser user, String address) {
        Optional<Response> review = reviews.answer(request, user);
        if (review.isPresent()) {
            return review.get();
        }
        Optional<ResourceRequest> target = paths.find(request.segments());
        if (target.isPresent()) {
            return target.get().subresource().isEmpty()
                    ? onObject(target.get(), request)
                    : onSubresource(target.get(), request);
        }
        List<String> path = request.segments();
        if (path.size() == 5
                && path.get(0).equals("api")
                && path.get(2).equals("namespaces")
                && path.get(4).equals("bindings")
                && request.method().equals("POST")) {
            String name = Json.text(request.bodyObject(), "metadata", "name");
            return bindings.bind(catalog.named("pods"), path.get(3), name, request);
        }
        if (!request.method().equals("GET")) {
            throw path.isEmpty() ? StatusError.methodNotAllowed() : StatusError.noSuchPath();
        }
        return documents.find(path, request.accept(), address);
    }

    private Response onObject(ResourceRequest target, ApiRequest request) {
        boolean collection = target.name().isEmpty();
        // Objects in namespaces are written through the path of their namespace only.
        boolean everywhere = target.type().namespaced() && target.namespace().isEmpty();
        return switch (request.method()) {
            case "GET" -> collection ? reads.list(target, request) : reads.get(target, request);
            case "POST" -> {
                if (!collection || everywhere) {
                    throw StatusError.methodNotAllowed();
                }
                yield writes.create(target, request);
            }
            case "PUT" -> {
                if (collection) {
                    throw StatusError.methodNotAllowed();
                }
                yield writes.update(target, request);
            }
            case "PATCH" -> {
                if (collection) {
                    throw StatusError.methodNotAllowed();
                }
                yield writes.patch(target, request);
            }
            case "DELETE" -> {
                if (collection && everywhere) {
                    throw StatusError.methodNotAllowed();
                }
                yield collection ? deletes.deleteCollection(target, request) : deletes.delete(target, request);
            }
            default -> throw StatusError.methodNotAllowed();
        };
    }

    private Response onSubresource(ResourceRequest target, ApiRequest request) {
        boolean post = request.method().equals("POST");
        switch (target.subresource()) {
            case "binding", "eviction" -> {
                if (!target.type().isPod()) {
                    throw StatusError.noSuchPath();
                }
                if (!post) {
                    throw StatusError.methodNotAllowed();
                }
                return target.subresource().equals("binding")
                        ? bindings.bind(target.type(), target.namespace(), target.name(), request)
                        : evictions.evict(target.type(), target.namespace(), target.name(), request);
            }
            case "scale" -> {
                if (!target.type().hasScale()) {
                    throw StatusError.noSuchPath();
                }
                return switch (request.method()) {
                    case "GET" -> scales.get(target);
                    case "PUT", "PATCH" -> scales.write(target, request);
                    default -> throw StatusError.methodNotAllowed();
                };
            }
            case "log", "exec", "attach", "portforward" -> {
                if (!target.type().isPod()) {
                    throw StatusError.noSuchPath();
                }
                reads.get(target, request);
                throw StatusError.nothingRuns(target.subresource());
            }
            case "status" -> {
                if (!target.type().hasStatus()) {
                    throw StatusError.noSuchPath();
                }
                return switch (request.method()) {
                    case "GET" -> reads.get(target, request);
                    case "PUT" -> writes.update(target, request);
                    case "PATCH" -> writes.patch(target, request);
                    default -> throw StatusError.methodNotAllowed();
                };
            }
            default -> throw StatusError.noSuchPath();
        }
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
}
