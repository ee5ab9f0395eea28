package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TeeListenerTest {
    /** A new method of the listener must be forwarded, too. */
    @Test
    void everyMethodIsPassedOn() {
        List<String> missing = Arrays.stream(SchedulerListener.class.getMethods())
                .filter(Method::isDefault)
                .map(Method::getName)
                .filter(name -> Arrays.stream(TeeListener.class.getDeclaredMethods())
                        .noneMatch(own -> own.getName().equals(name)))
                .sorted()
                .toList();
        assertEquals(List.of(), missing);
    }
}
