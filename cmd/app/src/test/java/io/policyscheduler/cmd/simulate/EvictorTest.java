package io.policyscheduler.cmd.simulate;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.simulate.Evictor.Rate;
import io.policyscheduler.framework.insight.whatif.EvictionPlan.Eviction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;

class EvictorTest {
    private final List<String> log = new ArrayList<>();
    /** The server's responses for the pods, in order; 0 for none. */
    private final Map<String, Deque<Integer>> answers = new HashMap<>();

    private List<String> run(int attempts, String... pods) throws Exception {
        KubeConnection connection = mock(KubeConnection.class);
        when(connection.postOnce(anyString(), ArgumentMatchers.any())).thenAnswer(call -> {
            String path = call.getArgument(0);
            String name = path.replaceAll("/api/v1/namespaces/default/pods/(.*)/eviction", "$1");
            log.add(name);
            int code =
                    answers.getOrDefault(name, new ArrayDeque<>(List.of(201))).removeFirst();
            if (code == 0) {
                throw new ApiIoException("POST " + name + ": no answer", new java.io.IOException("closed"));
            }
            return new ApiResponse(code, ("{\"message\":\"code " + code + "\"}").getBytes(StandardCharsets.UTF_8));
        });
        Evictor evictor = new Evictor(
                new PodWriter(connection, "policy/v1"),
                new Rate(Duration.ofSeconds(6)),
                attempts,
                delay -> log.add("wait " + delay.toSeconds()));
        List<Eviction> evictions = new ArrayList<>();
        for (String name : pods) {
            evictions.add(new Eviction(pod(name).onNode("n1").build(), "n2"));
        }
        return evictor.run(evictions, outcome -> {}).stream()
                .map(outcome -> outcome.eviction().pod().name() + " " + outcome.kind() + " " + outcome.message())
                .toList();
    }

    private void answer(String pod, Integer... codes) {
        answers.put(pod, new ArrayDeque<>(List.of(codes)));
    }

    @Test
    void oneAfterTheOtherAtTheRate() throws Exception {
        assertEquals(List.of("a EVICTED ", "b EVICTED ", "c EVICTED "), run(3, "a", "b", "c"));
        assertEquals(List.of("a", "wait 6", "b", "wait 6", "c"), log);
    }

    @Test
    void whatABudgetProtectsComesLastAndIsLeftInTheEnd() throws Exception {
        answer("a", 429, 201);
        answer("b", 429, 429);
        assertEquals(List.of("c EVICTED ", "a EVICTED ", "b BUDGET code 429"), run(2, "a", "b", "c"));
        assertEquals(List.of("a", "wait 6", "b", "wait 6", "c", "wait 6", "a", "wait 6", "b"), log);
    }

    @Test
    void otherAnswersAreFinal() throws Exception {
        answer("gone", 404);
        answer("another", 409);
        answer("refused", 403);
        answer("several-budgets", 500);
        answer("silent", 0);
        assertEquals(
                List.of(
                        "gone GONE code 404",
                        "another GONE code 409",
                        "refused FAILED code 403",
                        "several-budgets FAILED code 500",
                        "silent FAILED POST silent: no answer"),
                run(3, "gone", "another", "refused", "several-budgets", "silent"));
    }
}
