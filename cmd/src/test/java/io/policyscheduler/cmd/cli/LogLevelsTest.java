package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.settings.LogSettings.Module;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogLevelsTest {
    @ParameterizedTest
    @CsvSource({"0, INFO", "1, INFO", "3, INFO", "4, FINE", "5, FINE", "6, ALL", "10, ALL"})
    void eachVerbosityHasItsLevel(int verbosity, String level) {
        assertEquals(Level.parse(level), LogLevels.level(verbosity));
    }

    @ParameterizedTest
    @CsvSource({
        "io.policyscheduler.cmd.kube.watch.Reflector, FINEST, true",
        "io.policyscheduler.cmd.kube, FINE, true",
        "io.policyscheduler.cmd.kubelet.Other, FINE, false",
        "io.policyscheduler.cmd.live.LiveScheduler, FINE, true",
        "io.policyscheduler.cmd.live.LiveScheduler, FINEST, false",
        "io.policyscheduler.cmd.live.LiveSchedulers, FINE, false",
        "io.policyscheduler.cmd.live.PodEvictor, INFO, true",
        "org.eclipse.jetty.server.Server, FINEST, true",
        "org.eclipse.other.Server, FINE, false",
        "scheduler, INFO, true",
        "scheduler, FINE, false",
    })
    void aModuleIsAPackageOrAClass(String logger, String level, boolean passes) {
        List<Module> modules =
                List.of(new Module("cmd.kube", 6), new Module("LiveScheduler", 4), new Module("org.eclipse.jetty", 9));
        LogRecord logged = new LogRecord(Level.parse(level), "said");
        logged.setLoggerName(logger);
        assertEquals(passes, LogLevels.filter(modules, 0).isLoggable(logged));
    }
}
