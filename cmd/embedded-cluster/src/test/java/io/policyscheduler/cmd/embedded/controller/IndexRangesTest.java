package io.policyscheduler.cmd.embedded.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.embedded.controller.JobController.IndexRanges;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IndexRangesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"0,1,2|0-2", "0,2,3,5|0,2,3,5", "1,2,3,7,8,9|1-3,7-9", "4|4"})
    void writesRangesOfIndexes(String indexes, String text) {
        List<Integer> parsed = IndexRanges.parse(indexes);
        assertEquals(text, IndexRanges.text(parsed));
        assertEquals(parsed, IndexRanges.parse(text));
    }
}
