package io.policyscheduler.cmd.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class UiOptionTest {
    private static UiOption parsed(String... arguments) {
        return CommandLine.populateCommand(new UiOption(), arguments);
    }

    @ParameterizedTest
    @CsvSource({
        "--ui, true",
        "--ui=8080, true",
        "--ui=127.0.0.1:0, true",
        "--ui=[::1]:0, true",
        "--ui=localhost:0, true",
        "--ui=:8080, false",
        "--ui=0.0.0.0:0, false",
        "--ui=192.0.2.1:80, false"
    })
    void onlyALoopbackAddressIsLocal(String argument, boolean local) {
        assertEquals(local, parsed(argument).isLocal());
    }

    @Test
    void withoutAPageNothingIsLocal() {
        assertEquals(false, parsed().isLocal());
    }

    @Test
    void anAddressThatIsNoneIsRefused() {
        String message = String.valueOf(
                assertThrows(InputException.class, parsed("--ui=x:y")::isLocal).getMessage());
        assertEquals(
                "--ui: \"x:y\" is not an address to listen on (such as 127.0.0.1:10251, [::]:10251, :10251 or 10251)",
                message);
    }
}
