package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandsTest {
    private static final CommandLine ALL = Main.commandLine();

    static Stream<String> names() {
        return ALL.getSubcommands().keySet().stream()
                .filter(name -> !name.equals("help") && !name.equals("completion"));
    }

    @ParameterizedTest
    @MethodSource("names")
    void aCommandByItselfIsAsAmongTheOthers(String name) {
        CommandLine alone = Commands.of(new Main(), new String[] {name, "--debug"});

        assertEquals(Set.of(name), alone.getSubcommands().keySet());
        CommandLine expected = Objects.requireNonNull(ALL.getSubcommands().get(name));
        CommandLine made = Objects.requireNonNull(alone.getSubcommands().get(name));
        assertEquals(name, made.getCommandName());
        assertEquals(expected.getUsageMessage(), made.getUsageMessage());
        assertEquals(
                expected.getCommandSpec().optionsMap().keySet(),
                made.getCommandSpec().optionsMap().keySet());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--help", "help run", "completion bash", "--debug run", "rnu", "-V"})
    void whatTellsOfCommandsHasAll(String line) {
        CommandLine program = Commands.of(new Main(), line.split(" "));

        assertEquals(ALL.getSubcommands().keySet(), program.getSubcommands().keySet());
    }

    @Test
    void noArgumentsHaveAll() {
        assertEquals(22, Commands.of(new Main(), new String[0]).getSubcommands().size());
    }
}
