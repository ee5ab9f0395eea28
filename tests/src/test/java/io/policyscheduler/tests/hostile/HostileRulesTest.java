package io.policyscheduler.tests.hostile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.tests.e2e.Manifest;
import org.junit.jupiter.api.Test;

/** Rules that read what tenants write: patterns, lists, and sums over texts of hundreds of kilobytes. */
class HostileRulesTest {
    private static final int NORMAL_PODS = 50;
    private static final int ATTEMPTS_EACH = 2;

    private static final String POLICY = """
            kind: Policy
            apiVersion: v1
            predicates:
            - name: GeneralPredicates
            - name: NotBad
              argument:
                rule:
                  expression: "!node.annotation('notes').matches('(a+)+b') && !pod.label('notes').matches('(.*a)+x')"
                  reason: node(s) with bad notes
            priorities:
            - name: Notes
              weight: 1
              argument:
                rule:
                  expression: "100 * pod.containers.count(c, node.podsWithImage(c.image) > 0) / pod.containers.size"
            - name: Numbers
              weight: 3
              argument:
                rule:
                  expression: "number(node.annotation('load'), 0) * 1000000000000"
            """;

    private static EffectivePolicy policy() throws PolicyException {
        return HostileCluster.resolver().resolve(new PolicyReader().read(POLICY, "policy.yaml"));
    }

    @Test
    void normalPodsArePlacedByRulesThatReadMegabytes() throws PolicyException {
        try (HostileCluster hostile = new HostileCluster(policy(), false)) {
            String notes = "a".repeat(250_000);
            for (int i = 0; i < 5; i++) {
                hostile.store(
                        HostileObject.of(
                                "nodes",
                                "noted" + i,
                                "{'metadata':{'annotations':{'notes':'" + notes
                                        + "','load':'1e308'}},'status':{'allocatable':{'cpu':'64','memory':'64Gi','pods':'110'}}}"));
                hostile.store(HostileObject.of(
                        "pods",
                        "noting" + i,
                        "{'metadata':{'labels':{'notes':'" + notes
                                + "'}},'spec':{'schedulerName':'" + Manifest.SCHEDULER + "','containers':["
                                + HostileObject.times(1_000, "{'name':'c#','image':'i#'}") + "]}}"));
            }
            hostile.addNormalPods("first", NORMAL_PODS);
            hostile.startScheduler();
            hostile.awaitNormalPods("first", NORMAL_PODS);
            int decisions = hostile.decisionsAboutNormalPods();
            assertTrue(decisions <= NORMAL_PODS * ATTEMPTS_EACH, decisions + " attempts");
        }
    }
}
