package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.cmd.embedded.controller.Controllers.Controller;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A controller of one kind with a work queue, which reconciles an object after a change of it or of its dependents. */
public abstract class KeyedController implements Controller {
    private static final Logger LOG = LoggerFactory.getLogger(KeyedController.class);

    private final Clientset objects;
    private final ResourceType type;
    private final List<ResourceType> watched;
    private final WorkQueue<ObjectKey> queue;

    public KeyedController(Clientset objects, String resource, String... others) {
        this.objects = objects;
        this.type = objects.type(resource);
        List<ResourceType> all = new ArrayList<>(List.of(type));
        for (String other : others) {
            all.add(objects.type(other));
        }
        this.watched = List.copyOf(all);
        this.queue = new WorkQueue<>(objects.clock());
    }

    /** Reconciles one object by one step. */
    public abstract void reconcile(ObjectNode object);

    /** Cleans up after a deleted object; by default nothing. */
    public void reconcileAbsent(ObjectKey key) {}

    /** Receives an object of another kind; by default its controlling owner is queued. */
    public void handleRelated(ResourceType other, ObjectNode object) {
        JsonNode owner = Owners.controllerOf(object);
        if (Json.text(owner, "kind").equals(type.kind())) {
            enqueue(new ObjectKey(ObjectKey.of(object).namespace(), Json.text(owner, "name")));
        }
    }

    public final Clientset objects() {
        return objects;
    }

    public final ResourceType type() {
        return type;
    }

    public final void enqueue(ObjectKey key) {
        queue.add(key);
    }

    public final void enqueueAt(Instant due, ObjectNode object) {
        queue.addAt(due, ObjectKey.of(object));
    }

    @Override
    public final List<ResourceType> watches() {
        return watched;
    }

    @Override
    public final void handle(ResourceType kind, ObjectNode object, boolean deleted) {
        if (kind.equals(type)) {
            enqueue(ObjectKey.of(object));
        } else {
            handleRelated(kind, object);
        }
    }

    @Override
    public final boolean work() {
        boolean any = false;
        Optional<ObjectKey> next = queue.poll();
        while (next.isPresent()) {
            any = true;
            ObjectKey key = next.get();
            try {
                objects.get(type, key).ifPresentOrElse(this::reconcile, () -> reconcileAbsent(key));
            } catch (RuntimeException e) {
                String name = key.namespace().isEmpty() ? key.name() : key.namespace() + "/" + key.name();
                LOG.error("{} {} could not be updated; the controller retries when it changes", type.plural(), name, e);
            }
            next = queue.poll();
        }
        return any;
    }

    /** A deduplicating FIFO queue with delayed adds (client-go workqueue). */
    public static final class WorkQueue<T> {
        private record Delayed<T>(Instant due, long number, T item) {}

        private final Clock clock;
        private final Set<T> ready = new LinkedHashSet<>();
        private final PriorityQueue<Delayed<T>> delayed = new PriorityQueue<>(
                Comparator.<Delayed<T>, Instant>comparing(Delayed::due).thenComparingLong(Delayed::number));
        private long added;

        public WorkQueue(Clock clock) {
            this.clock = clock;
        }

        public void add(T item) {
            ready.add(item);
        }

        public void addAt(Instant due, T item) {
            delayed.add(new Delayed<>(due, added++, item));
        }

        public Optional<T> poll() {
            Instant now = clock.instant();
            while (!delayed.isEmpty() && !delayed.peek().due().isAfter(now)) {
                ready.add(delayed.remove().item());
            }
            Optional<T> first = ready.stream().findFirst();
            first.ifPresent(ready::remove);
            return first;
        }
    }
}
