package io.policyscheduler.cmd.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.primitives.ImmutableLongArray;
import io.policyscheduler.cmd.history.DecisionRecord.TableMark;
import io.policyscheduler.cmd.http.StatusContent.Page;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecisionHistoryTest {
    private static final Instant NOW = Instant.parse("2024-05-01T10:00:00Z");

    private static DecisionHistory history(int capacity) {
        return new DecisionHistory(capacity, InstantSource.fixed(NOW));
    }

    private static PodInfo pod(String name) {
        return PodBuilder.pod(name).build();
    }

    private static QueuedPod entry(PodInfo pod, int attempts) {
        return new QueuedPod(pod, NOW, 1, attempts, NOW, NOW, Set.of());
    }

    private static Decision placed(String node) {
        return new Decision(Decision.Kind.PLACED, node, 7, "", 2, 3).withGeneration(4);
    }

    private static Decision unfit(String message) {
        return new Decision(Decision.Kind.UNSCHEDULABLE, null, 0, message, 0, 3);
    }

    private static List<String> numbers(DecisionHistory history) {
        return history.find(kept -> true).stream()
                .map(kept -> kept.number() + " " + kept.info().pod() + " "
                        + kept.result().outcome().text())
                .toList();
    }

    @Test
    void theTablesThatWereInForceAreRemembered() {
        List<TableMark> load = List.of(new TableMark("load", 7, NOW, 2, "timeout"));
        DecisionHistory history = new DecisionHistory(
                2,
                InstantSource.fixed(NOW),
                (generation, schedulerName) ->
                        generation == 4 && schedulerName.equals("default-scheduler") ? load : List.of(),
                null);
        history.onDecision(pod("a"), placed("n"), 1);
        history.onDecision(pod("b"), unfit("full"), 1);
        List<String> told = history.find(kept -> true).stream()
                .map(kept -> DecisionJson.full(kept, "first").path("tables").toString())
                .toList();
        assertEquals(
                List.of(
                        "",
                        "[{\"name\":\"load\",\"generation\":7,\"measured\":\"2024-05-01T10:00:00Z\",\"stale\":2,"
                                + "\"problem\":\"timeout\"}]"),
                told);
    }

    @Test
    void theOldestGo() {
        DecisionHistory history = history(2);
        for (String name : List.of("a", "b", "c")) {
            history.onDecision(pod(name), unfit(name), 1);
        }
        assertEquals(List.of("3 default/c unschedulable", "2 default/b unschedulable"), numbers(history));
        assertEquals(3, history.decided());
        long bytes = history.bytes();
        for (String name : List.of("a", "b", "c")) {
            history.onDecision(pod(name), unfit(name), 1);
        }
        assertEquals(bytes, history.bytes());
        // The result of a decision that was dropped is ignored.
        history.onBound(entry(pod("a"), 1), "n", 1);
        assertEquals(List.of("6 default/c unschedulable", "5 default/b unschedulable"), numbers(history));
    }

    @Test
    void offKeepsNothing() {
        DecisionHistory history = history(0);
        history.onAttempt(entry(pod("a"), 1));
        history.onDecision(pod("a"), placed("n"), 1);
        history.onBound(entry(pod("a"), 1), "n", 1);
        assertFalse(history.needsDetails());
        assertEquals(0, history.bytes());
        assertEquals(List.of(), numbers(history));
        assertEquals(Page.Answer.NOT_FOUND, new DecisionPage(history, "first").answer(name -> Set.of()));
    }

    @Test
    void outcomesAreThoseOfTheLastDecisionAboutThePod() {
        DecisionHistory history = history(9);
        PodInfo pod = pod("a");
        history.onDecision(pod, placed("n1"), 1);
        history.onBindFailed(entry(pod, 1), "n1", "no");
        history.onFailure(entry(pod, 1), "SchedulerError", "not this");
        history.onDecision(pod, unfit("0/1"), 1);
        history.onFailure(entry(pod, 1), "Unschedulable", "0/1 and more");
        history.onDecision(pod, placed("n2"), 1);
        history.onBound(entry(pod, 3), "elsewhere", 1);
        history.onBound(entry(pod, 3), "n2", 1);
        history.onDecision(pod("b"), placed("n3"), 1);
        history.onDecision(pod("c"), placed("n3"), 1);
        history.onFailure(entry(pod("c"), 1), "SchedulerError", "cannot be assumed");
        assertEquals(
                List.of(
                        new DecisionRecord.Result(DecisionRecord.Outcome.ERROR, "cannot be assumed", null),
                        new DecisionRecord.Result(DecisionRecord.Outcome.BINDING, "", null),
                        new DecisionRecord.Result(DecisionRecord.Outcome.BOUND, "", null),
                        new DecisionRecord.Result(DecisionRecord.Outcome.UNSCHEDULABLE, "0/1 and more", null),
                        new DecisionRecord.Result(DecisionRecord.Outcome.BIND_REFUSED, "no", null)),
                history.find(kept -> true).stream().map(DecisionRecord::result).toList());
    }

    @Test
    void tellsAll() throws Exception {
        DecisionHistory history = history(5);
        PodInfo pod = pod("a");
        history.onAttempt(entry(pod, 2));
        history.onAttempted(
                pod,
                new AttemptDetails(
                        3,
                        List.of(new AttemptDetails.Rejection("full", 1, List.of("n3"))),
                        0,
                        List.of(new AttemptDetails.Algorithm("A", 2)),
                        0,
                        List.of(
                                new AttemptDetails.Scored("n1", 6, ImmutableLongArray.of(3)),
                                new AttemptDetails.Scored("n2", 4, ImmutableLongArray.of(2))),
                        1));
        history.onDecision(pod, placed("n1"), 1_500_000);
        history.onNominated(pod, "n9", List.of(pod("v")));
        Map<String, Set<String>> query = Map.of("pod", Set.of("default/a"));
        Page.Answer answer = new DecisionPage(history, "first").answer(name -> query.getOrDefault(name, Set.of()));
        ObjectMapper mapper = new ObjectMapper();
        assertEquals(
                mapper.readTree(
                        ("{'capacity':5,'kept':1,'decided':1,'since':'2024-05-01T10:00:00Z','found':1,'decisions':"
                                        + "[{'number':1,'pod':'default/a','attempt':2,'time':'2024-05-01T10:00:00Z','profile':'"
                                        + pod.spec().schedulerName()
                                        + "','generation':4,'outcome':'binding','node':'n1',"
                                        + "'message':null,'uid':'" + pod.uid()
                                        + "','micros':1500,'nodes':{'total':3,'examined':3,"
                                        + "'feasible':2},'rejections':[{'reason':'full','nodes':1,'names':['n3']}],'otherReasons':0,"
                                        + "'best':[{'node':'n1','total':6,'scores':[{'algorithm':'A','raw':3,'weight':2,'weighted':6}]},"
                                        + "{'node':'n2','total':4,'scores':[{'algorithm':'A','raw':2,'weight':2,'weighted':4}]}],"
                                        + "'otherAlgorithms':0,'runnerUp':{'node':'n2','total':4,'behind':2},'tie':null,"
                                        + "'nominatedNode':null,'preemption':{'node':'n9','victims':['default/v'],'victimCount':1},"
                                        + "'cut':false}]}")
                                .replace('\'', '"')),
                mapper.readTree(answer.text()));
        assertEquals(200, answer.code());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limit | 0 | limit: \"0\" is not a number from 1 to 1000",
                "limit | 1001 | limit: \"1001\" is not a number from 1 to 1000",
                "limit | x | limit: \"x\" is not a number from 1 to 1000",
                "limit | '' | limit: \"\" is not a number from 1 to 1000",
                "pod | a | pod: \"a\" is not NAMESPACE/NAME",
                "pod | a/b/c | pod: \"a/b/c\" is not NAMESPACE/NAME",
                "pod | '' | pod: \"\" is not NAMESPACE/NAME",
            })
    void malformedQueries(String name, String value, String text) {
        assertEquals(
                Page.Answer.text(400, text + "\n"),
                new DecisionPage(history(1), "first").answer(asked -> asked.equals(name) ? Set.of(value) : Set.of()));
    }

    /** Readers never see a decision twice, nor one whose number does not belong to its pod. */
    @Test
    @Timeout(60)
    void readersMayReadWhileItIsWritten() {
        DecisionHistory history = history(16);
        AtomicBoolean written = new AtomicBoolean();
        CompletableFuture<Integer> reader = CompletableFuture.supplyAsync(() -> {
            int most = 0;
            do {
                List<DecisionRecord> all = history.find(kept -> true);
                most = Math.max(most, all.size());
                assertEquals(
                        all.size(),
                        all.stream().map(DecisionRecord::number).distinct().count());
                all.forEach(kept ->
                        assertEquals("default/p" + kept.number(), kept.info().pod()));
            } while (!written.get());
            return most;
        });
        for (int i = 1; i <= 20_000; i++) {
            PodInfo pod = pod("p" + i);
            history.onDecision(pod, placed("n"), 1);
            history.onBound(entry(pod, 1), "n", 1);
        }
        written.set(true);
        assertTrue(reader.join() <= 16);
        assertEquals(16, numbers(history).size());
    }
}
