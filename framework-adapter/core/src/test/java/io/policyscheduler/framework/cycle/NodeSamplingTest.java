package io.policyscheduler.framework.cycle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeSamplingTest {
    @ParameterizedTest
    @CsvSource({
        "0, 1, 1",
        "0, 99, 99",
        "0, 100, 100",
        "0, 200, 100",
        "0, 250, 120",
        "0, 500, 230",
        "0, 1000, 420",
        "0, 2000, 680",
        "0, 5000, 500",
        "0, 5625, 281",
        "0, 6000, 300",
        "0, 100000, 5000",
        "100, 5000, 5000",
        "101, 5000, 5000",
        "99, 1000, 990",
        "1, 99, 99",
        "1, 5000, 100",
        "1, 20000, 200",
        "50, 150, 100",
        "50, 201, 100",
        "50, 203, 101",
        "-1, 1000, 420",
        "99, 30000000, 29700000"
    })
    void limit(int percentage, int nodes, int expected) {
        assertEquals(expected, new NodeSampling(percentage).limit(nodes));
    }

    @Test
    void theStartIsAPositionThatOutlivesTheList() {
        NodeSampling sampling = new NodeSampling(0);
        assertEquals(0, sampling.start(10));
        sampling.processed(7, 10);
        assertEquals(7, sampling.start(10));
        sampling.processed(10, 10);
        assertEquals(7, sampling.start(10), "after a full walk it stays");
        sampling.processed(5, 10);
        assertEquals(2, sampling.start(10));
        sampling.processed(6, 10);
        assertEquals(8, sampling.start(20));
        assertEquals(3, sampling.start(5));
        sampling.processed(0, 5);
        assertEquals(3, sampling.start(20));
    }
}
