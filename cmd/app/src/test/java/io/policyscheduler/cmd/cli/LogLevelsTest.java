package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.core.spi.FilterReply;
import io.policyscheduler.cmd.cli.LogSetup.Levels;
import io.policyscheduler.cmd.run.LoggingFlags.Verbosity.Module;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogLevelsTest {
    @ParameterizedTest
    @CsvSource({"0, INFO", "1, INFO", "3, INFO", "4, DEBUG", "5, DEBUG", "6, ALL", "10, ALL"})
    void eachVerbosityHasItsLevel(int verbosity, String level) {
        assertEquals(Level.toLevel(level), Levels.level(verbosity));
    }

    @ParameterizedTest
    @CsvSource({
        "io.policyscheduler.cmd.kube.watch.Reflector, TRACE, true",
        "io.policyscheduler.cmd.kube, DEBUG, true",
        "io.policyscheduler.cmd.kubelet.Other, DEBUG, false",
        "io.policyscheduler.cmd.live.LiveScheduler, DEBUG, true",
        "io.policyscheduler.cmd.live.LiveScheduler, TRACE, false",
        "io.policyscheduler.cmd.live.LiveSchedulers, DEBUG, false",
        "io.policyscheduler.cmd.live.PodEvictor, INFO, true",
        "org.eclipse.jetty.server.Server, TRACE, true",
        "org.eclipse.other.Server, DEBUG, false",
        "scheduler, INFO, true",
        "scheduler, DEBUG, false",
    })
    void aModuleIsAPackageOrAClass(String logger, String level, boolean passes) {
        List<Module> modules =
                List.of(new Module("cmd.kube", 6), new Module("LiveScheduler", 4), new Module("org.eclipse.jetty", 9));
        assertEquals(
                passes ? FilterReply.NEUTRAL : FilterReply.DENY,
                new Levels.ByModule(modules, 0).decide(LogEvents.event(logger, Level.toLevel(level), "said", null)));
    }
}
