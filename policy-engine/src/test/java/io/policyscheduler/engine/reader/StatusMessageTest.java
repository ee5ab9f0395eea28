package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.reader.PodMessages.StatusMessage;
import io.policyscheduler.engine.testing.WireBytes;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StatusMessageTest {
    @Test
    void theMessageOfAStatusIsFound() {
        WireBytes status = new WireBytes()
                .message(1, new WireBytes().text(2, "9"))
                .text(2, "Failure")
                .text(3, "Too large resource version: 7, current: 6")
                .text(4, "Timeout")
                .number(6, 504);
        assertEquals("Too large resource version: 7, current: 6", StatusMessage.of(status.toAnswer()));
    }

    @Test
    void whatIsNoStatusHasNone() {
        assertEquals("", StatusMessage.of(new byte[0]));
        assertEquals("", StatusMessage.of(new byte[] {'k', '8', 's', 0}));
        assertEquals("", StatusMessage.of("<html>busy</html>".getBytes(StandardCharsets.UTF_8)));
    }
}
