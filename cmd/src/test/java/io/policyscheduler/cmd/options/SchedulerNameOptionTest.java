package io.policyscheduler.cmd.options;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class SchedulerNameOptionTest {
    @ParameterizedTest
    @CsvSource({
        "'', '', true",
        "'', mine, true",
        "all, mine, true",
        "mine, mine, true",
        "mine, other, false",
        "mine, '', false",
        "default-scheduler, '', true",
        "default-scheduler, default-scheduler, true",
        "Mine, mine, false",
    })
    void wants(String option, String scheduler, boolean wanted) {
        SchedulerNameOption names = new SchedulerNameOption();
        CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create()
                .addMixin("names", CommandLine.Model.CommandSpec.forAnnotatedObject(names));
        new CommandLine(spec).parseArgs(option.isEmpty() ? new String[0] : new String[] {"--scheduler-name", option});
        assertEquals(wanted, names.wants(pod("p").schedulerName(scheduler).build()));
    }
}
