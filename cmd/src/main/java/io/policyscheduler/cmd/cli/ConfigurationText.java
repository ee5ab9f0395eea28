package io.policyscheduler.cmd.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.LeaseSettings;
import io.policyscheduler.cmd.run.SchedulerSettings;
import io.policyscheduler.engine.policy.EffectivePolicy;

/** The configuration in force, as {@code /configz} shows it. */
final class ConfigurationText {
    private ConfigurationText() {}

    /** {@code {"componentconfig": {...}}}, with the field names of KubeSchedulerConfiguration where it has them. */
    static String of(SchedulerSettings settings) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        ObjectNode config = root.putObject("componentconfig")
                .put("schedulerName", settings.schedulerName())
                .put("percentageOfNodesToScore", settings.percentageOfNodesToScore())
                .put("disablePreemption", settings.disablePreemption());
        LeaseSettings lease = settings.election();
        ObjectNode election = config.putObject("leaderElection").put("leaderElect", lease != null);
        if (lease != null) {
            election.put("leaseDuration", lease.leaseDuration().toMillis() + "ms")
                    .put("renewDeadline", lease.renewDeadline().toMillis() + "ms")
                    .put("retryPeriod", lease.retryPeriod().toMillis() + "ms")
                    .put("resourceLock", "leases")
                    .put("resourceName", lease.name())
                    .put("resourceNamespace", lease.namespace())
                    .put("identity", lease.identity());
        }
        EffectivePolicy policy = settings.policy();
        ObjectNode shown = config.putObject("policy").put("source", policy.source());
        policy.predicates().keySet().forEach(shown.putArray("predicates")::add);
        policy.priorities().keySet().forEach(shown.putArray("priorities")::add);
        return root.toString();
    }
}
