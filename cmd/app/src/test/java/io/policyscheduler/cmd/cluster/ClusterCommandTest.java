package io.policyscheduler.cmd.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class ClusterCommandTest {
    @ParameterizedTest
    @CsvSource({
        "'', false",
        "--ui, true",
        "--ui=[::1]:0, true",
        "--ui=0.0.0.0:0, false",
        "--ui --authorization-mode=RBAC, false"
    })
    void thePlaygroundIsForWhoeverMayDoEverythingAnyway(String arguments, boolean has) {
        ClusterCommand command = CommandLine.populateCommand(
                new ClusterCommand(), arguments.isEmpty() ? new String[0] : arguments.split(" ", -1));
        assertEquals(has, command.hasPlayground());
    }
}
