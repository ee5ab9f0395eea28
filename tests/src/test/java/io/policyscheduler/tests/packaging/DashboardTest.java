package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The dashboard queries only metrics that the program has. */
class DashboardTest {
    private static Set<String> asked(JsonNode dashboard) {
        Set<String> asked = new TreeSet<>();
        for (JsonNode panel : dashboard.path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                asked.addAll(MetricNames.in(target.path("expr").asText()));
            }
        }
        return asked;
    }

    @Test
    void asksForMetricsThatTheProgramHas() throws IOException {
        JsonNode dashboard = new ObjectMapper()
                .readTree(Kustomizations.folder()
                        .resolve("components/monitoring/policy-scheduler.json")
                        .toFile());
        Set<String> asked = asked(dashboard);
        assertTrue(asked.contains("policy_scheduler_policy_generation"), asked::toString);
        assertTrue(asked.contains("scheduler_pending_pods"), asked::toString);
        assertEquals(Set.of(), MetricNames.unknown(asked), "not in cmd.metrics");
        Set<String> optional = MetricNames.own("policy_scheduler_canary_", "policy_scheduler_decision_log_");
        assertEquals(6, optional.size(), optional::toString);
        optional.removeAll(asked);
        assertEquals(Set.of(), optional, "metrics of the canary and the decision log without a panel");
        assertEquals(
                Set.of("policy_scheduler_policy_generation"),
                MetricNames.in(dashboard.at("/templating/list/1/query/query").asText()));
    }
}
