package io.policyscheduler.cmd.extender.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.extender.client.HttpExtender.GoFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoFormatTest {
    @ParameterizedTest
    @CsvSource({
        "plain,plain",
        "bind 50% no,bind 50%!n(MISSING)o",
        "100%d %s,100%!d(MISSING) %!s(MISSING)",
        "100%%,100%",
        "100%,100%!(NOVERB)",
        "%+5.2f|,%!f(MISSING)|",
    })
    void formatsWithoutArguments(String format, String expected) {
        assertEquals(expected, GoFormat.withoutArguments(format));
    }
}
