package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.policy.GoDuration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code leaderElection}, with the older names that {@code v1alpha1} has for the lock object. */
final class LeaderElectionReader {
    private static final Duration LEASE_DURATION = Duration.ofSeconds(15);
    private static final Duration RENEW_DEADLINE = Duration.ofSeconds(10);
    private static final Duration RETRY_PERIOD = Duration.ofSeconds(2);

    private final ConfigVersion version;
    private final String file;
    private final FieldPositions positions;
    private final List<ConfigurationProblem> problems = new ArrayList<>();

    LeaderElectionReader(ConfigVersion version, String file, FieldPositions positions) {
        this.version = version;
        this.file = file;
        this.positions = positions;
    }

    LeaderElectionSettings read(JsonNode tree) throws ConfigurationException {
        String lock = tree.path("resourceLock").asText("");
        String defaultLock = version.atLeast(ConfigVersion.V1BETA1) ? "leases" : "endpointsleases";
        LeaderElectionSettings settings = new LeaderElectionSettings(
                tree.path("leaderElect").asBoolean(true),
                duration(tree, "leaseDuration", LEASE_DURATION),
                duration(tree, "renewDeadline", RENEW_DEADLINE),
                duration(tree, "retryPeriod", RETRY_PERIOD),
                lock.isEmpty() ? defaultLock : lock,
                name(tree, "Namespace", "kube-system"),
                name(tree, "Name", "kube-scheduler"));
        if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
        }
        return settings;
    }

    /** Zero counts as not given. */
    private static Duration duration(JsonNode tree, String field, Duration defaultValue) {
        String text = tree.path(field).asText("");
        Duration given = text.isEmpty() ? Duration.ZERO : GoDuration.parse(text);
        return given.isZero() ? defaultValue : given;
    }

    private String name(JsonNode tree, String part, String defaultValue) {
        String resource = tree.path("resource" + part).asText("");
        String lockObject = tree.path("lockObject" + part).asText("");
        if (!resource.isEmpty() && !lockObject.isEmpty() && !resource.equals(lockObject)) {
            problems.add(ConfigurationProblem.of(
                    ConfigurationProblem.DECODE,
                    "Resource" + part + " and LockObject" + part + " are both set and do not match, Resource" + part
                            + ": " + resource + ", LockObject" + part + ": " + lockObject,
                    file,
                    positions.nearest("leaderElection.lockObject" + part)));
        }
        if (!resource.isEmpty()) {
            return resource;
        }
        return lockObject.isEmpty() ? defaultValue : lockObject;
    }
}
