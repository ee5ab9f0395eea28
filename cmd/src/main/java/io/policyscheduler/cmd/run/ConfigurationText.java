package io.policyscheduler.cmd.run;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.election.LeaseSettings;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.live.SchedulerSettings;
import java.util.SortedMap;

/** The configuration in force, as {@code /configz} shows it. */
final class ConfigurationText {
    private ConfigurationText() {}

    /**
     * {@code {"componentconfig": {...}}}, with the field names of KubeSchedulerConfiguration where it has them.
     *
     * @param generation of the profiles
     * @param policyHash by which replicas can be compared
     * @param tables generation of each table
     */
    static String of(SchedulerSettings settings, long generation, String policyHash, SortedMap<String, Long> tables) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        ObjectNode config = root.putObject("componentconfig")
                .put("schedulerName", settings.name())
                .put("disablePreemption", settings.disablePreemption())
                .put("policyGeneration", generation)
                .put("policyHash", policyHash);
        if (!tables.isEmpty()) {
            tables.forEach(config.putObject("tableGenerations")::put);
        }
        LeaseSettings lease = settings.election();
        ObjectNode election = config.putObject("leaderElection").put("leaderElect", lease != null);
        if (lease != null) {
            election.put("leaseDuration", lease.leaseDuration().toMillis() + "ms")
                    .put("renewDeadline", lease.renewDeadline().toMillis() + "ms")
                    .put("retryPeriod", lease.retryPeriod().toMillis() + "ms")
                    .put("resourceLock", lease.lock().text())
                    .put("resourceName", lease.name())
                    .put("resourceNamespace", lease.namespace())
                    .put("identity", lease.identity());
        }
        ArrayNode profiles = config.putArray("profiles");
        for (ProfileSettings profile : settings.profiles()) {
            ObjectNode shown = profiles.addObject()
                    .put("schedulerName", profile.schedulerName())
                    .put("source", profile.origin())
                    .put("percentageOfNodesToScore", profile.percentageOfNodesToScore());
            profile.algorithms().forEach(shown.putArray("algorithms")::add);
        }
        return root.toString();
    }
}
