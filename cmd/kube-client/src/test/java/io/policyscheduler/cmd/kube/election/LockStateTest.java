package io.policyscheduler.cmd.kube.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.election.ResourceLock.LeaderElectionRecord;
import io.policyscheduler.cmd.kube.election.ResourceLock.LockKind;
import io.policyscheduler.cmd.kube.election.ResourceLock.LockObject;
import io.policyscheduler.cmd.kube.election.ResourceLock.LockState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The combined state of the Endpoints and the Lease of one lock; {@code -} is a missing object. */
class LockStateTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Instant NOW = Instant.parse("2024-05-01T12:00:00.123456789Z");
    private static final Duration FIFTEEN = Duration.ofSeconds(15);
    private static final String MINE =
            "{'holderIdentity':'me','leaseDurationSeconds':15,'acquireTime':'2024-05-01T11:00:00Z',"
                    + "'renewTime':'2024-05-01T11:59:58Z','leaderTransitions':3}";

    private static LockObject endpoints(String record) throws JsonProcessingException {
        if (record.equals("-")) {
            return LockObject.absent(LockKind.ENDPOINTS, "ns", "n");
        }
        ObjectNode object = MAPPER.createObjectNode();
        ObjectNode metadata = object.putObject("metadata").put("resourceVersion", "7");
        if (!record.isEmpty()) {
            metadata.putObject("annotations")
                    .put("a", "b")
                    .put("control-plane.alpha.kubernetes.io/leader", record.replace('\'', '"'));
        }
        return LockObject.stored(LockKind.ENDPOINTS, object);
    }

    private static LockObject lease(String spec) throws JsonProcessingException {
        if (spec.equals("-")) {
            return LockObject.absent(LockKind.LEASE, "ns", "n");
        }
        ObjectNode object = MAPPER.createObjectNode();
        object.putObject("metadata").put("resourceVersion", "8");
        object.set("spec", MAPPER.readTree(spec.isEmpty() ? "null" : spec.replace('\'', '"')));
        return LockObject.stored(LockKind.LEASE, object);
    }

    private static LockState pair(String endpoints, String lease) throws JsonProcessingException {
        return new LockState(List.of(endpoints(endpoints), lease(lease)));
    }

    private static List<String> records(LockState state) throws JsonProcessingException {
        List<String> records = new ArrayList<>();
        for (LockObject object : state.objects()) {
            JsonNode record = object.kind().find(object.json());
            records.add(record.toString().replace('"', '\''));
        }
        return records;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- | - | '' | 15",
                "'' | - | '' | 15",
                "'' | '' | '' | 15",
                "- | {'holderIdentity':'a'} | a | 15",
                "{'holderIdentity':'a','leaseDurationSeconds':9} | - | a | 9",
                "{'holderIdentity':'a','leaseDurationSeconds':9} | {'holderIdentity':'a','leaseDurationSeconds':20} | a | 20",
                "{'holderIdentity':'a','leaseDurationSeconds':20} | {'holderIdentity':'b','leaseDurationSeconds':9}"
                        + " | leaderelection.k8s.io/unknown | 20",
                "{'holderIdentity':'me'} | {'holderIdentity':'b'} | leaderelection.k8s.io/unknown | 15",
                "'' | {'holderIdentity':'b','leaseDurationSeconds':3} | leaderelection.k8s.io/unknown | 15",
                "{'holderIdentity':'a'} | '' | leaderelection.k8s.io/unknown | 15",
                "{'holderIdentity':'','leaseDurationSeconds':1} | {'holderIdentity':'','leaseDurationSeconds':1} | '' | 1",
                "{'holderIdentity':'','leaseDurationSeconds':1} | {'holderIdentity':'a','leaseDurationSeconds':15}"
                        + " | leaderelection.k8s.io/unknown | 15",
                "null | - | '' | 15",
            })
    void theHolderIsTheOneThatAllObjectsName(String endpoints, String lease, String holder, long seconds)
            throws JsonProcessingException {
        LockState state = pair(endpoints, lease);
        assertEquals(holder, state.holder());
        assertEquals(Duration.ofSeconds(seconds), state.duration(FIFTEEN));
    }

    /** The record continues from the first object that has one; a change of the holder is counted once. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- | - | 2024-05-01T12:00:00 | 123456 | 0",
                "'' | - | 2024-05-01T12:00:00 | 123456 | 0",
                MINE + " | {'holderIdentity':'me','leaseTransitions':3} | 2024-05-01T11:00:00 | 000000 | 3",
                MINE + " | - | 2024-05-01T11:00:00 | 000000 | 3",
                "- | {'holderIdentity':'me','acquireTime':'2024-05-01T11:00:00.700000Z','leaseTransitions':4}"
                        + " | 2024-05-01T11:00:00 | 700000 | 4",
                "{'holderIdentity':'a','leaderTransitions':5} | {'holderIdentity':'a','leaseTransitions':9}"
                        + " | 2024-05-01T12:00:00 | 123456 | 6",
                MINE + " | {'holderIdentity':'a','leaseTransitions':9} | 2024-05-01T12:00:00 | 123456 | 4",
                "- | {'holderIdentity':'a','leaseTransitions':9} | 2024-05-01T12:00:00 | 123456 | 10",
                "{'holderIdentity':'','leaderTransitions':5} | {'holderIdentity':'','leaseTransitions':5}"
                        + " | 2024-05-01T12:00:00 | 123456 | 6",
            })
    void bothObjectsGetTheSameRecord(String endpoints, String lease, String acquired, String micros, long transitions)
            throws JsonProcessingException {
        LockState held = pair(endpoints, lease).heldBy("me", FIFTEEN, NOW);
        List<String> records = records(held);
        assertEquals(
                json("{'holderIdentity':'me','leaseDurationSeconds':15,'acquireTime':'" + acquired + "Z',"
                        + "'renewTime':'2024-05-01T12:00:00Z','leaderTransitions':" + transitions + "}"),
                json(records.get(0)));
        assertEquals(
                json("{'holderIdentity':'me','leaseDurationSeconds':15,'acquireTime':'" + acquired + "." + micros
                        + "Z','renewTime':'2024-05-01T12:00:00.123456Z','leaseTransitions':" + transitions + "}"),
                json(records.get(1)));
        assertEquals("me", held.holder());
    }

    private static JsonNode json(String text) throws JsonProcessingException {
        return MAPPER.readTree(text.replace('\'', '"'));
    }

    @Test
    void aRecordKeepsWhatIsNotKnownOfItsObject() throws JsonProcessingException {
        LockObject held =
                endpoints("{'holderIdentity':'a','other':1}").with(new LeaderElectionRecord("me", 15, NOW, NOW, 2));
        assertEquals(
                "{'metadata':{'resourceVersion':'7','annotations':{'a':'b','control-plane.alpha.kubernetes.io/leader':"
                        + "'{\\'holderIdentity\\':\\'me\\',\\'other\\':1,\\'leaseDurationSeconds\\':15,"
                        + "\\'acquireTime\\':\\'2024-05-01T12:00:00Z\\',\\'renewTime\\':\\'2024-05-01T12:00:00Z\\',"
                        + "\\'leaderTransitions\\':2}'}}}",
                held.json().toString().replace('"', '\''));
    }

    @Test
    void releasedIsWhatIsThereAndNothingIsMade() throws JsonProcessingException {
        String spec = "{'holderIdentity':'me','leaseDurationSeconds':15,'leaseTransitions':3}";
        assertEquals(
                List.of(
                        "{'holderIdentity':'','leaseDurationSeconds':1,'acquireTime':'2024-05-01T12:00:00Z',"
                                + "'renewTime':'2024-05-01T12:00:00Z','leaderTransitions':3}",
                        "{'holderIdentity':'','leaseDurationSeconds':1,'leaseTransitions':3,"
                                + "'acquireTime':'2024-05-01T12:00:00.123456Z','renewTime':'2024-05-01T12:00:00.123456Z'}"),
                records(pair(MINE, spec).released(NOW)));
        assertEquals(1, pair(MINE, "-").released(NOW).objects().size());
        assertEquals("", pair(MINE, spec).released(NOW).holder());
    }

    @Test
    void aChangeOfEitherRecordIsAChange() throws JsonProcessingException {
        String other = "{'holderIdentity':'a','renewTime':'x'}";
        String later = "{'holderIdentity':'a','renewTime':'y'}";
        LockState state = pair(other, other);
        assertEquals(
                List.of(true, false, false, false, false),
                List.of(
                        state.isSameRecord(pair(other, other)),
                        state.isSameRecord(pair(later, other)),
                        state.isSameRecord(pair(other, later)),
                        state.isSameRecord(pair(other, "-")),
                        state.isSameRecord(new LockState(List.of(endpoints(other))))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "5", "'a'", "{} {}", "[]", " "})
    void anAnnotationThatIsNotARecordCannotBeRead(String text) {
        assertThrows(JsonProcessingException.class, () -> endpoints(text));
    }
}
