package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.report.CompareHtml.Texts;
import org.junit.jupiter.api.Test;

class TextsTest {
    @Test
    void eachTextIsThereOnce() {
        Texts texts = new Texts();
        assertEquals(0, texts.of("n1"));
        assertEquals(1, texts.of("node2"));
        assertEquals(0, texts.of("n1"));
        assertEquals(7, texts.length());
        assertEquals("[\"n1\",\"node2\"]", texts.json().toString());
    }
}
