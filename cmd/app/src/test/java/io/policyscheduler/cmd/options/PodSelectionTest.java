package io.policyscheduler.cmd.options;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.options.PodSelection.SelectorConverter;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class PodSelectionTest {
    private static PodSelection selection(String line) {
        PodSelection selection = new PodSelection();
        CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create()
                .addMixin("selection", CommandLine.Model.CommandSpec.forAnnotatedObject(selection));
        new CommandLine(spec).parseArgs(line.isEmpty() ? new String[0] : line.split(" "));
        return selection;
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', true",
        "'', mine, true",
        "--scheduler-name all, mine, true",
        "--scheduler-name mine, mine, true",
        "--scheduler-name mine, other, false",
        "--scheduler-name mine, '', false",
        "--scheduler-name default-scheduler, '', true",
        "--scheduler-name default-scheduler, default-scheduler, true",
        "--scheduler-name Mine, mine, false",
    })
    void wantsPodsOfAScheduler(String line, String scheduler, boolean expected) {
        assertEquals(
                expected,
                selection(line).wants(pod("p").schedulerName(scheduler).build()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-n default | true",
                "-n other | false",
                "--namespace=other -A | true",
                "--all-namespaces | true",
                "-l app=web | true",
                "-l app==web,tier | true",
                "-l app!=web | false",
                "-l !app | false",
                "-l app,!gone | true",
                "--selector=app=db | false",
                "-n default -l tier=front | true",
                "-n other -l tier=front | false",
            })
    void wantsPodsOfANamespaceWithLabels(String line, boolean expected) {
        PodInfo pod = pod("p").label("app", "web").label("tier", "front").build();

        assertEquals(expected, selection(line).wants(pod));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"app in (web, db) | true", "app notin (web,db) | false", "app in (db),tier | false"})
    void selectsBySets(String selector, boolean expected) {
        PodInfo pod = pod("p").label("app", "web").label("tier", "front").build();

        assertEquals(expected, new SelectorConverter().convert(selector).matches(pod.labels()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"app=web,,", "a=b=c", "app in web", "-x=1", ""})
    void refusesWhatIsNoSelector(String selector) {
        assertThrows(CommandLine.TypeConversionException.class, () -> new SelectorConverter().convert(selector));
    }

    @Test
    void saysWhereTheOthersAre() {
        String message = selection("-n other").noneOf(List.of(pod("p").build()), "pending");

        assertTrue(message.endsWith("; they are in default, for default-scheduler"), message);
    }
}
