package io.policyscheduler.framework.scheduler.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchedulerListenerTest {
    /** A new method of the listener must be forwarded, too. */
    @Test
    void teePassesEveryMethodOn() {
        List<String> missing = Arrays.stream(SchedulerListener.class.getMethods())
                .filter(Method::isDefault)
                .map(Method::getName)
                .filter(name -> Arrays.stream(SchedulerListener.Tee.class.getDeclaredMethods())
                        .noneMatch(own -> own.getName().equals(name)))
                .sorted()
                .toList();
        assertEquals(List.of(), missing);
    }
}
