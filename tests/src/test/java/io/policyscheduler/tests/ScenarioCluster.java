package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/** A scenario of {@link RandomCluster} as input for questions about decisions. */
final class ScenarioCluster {
    private ScenarioCluster() {}

    static FeatureGates gates(JsonNode scenario) {
        return FeatureGates.parse(scenario.path("featureGates").properties().stream()
                .map(gate -> gate.getKey() + "=" + gate.getValue().asText())
                .collect(Collectors.joining(",")));
    }

    static EffectivePolicy policy(JsonNode scenario, PolicyResolver resolver) throws PolicyException {
        return scenario.has("provider")
                ? resolver.resolveProvider(scenario.path("provider").asText())
                : resolver.resolve(
                        new PolicyReader().read(scenario.path("policy").toString(), "policy.json"));
    }

    static ClusterSnapshot snapshot(JsonNode scenario, FeatureGates gates) throws IOException {
        ObjectReader reader = new ObjectReader(gates, false);
        Dump dump = new Dump(gates, warning -> {}, objects -> {});
        for (String part : List.of("cluster", "pending")) {
            for (JsonNode object : scenario.path(part)) {
                try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
                    parser.nextToken();
                    ClusterObject read = reader.read(parser, null);
                    if (read != null) {
                        dump.add("scenario", read);
                    }
                }
            }
        }
        return dump.snapshot();
    }
}
