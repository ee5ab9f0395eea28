package io.policyscheduler.cmd.live;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.EventRecorder;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventApi;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.ReleaseRules;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server's responses to the condition and to the deletion, the requests, and the result. */
@Timeout(60)
class PodEvictorTest {
    private static final String NOT_FOUND =
            "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"details\":{\"name\":\"v\"},\"message\":\"404\"}";

    /** A victim that waits on Permit is rejected; releases before 1.22 delete it, too. */
    @ParameterizedTest
    @CsvSource({"true, true, ''", "true, false, ''", "false, false, DELETE"})
    void rejectsAVictimThatWaits(boolean onlyRejects, boolean cancels, String asked) throws ApiIoException {
        ReleaseRules rules = mock(ReleaseRules.class);
        when(rules.evictionReason()).thenReturn("");
        when(rules.rejectsWaitingVictims()).thenReturn(onlyRejects);
        when(rules.preemptor(any())).thenReturn("a pod");
        when(rules.cancelsBindingVictims()).thenReturn(cancels);
        WaitingPods.WaitingPod waiting = mock(WaitingPods.WaitingPod.class);
        when(waiting.pod()).thenReturn(pod("v").uid("v").build());
        try (FakeApiServer server = new FakeApiServer(request -> request.answer(200, "{}"));
                KubeConnection connection = KubeConnection.fromUrl(server.url())) {
            InstantSource clock = InstantSource.system();
            EventRecorder events =
                    new EventRecorder(connection, EventApi.of(Set.of("v1")), "s", "i", clock, clock, task -> {});
            new PodEvictor(new PodWriter(connection, "policy/v1"), events, () -> List.of(waiting), rules, 1)
                    .evict(pod("high").uid("h").build(), "n", pod("v").uid("v").build());
            assertEquals(
                    asked,
                    server.requests.stream().map(FakeApiServer.Request::method).collect(Collectors.joining(" ")));
        }
        verify(waiting, times(cancels ? 1 : 0)).preempt("DefaultPreemption", "preempted");
        verify(waiting, times(cancels ? 0 : 1)).reject("DefaultPreemption", "preempted");
    }

    /** Since 1.36, the binding of a victim in PreBind is cancelled; a victim whose PreBind is finished is deleted. */
    @ParameterizedTest
    @CsvSource({
        "true, true, ''",
        "true, false, DELETE",
        "false, true, DELETE",
        "false, false, DELETE",
    })
    void cancelsTheBindingOfAVictim(boolean cancels, boolean isInPreBind, String asked) throws ApiIoException {
        ReleaseRules rules = mock(ReleaseRules.class);
        when(rules.evictionReason()).thenReturn("");
        when(rules.rejectsWaitingVictims()).thenReturn(true);
        when(rules.cancelsBindingVictims()).thenReturn(cancels);
        when(rules.preemptor(any())).thenReturn("a pod");
        WaitingPods waitingPods = mock(WaitingPods.class);
        when(waitingPods.cancelBinding("v", "preempted by DefaultPreemption")).thenReturn(isInPreBind);
        try (FakeApiServer server = new FakeApiServer(request -> request.answer(200, "{}"));
                KubeConnection connection = KubeConnection.fromUrl(server.url())) {
            InstantSource clock = InstantSource.system();
            EventRecorder events =
                    new EventRecorder(connection, EventApi.of(Set.of("v1")), "s", "i", clock, clock, task -> {});
            PodEvictor.Outcome outcome = new PodEvictor(
                            new PodWriter(connection, "policy/v1"), events, waitingPods, rules, 1)
                    .evict(pod("high").uid("h").build(), "n", pod("v").uid("v").build());
            assertEquals("", outcome.refusal());
            assertEquals(
                    asked,
                    server.requests.stream().map(FakeApiServer.Request::method).collect(Collectors.joining(" ")));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | 200 | 200 | PATCH DELETE | going",
                "true  | 403 | 200 | PATCH             | its condition cannot be set: 403",
                "true  | 422 | 200 | PATCH             | its condition cannot be set: 422",
                "true  | 404 | 200 | PATCH             | gone",
                "true  | 500 | 200 | PATCH             | silence",
                "true  | 200 | 404 | PATCH DELETE | gone",
                "true  | 200 | 403 | PATCH DELETE      | 403",
                "true  | 200 | 500 | PATCH DELETE      | silence",
                "false | 403 | 200 | DELETE       | going",
                "false | 403 | 404 | DELETE       | going",
                "false | 403 | 403 | DELETE            | 403",
            })
    void marksAVictimBeforeItIsDeleted(boolean explains, int mark, int deletion, String asked, String expected) {
        ReleaseRules rules = mock(ReleaseRules.class);
        when(rules.evictionReason()).thenReturn(explains ? "PreemptionByScheduler" : "");
        when(rules.rejectsWaitingVictims()).thenReturn(explains);
        when(rules.ignoresDeletedVictims()).thenReturn(explains);
        when(rules.preemptor(any())).thenReturn("a pod");
        try (FakeApiServer server = new FakeApiServer(request -> {
                    int code = switch (request.method()) {
                        case "PATCH" -> mark;
                        case "DELETE" -> deletion;
                        default -> 201;
                    };
                    request.answer(code, code == 404 ? NOT_FOUND : "{\"message\":\"" + code + "\"}");
                });
                KubeConnection connection = KubeConnection.fromUrl(server.url())) {
            InstantSource clock = InstantSource.system();
            // Events are tested elsewhere.
            EventRecorder events =
                    new EventRecorder(connection, EventApi.of(Set.of("v1")), "s", "i", clock, clock, task -> {});
            PodEvictor evictor =
                    new PodEvictor(new PodWriter(connection, "policy/v1"), events, () -> List.of(), rules, 1);
            String outcome;
            try {
                PodEvictor.Outcome result = evictor.evict(
                        pod("high").uid("h").build(), "n", pod("v").uid("v").build());
                outcome = result.wasGone() ? "gone" : result.refusal().isEmpty() ? "going" : result.refusal();
            } catch (ApiIoException e) {
                outcome = "silence";
            }
            assertEquals(expected, outcome);
            assertEquals(
                    List.of(asked.split(" ")),
                    server.requests.stream().map(FakeApiServer.Request::method).toList());
        }
    }
}
