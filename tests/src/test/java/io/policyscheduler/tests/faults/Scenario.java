package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Users' changes of a cluster, step by step, and the expected states: with kube-scheduler and controllers of 1.34 and with this program. */
enum Scenario {
    QUEUE(server -> new QueueScenario(server).run()),
    CLAIMS(server -> new ClaimScenario(server).run()),
    VICTIMS(server -> new VictimScenario(server).run()),
    NODES(server -> new NodeScenario(server).run()),
    BUDGETS(server -> new BudgetScenario(server).run()),
    STORAGE(server -> new StorageScenario(server).run()),
    EXTENDERS((server, extenders) -> new ExtenderScenario(server, extenders).run());

    private static final Path SOURCES = Path.of("src/test/resources/scenarios");

    private final BiFunction<FaultServer, ScriptedExtenders, List<String>> steps;
    private final boolean hasExtenders;

    Scenario(Function<FaultServer, List<String>> steps) {
        this.steps = (server, extenders) -> steps.apply(server);
        this.hasExtenders = false;
    }

    Scenario(BiFunction<FaultServer, ScriptedExtenders, List<String>> steps) {
        this.steps = steps;
        this.hasExtenders = true;
    }

    /** Starts a scheduler. */
    interface Starter {
        /** @param extenders the list of a KubeSchedulerConfiguration */
        AutoCloseable start(String extenders) throws Exception;
    }

    /** Takes the steps with a running scheduler. Returns the state after each step. */
    List<String> run(FaultServer server, Starter starter) throws Exception {
        try (ScriptedExtenders extenders = new ScriptedExtenders();
                AutoCloseable scheduler = starter.start(hasExtenders ? extenders.configuration() : "[]")) {
            assertNotNull(scheduler);
            return steps.apply(server, extenders);
        }
    }

    /** Reads the recorded states. */
    List<String> expected() {
        try (InputStream text = Scenario.class.getResourceAsStream("/scenarios/" + file())) {
            return text == null
                    ? List.of()
                    : new String(text.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Records the states. */
    void renew(List<String> actual) throws IOException {
        Files.createDirectories(SOURCES);
        Files.writeString(SOURCES.resolve(file()), String.join("\n", actual) + "\n");
    }

    private String file() {
        return name().toLowerCase(Locale.ROOT) + ".txt";
    }
}
