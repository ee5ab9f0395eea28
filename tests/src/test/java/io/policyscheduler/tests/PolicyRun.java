package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.functions.FunctionAlgorithm;
import io.policyscheduler.engine.functions.FunctionAlgorithm.FunctionAssembly;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.SortedMap;
import java.util.TreeMap;

/** Places the pods of the demo with a policy file, one after the other, by functions and by plugins, which must agree. */
final class PolicyRun {
    private static final Path DEMO = RepositoryFiles.root().resolve("policy-files/demo");

    private final AlgorithmRegistry registry = Algorithms.registry();
    private final Release release;

    /** @param release of the cluster on which the policy runs */
    PolicyRun(Release release) {
        this.release = release;
    }

    /** Reads a policy with the default leniency. */
    EffectivePolicy resolve(String text, String file) throws PolicyException {
        PolicyResolver resolver = new PolicyResolver(FeatureGates.defaults().at(release), 1, false, registry);
        return resolver.resolve(resolver.reader().allowingEmpty().read(text, file));
    }

    /** Returns the node of each pod; unschedulable pods are missing. */
    SortedMap<String, String> placements(EffectivePolicy policy) throws IOException {
        DumpedCluster dump = new DumpedCluster();
        dump.load(DEMO.resolve("cluster.yaml"));
        dump.load(DEMO.resolve("workload.yaml"));
        SchedulingCycle plugins = SchedulingCycle.of(
                new ProviderAdapter(registry, name -> "").adapt(policy, dump.cluster()), dump.cluster());
        FunctionAlgorithm functions = FunctionAssembly.assemble(policy, registry, name -> "");
        SortedMap<String, String> placements = new TreeMap<>();
        for (PodInfo pod : dump.pending()) {
            dump.cluster().startCycle();
            Evaluation expected = functions.evaluate(pod, dump.cluster(), NominatedPods.NONE);
            Evaluation actual = plugins.evaluate(pod, NominatedPods.NONE);
            String what = policy.source() + ", " + pod.name();
            assertEquals(new HashSet<>(expected.feasible()), new HashSet<>(actual.feasible()), what);
            assertEquals(expected.totals(), actual.totals(), what);
            if (!actual.feasible().isEmpty()) {
                String node = actual.best().isEmpty()
                        ? actual.feasible().get(0)
                        : actual.best().get(0);
                placements.put(pod.name(), node);
                dump.cluster().addPod(pod.withNodeName(node));
            }
        }
        return placements;
    }
}
