package io.policyscheduler.cmd.kube.write;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;

/**
 * Events of core/v1: equal ones within ten minutes are counted in one object, and so are those that differ in their message only,
 * from the tenth on; a pod's events are rate-limited. Mirrors client-go {@code tools/record}.
 */
final class CoreEvents implements EventChannel {
    private static final int NOT_FOUND = 404;
    /** Of a name that nobody else makes: an earlier try was carried out, only its answer was lost. */
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
    public Telling tell(EventOccurrence event) {
        EventOccurrence cut = event.withText(
                event.text().withMessage(EventBody.cut(event.text().message())));
        return correlator
                .correlate(cut)
                .map(told -> {
                    // The same for all tries: one whose answer was lost must not become a second event.
                    String name = names.next(event.pod().name(), event.time());
                    return Telling.of(again -> send(cut, told, name, again));
                })
                .orElse(Telling.DROPPED);
    }

    private ApiResponse send(EventOccurrence event, EventCorrelator.Correlated told, String name, boolean again)
            throws ApiIoException {
        EventCorrelator.Recorded before = correlator.recorded(told.key(), event.at());
        if (before != null) {
            ApiResponse response = countUp(event, told, before);
            if (response.code() != NOT_FOUND) {
                return response;
            }
            // The event object no longer exists: events are deleted after an hour, or by hand.
        }
        PodReference pod = event.pod();
        ApiResponse response = connection.post(path(pod), bodies.create(name, pod, told.text(), event.time()));
        if (response.success() || (again && response.code() == EXISTS)) {
            correlator.written(told.key(), new EventCorrelator.Recorded(name, 1, event.at()));
        }
        return response;
    }

    private ApiResponse countUp(EventOccurrence event, EventCorrelator.Correlated told, EventCorrelator.Recorded before)
            throws ApiIoException {
        int count = before.count() + 1;
        String message = told.isCombined() ? told.text().message() : "";
        ApiResponse response = connection.patch(
                path(event.pod()) + "/" + before.eventName(),
                KubeConnection.MERGE_PATCH,
                bodies.count(count, message, event.time()));
        if (response.success()) {
            correlator.written(told.key(), new EventCorrelator.Recorded(before.eventName(), count, event.at()));
        }
        return response;
    }

    private static String path(PodReference pod) {
        return "/api/v1/namespaces/" + pod.namespace() + "/events";
    }
}
