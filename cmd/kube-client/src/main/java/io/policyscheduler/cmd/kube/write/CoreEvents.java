package io.policyscheduler.cmd.kube.write;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.EventBody.EventNames;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventOccurrence;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventSink;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.kube.write.EventRecorder.LruMap;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Events of core/v1. Equal events within ten minutes are counted in one object, and so are those that differ only in their
 * message, from the tenth on. The events of a pod are rate-limited. Mirrors client-go {@code tools/record}.
 */
final class CoreEvents implements EventSink {
    private static final int NOT_FOUND = 404;
    /** The name is unique: an earlier request was executed, but its response was lost. */
    private static final int EXISTS = 409;

    private final KubeConnection connection;
    private final EventBody bodies;
    private final EventCorrelator correlator = new EventCorrelator();
    private final EventNames names = new EventNames();

    CoreEvents(KubeConnection connection, String instance) {
        this.connection = connection;
        this.bodies = new EventBody(instance);
    }

    @Override
    public EventResult send(EventOccurrence event) {
        EventOccurrence cut = event.withText(
                event.text().withMessage(EventBody.cut(event.text().message())));
        return correlator
                .correlate(cut)
                .map(correlated -> {
                    // The same for all attempts, so that a lost response does not cause a second event.
                    String name = names.next(event.pod().name(), event.time());
                    return EventResult.of(again -> send(cut, correlated, name, again));
                })
                .orElse(EventResult.DROPPED);
    }

    private ApiResponse send(EventOccurrence event, EventCorrelator.Correlated correlated, String name, boolean again)
            throws ApiIoException {
        EventCorrelator.Recorded before = correlator.recorded(correlated.key(), event.at());
        if (before != null) {
            ApiResponse response = patchCount(event, correlated, before);
            if (response.code() != NOT_FOUND) {
                return response;
            }
            // The event object no longer exists: events are deleted after an hour, or by hand.
        }
        ObjectReference pod = event.pod();
        ApiResponse response = connection.post(path(pod), bodies.create(name, pod, correlated.text(), event.time()));
        if (response.success() || (again && response.code() == EXISTS)) {
            correlator.written(correlated.key(), new EventCorrelator.Recorded(name, 1, event.at()));
        }
        return response;
    }

    private ApiResponse patchCount(
            EventOccurrence event, EventCorrelator.Correlated correlated, EventCorrelator.Recorded before)
            throws ApiIoException {
        int count = before.count() + 1;
        String message = correlated.isCombined() ? correlated.text().message() : "";
        ApiResponse response = connection.patch(
                path(event.pod()) + "/" + before.eventName(),
                KubeConnection.MERGE_PATCH,
                bodies.count(count, message, event.time()));
        if (response.success()) {
            correlator.written(correlated.key(), new EventCorrelator.Recorded(before.eventName(), count, event.at()));
        }
        return response;
    }

    private static String path(ObjectReference pod) {
        return "/api/v1/namespaces/" + pod.namespace() + "/events";
    }

    /** A token bucket for one object's events: 25 at once, then one every five minutes (client-go EventSourceObjectSpamFilter). */
    static final class EventBudget {
        private static final int BURST = 25;
        private static final Duration REFILL = Duration.ofMinutes(5);

        private double tokens = BURST;
        private Instant last;

        EventBudget(Instant now) {
            last = now;
        }

        boolean tryTake(Instant now) {
            double elapsed = Math.max(0, Duration.between(last, now).toNanos());
            tokens = Math.min(BURST, tokens + elapsed / REFILL.toNanos());
            last = now;
            if (tokens < 1) {
                return false;
            }
            tokens -= 1;
            return true;
        }
    }

    /**
     * Decides whether an event is written as a new object, counted in an existing one, or dropped because of the rate limit
     * (client-go tools/record EventCorrelator). Not thread-safe.
     */
    static final class EventCorrelator {
        private static final Duration SAME_EVENT = Duration.ofMinutes(10);
        private static final int REMEMBERED = 4096;
        /** Maximum number of different messages of one pod and reason within ten minutes that are written as separate events. */
        private static final int SIMILAR = 10;

        private static final String COMBINED = "(combined from similar events): ";

        private final Map<Key, Recorded> recorded = new LruMap<>(REMEMBERED);
        private final Map<SpamKey, EventBudget> budgets = new LruMap<>(REMEMBERED);
        private final Map<Key, SimilarEvents> similar = new LruMap<>(REMEMBERED);

        /** @param message empty for all messages */
        record Key(String component, String podUid, String type, String reason, String message) {
            private static Key of(EventOccurrence event, String message) {
                EventText text = event.text();
                return new Key(text.component(), event.pod().uid(), text.type(), text.reason(), message);
            }
        }

        /**
         * The event to write.
         *
         * @param key of the events that are counted in one object
         */
        record Correlated(EventText text, Key key) {
            /** Whether its object aggregates events with different messages. */
            boolean isCombined() {
                return key.message().isEmpty();
            }
        }

        /** @param last time of the last occurrence, by the steady clock */
        record Recorded(String eventName, int count, Instant last) {}

        private record SpamKey(String component, String podUid) {}

        /** The messages of one pod and reason (client-go EventAggregator). */
        private static final class SimilarEvents {
            private final Set<String> messages = new LinkedHashSet<>();
            private Instant last = Instant.MIN;

            /** Whether events are aggregated. */
            boolean isTooMany(String message, Instant now) {
                if (last.isBefore(now.minus(SAME_EVENT))) {
                    messages.clear();
                }
                last = now;
                messages.add(message);
                if (messages.size() < SIMILAR) {
                    return false;
                }
                messages.remove(messages.iterator().next());
                return true;
            }
        }

        /** The event to write; empty if it is rate-limited. */
        Optional<Correlated> correlate(EventOccurrence event) {
            EventText text = event.text();
            EventBudget budget = budgets.computeIfAbsent(
                    new SpamKey(text.component(), event.pod().uid()), key -> new EventBudget(event.at()));
            Key all = Key.of(event, "");
            boolean combined =
                    similar.computeIfAbsent(all, key -> new SimilarEvents()).isTooMany(text.message(), event.at());
            if (!budget.tryTake(event.at())) {
                return Optional.empty();
            }
            return Optional.of(
                    combined
                            ? new Correlated(text.withMessage(EventBody.cut(COMBINED + text.message())), all)
                            : new Correlated(text, Key.of(event, text.message())));
        }

        /** The object that counts this event; null for a new object. */
        @Nullable
        Recorded recorded(Key key, Instant now) {
            Recorded before = recorded.get(key);
            return before != null && before.last().isAfter(now.minus(SAME_EVENT)) ? before : null;
        }

        /** Records a written object. */
        void written(Key key, Recorded object) {
            recorded.put(key, object);
        }
    }
}
