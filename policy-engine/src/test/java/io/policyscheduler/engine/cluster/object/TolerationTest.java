package io.policyscheduler.engine.cluster.object;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TolerationTest {
    private static final Taint TAINT = new Taint("key", "value", "NoSchedule");
    private static final Taint NO_VALUE = new Taint("key", "", "NoSchedule");

    @ParameterizedTest
    @CsvSource({
        // key, operator, value, effect, tolerates key=value, tolerates key=
        "key, Exists, '',    NoSchedule, true,  true",
        "key, Exists, other, '',         true,  true",
        "key, Equal,  value, NoSchedule, true,  false",
        "key, '',     value, '',         true,  false",
        "key, Equal,  '',    '',         false, true",
        "key, Equal,  other, '',         false, false",
        "foo, Exists, '',    '',         false, false",
        "'',  Exists, '',    '',         true,  true",
        "'',  Exists, '',    NoExecute,  false, false",
        "'',  Equal,  value, '',         true,  false",
        "'',  '',     '',    '',         false, true",
        "key, Exists, '',    noschedule, false, false",
        "key, exists, value, '',         false, false",
        "key, Lt,     value, '',         false, false",
    })
    void tolerates(String key, String operator, String value, String effect, boolean withValue, boolean without) {
        Toleration toleration = new Toleration(key, operator, value, effect);
        assertEquals(withValue, toleration.tolerates(TAINT));
        assertEquals(without, toleration.tolerates(NO_VALUE));
    }

    @Test
    void oneOfManyIsEnough() {
        Toleration other = new Toleration("foo", "Exists", "", "");
        Toleration same = new Toleration("key", "Exists", "", "");
        assertTrue(Toleration.anyTolerates(List.of(other, same), TAINT));
        assertFalse(Toleration.anyTolerates(List.of(other), TAINT));
        assertFalse(Toleration.anyTolerates(List.of(), TAINT));
    }
}
