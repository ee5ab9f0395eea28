package io.policyscheduler.framework.scheduler.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class SchedulerListenerTest {
    private final List<String> calls = new ArrayList<>();

    private SchedulerListener recorder(String name) {
        return (SchedulerListener) Proxy.newProxyInstance(
                SchedulerListener.class.getClassLoader(),
                new Class<?>[] {SchedulerListener.class},
                (proxy, method, arguments) -> {
                    calls.add(name + " " + method.getName());
                    return method.getReturnType() == boolean.class ? false : null;
                });
    }

    private static Object[] arguments(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(type ->
                        type == long.class ? 0L : type == int.class ? (Object) 0 : type == boolean.class ? false : null)
                .toArray();
    }

    /** A new method of the listener must be passed on, too. */
    @Test
    void allPassesEveryCallOnInOrder() throws ReflectiveOperationException {
        SchedulerListener all = SchedulerListener.all(recorder("first"), recorder("second"));
        List<String> expected = new ArrayList<>();
        List<Method> methods = Arrays.stream(SchedulerListener.class.getMethods())
                .filter(Method::isDefault)
                .filter(method -> !method.isBridge() && !method.getName().equals("listeners"))
                .sorted(Comparator.comparing(Method::getName))
                .toList();
        for (Method method : methods) {
            method.invoke(all, arguments(method));
            expected.add("first " + method.getName());
            expected.add("second " + method.getName());
        }
        assertEquals(expected, calls);
    }
}
