package io.policyscheduler.cmd.simulate;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.simulate.SimulateCommand.WhatIfOptions;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import io.policyscheduler.framework.insight.whatif.WhatIf.AddNodes;
import io.policyscheduler.framework.insight.whatif.WhatIf.DrainNode;
import io.policyscheduler.framework.insight.whatif.WhatIf.RemoveNode;
import io.policyscheduler.framework.insight.whatif.WhatIf.Scale;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class WhatIfOptionsTest {
    @Command
    private static final class Flags {
        @Mixin
        private WhatIfOptions whatIf = new WhatIfOptions();
    }

    private static WhatIfOptions parse(String... args) {
        Flags flags = new Flags();
        new CommandLine(flags).parseArgs(args);
        return flags.whatIf;
    }

    @Test
    void changesAreMadeByKindWhateverTheOrderOfTheFlags() {
        assertEquals(
                List.of(
                        new AddNodes(2, "n1"),
                        new AddNodes(1, "n2"),
                        new RemoveNode("n3"),
                        new DrainNode("n4"),
                        new Scale(Scale.Kind.DEPLOYMENT, "shop", "web", 0)),
                parse(
                                "--scale",
                                "shop/deploy/web=0",
                                "--drain",
                                "n4",
                                "--remove-node",
                                "n3",
                                "--add-nodes",
                                "2:like=n1",
                                "--add-nodes",
                                "1:like=n2")
                        .changes());
        assertEquals(List.of(), parse().changes());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--add-nodes | 0:like=n1 | --add-nodes: \"0:like=n1\" is not NUMBER:like=NODE, such as 10:like=n3",
                "--add-nodes | n1        | --add-nodes: \"n1\" is not NUMBER:like=NODE, such as 10:like=n3",
                "--scale     | web=1     | --scale: \"web=1\" is not [NAMESPACE/]KIND/NAME=NUMBER, such as deploy/web=50",
                "--fit-limit | 0         | --fit-limit: 0 is not above 0",
                "--fit-limit | -1        | --fit-limit: -1 is not above 0",
            })
    void mistakes(String flag, String value, String message) {
        WhatIfOptions options = parse(flag, value);
        assertEquals(
                message,
                assertThrows(ParameterException.class, options::changes).getMessage());
    }

    @Test
    void aNodeThatIsNotThereEndsTheChanges() {
        ClusterSnapshot clusterSnapshot =
                new ClusterSnapshot(List.of(node("n1").build()), List.of(), List.of(), List.of());
        assertEquals(
                List.of("n1"),
                WhatIfOptions.apply(clusterSnapshot, List.of()).snapshot().nodes().stream()
                        .map(node -> node.name())
                        .toList());
        assertThrows(
                InputException.class,
                () -> WhatIfOptions.apply(clusterSnapshot, List.of(new RemoveNode("n1"), new DrainNode("n1"))));
    }
}
