package io.policyscheduler.cmd.kube.write;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether an event is written as one of its own, counted in one that was written before, or not at all because its pod has
 * had too many (client-go tools/record EventCorrelator). Not thread-safe.
 */
final class EventCorrelator {
    private static final Duration SAME_EVENT = Duration.ofMinutes(10);
    private static final int REMEMBERED = 4096;
    /** Messages of one pod and reason, within ten minutes, that are written one by one. */
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
     * What is to be written.
     *
     * @param key of the events that are counted in one object
     */
    record Correlated(EventText text, Key key) {
        /** Whether its object stands for events that differ in their message. */
        boolean isCombined() {
            return key.message().isEmpty();
        }
    }

    /** @param last when it happened last, by the steady clock */
    record Recorded(String eventName, int count, Instant last) {}

    private record SpamKey(String component, String podUid) {}

    /** The messages seen of one pod and reason (client-go EventAggregator). */
    private static final class SimilarEvents {
        private final Set<String> messages = new LinkedHashSet<>();
        private Instant last = Instant.MIN;

        /** True when there are too many to be written one by one. */
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

    /** How an event is written; empty when its pod has had too many. */
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

    /** The object that an event of now is counted in; null when it needs one of its own. */
    @Nullable
    Recorded recorded(Key key, Instant now) {
        Recorded before = recorded.get(key);
        return before != null && before.last().isAfter(now.minus(SAME_EVENT)) ? before : null;
    }

    /** An object has been written. */
    void written(Key key, Recorded object) {
        recorded.put(key, object);
    }
}
