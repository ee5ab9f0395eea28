package io.policyscheduler.cmd.live;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.live.PodEvictor.ParallelEvictions;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The victims {@code a}, {@code b}, and {@code c}, and the server's response to each. */
class SeveralEvictionsTest {
    private final Deque<Runnable> calls = new ArrayDeque<>();
    private final Map<String, String> answers = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private final List<ParallelEvictions.Outcome> outcomes = new ArrayList<>();

    private PodEvictor.Outcome answer(PodInfo victim) throws ApiIoException {
        asked.add(victim.name());
        String answer = answers.getOrDefault(victim.name(), "going");
        return switch (answer) {
            case "going" -> new PodEvictor.Outcome("", false);
            case "gone" -> new PodEvictor.Outcome("", true);
            case "silence" -> throw new ApiIoException("no answer from " + victim.name(), 500);
            case "bug" -> throw new IllegalStateException("a bug");
            default -> new PodEvictor.Outcome(answer, false);
        };
    }

    private static PodInfo named(String name) {
        return pod(name).uid(name).build();
    }

    private void evict(String... victims) {
        new ParallelEvictions((preemptor, node, victim) -> answer(victim), calls::add)
                .evict(
                        named("high"),
                        "n",
                        List.of(victims).stream()
                                .map(SeveralEvictionsTest::named)
                                .toList(),
                        outcomes::add);
    }

    private void runAll() {
        for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
            assertEquals(List.of(), outcomes, "reported before the last call");
            call.run();
        }
    }

    private static String text(ParallelEvictions.Outcome outcome) {
        return "left " + outcome.left().stream().map(PodInfo::name).toList() + " gone " + outcome.gone()
                + (outcome.refusal().isEmpty() ? "" : " refused " + outcome.refusal())
                + (outcome.unanswered() == null
                        ? ""
                        : " " + outcome.unanswered().getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "going   | going   | going | a b c | left [] gone 0",
                "gone    | going   | gone  | a b c | left [] gone 2",
                "gone    | gone    | gone  | a b c | left [] gone 3",
                "silence | going   | going | a     | left [a, b, c] gone 0 no answer from a",
                "going   | silence | gone  | a b   | left [b, c] gone 0 no answer from b",
                "gone    | no      | gone  | a b   | left [b, c] gone 1 refused default/b: no",
                "going   | going   | no    | a b c | left [c] gone 0 refused default/c: no",
                "bug     | going   | going | a     | left [a, b, c] gone 0 refused default/a: java.lang.IllegalStateException: a bug",
            })
    void afterAFailureNoneIsBegun(String a, String b, String c, String expectedCalls, String expected) {
        answers.putAll(Map.of("a", a, "b", b, "c", c));
        evict("a", "b", "c");
        assertEquals(3, calls.size(), "calls at once");
        runAll();
        assertEquals(List.of(expectedCalls.split(" ")), asked);
        assertEquals(
                List.of(expected),
                outcomes.stream().map(SeveralEvictionsTest::text).toList());
    }

    @Test
    void whatIsUnderWayGoesOn() {
        answers.put("a", "silence");
        answers.put("b", "no");
        // Both are requested before either is answered: the first request sends the second.
        new ParallelEvictions(
                        (preemptor, node, victim) -> {
                            if (victim.name().equals("a")) {
                                Objects.requireNonNull(calls.poll()).run();
                            }
                            return answer(victim);
                        },
                        calls::add)
                .evict(named("high"), "n", List.of(named("a"), named("b"), named("c")), outcomes::add);
        runAll();
        assertEquals(List.of("b", "a"), asked);
        assertEquals(
                List.of("left [a, b, c] gone 0 refused default/b: no no answer from a"),
                outcomes.stream().map(SeveralEvictionsTest::text).toList());
    }

    @Test
    void atTheEndOfTheProcessNobodyIsTold() {
        new ParallelEvictions((preemptor, node, victim) -> answer(victim), task -> {
                    throw new RejectedExecutionException();
                })
                .evict(named("high"), "n", List.of(named("a")), outcomes::add);
        assertEquals(List.of(), outcomes);
        assertEquals(List.of(), asked);
    }

    /** A victim whose deletions have no response gets at most one per second. */
    @Test
    void repeatedDeletionsStartAfterASecondAndGetRarer() {
        assertEquals(
                List.of(1L, 2L, 4L, 8L, 10L, 10L),
                IntStream.range(0, 6)
                        .mapToObj(failed -> Preemptors.retryDelay(failed).toSeconds())
                        .toList());
    }
}
