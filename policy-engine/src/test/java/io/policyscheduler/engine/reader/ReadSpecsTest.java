package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.PodSpecReader.SpecCache;
import io.policyscheduler.engine.testing.WireBytes;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadSpecsTest {
    private final SpecCache specs = new SpecCache();
    private final PodReading reading = new PodReading(FeatureGates.defaults(), false, false, field -> {});

    /** At the spec of a pod that has one. */
    private static ProtobufParser at(WireBytes spec) throws IOException {
        byte[] pod = new WireBytes().message(2, spec).toBytes();
        ProtobufParser parser = new ProtobufParser(PodMessages.pod());
        parser.start(pod, 0, pod.length);
        parser.nextToken();
        parser.nextToken();
        parser.nextToken();
        return parser;
    }

    private static WireBytes spec(String scheduler, String node) {
        return new WireBytes().text(19, scheduler).text(10, node);
    }

    @Test
    void remembersSpecsOnAnyNode() throws IOException {
        PodSpecReader kept = new PodSpecReader(reading);
        assertNull(specs.find(at(spec("s", "n1"))));
        assertEquals("n1", specs.nodeName());
        specs.put(kept);

        assertSame(kept, specs.find(at(spec("s", "n2"))));
        assertEquals("n2", specs.nodeName());
        assertSame(kept, specs.find(at(new WireBytes().text(19, "s"))));
        assertEquals("", specs.nodeName());
        assertNull(specs.find(at(spec("t", "n1"))));
    }

    @Test
    void whatIsTooLongIsNotRemembered() throws IOException {
        String tooLong = "s".repeat(4093);
        assertNull(specs.find(at(spec(tooLong, "n"))));
        specs.put(new PodSpecReader(reading));
        assertNull(specs.find(at(spec(tooLong, "n"))));

        String shorter = "s".repeat(4092);
        PodSpecReader kept = new PodSpecReader(reading);
        assertNull(specs.find(at(spec(shorter, "n"))));
        specs.put(kept);
        assertSame(kept, specs.find(at(spec(shorter, "n"))));
    }

    /** No server sends that; the cached spec remains as it was read. */
    @Test
    void aSecondSpecInAPodChangesNoOther() throws IOException {
        ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);
        WireBytes first = spec("s", "n1");
        WireBytes second = new WireBytes().number(25, 7);
        for (int round = 0; round < 2; round++) {
            PodInfo both = pod(reader, new WireBytes().message(2, first).message(2, second));
            PodInfo alone = pod(reader, new WireBytes().message(2, first));
            assertEquals(List.of("", 7), List.of(both.spec().schedulerName(), both.priority()));
            assertEquals(List.of("s", 0), List.of(alone.spec().schedulerName(), alone.priority()));
        }
    }

    private static PodInfo pod(ObjectReader reader, WireBytes message) throws IOException {
        byte[] bytes = message.toBytes();
        ProtobufParser parser = new ProtobufParser(PodMessages.pod());
        parser.start(bytes, 0, bytes.length);
        parser.nextToken();
        return assertInstanceOf(PodInfo.class, reader.read(parser, "Pod"));
    }
}
