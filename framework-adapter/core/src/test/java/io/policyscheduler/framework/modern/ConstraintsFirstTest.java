package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.testing.FakeAlgorithms;
import io.policyscheduler.framework.modern.PluginAlgorithms.ConstraintsFirst;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConstraintsFirstTest {
    private static final String SELECTOR = "labelSelector: {}, maxSkew: 1, topologyKey: 'zone'";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | 1",
                "DoNotSchedule | 1",
                "ScheduleAnyway | 2",
                "DoNotSchedule,ScheduleAnyway | 2",
            })
    void softConstraintsOfThePodDecide(String constraints, long expected) {
        StringBuilder all = new StringBuilder();
        for (String when : constraints.split(",", -1)) {
            all.append(when.isEmpty() ? "" : "{" + SELECTOR + ", whenUnsatisfiable: '" + when + "'},");
        }
        String list = all.isEmpty() ? "" : all.substring(0, all.length() - 1);
        PolicyFixture fixture = new PolicyFixture().node("n", "zone: 'a'", "cpu: '1'");
        ConstraintsFirst spread = new ConstraintsFirst(
                FakeAlgorithms.priority("BySelectors", node -> 1), FakeAlgorithms.priority("ByConstraints", node -> 2));
        assertEquals(
                expected,
                spread.start(
                                fixture.context(fixture.pod("p", "", "topologySpreadConstraints: [" + list + "]")),
                                fixture.nodes())
                        .score(fixture.nodes().get(0)));
        assertEquals("BySelectors", spread.name());
        assertEquals(Scope.CLUSTER, spread.scope());
    }
}
