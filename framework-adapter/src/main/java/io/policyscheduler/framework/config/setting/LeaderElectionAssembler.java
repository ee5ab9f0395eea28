package io.policyscheduler.framework.config.setting;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.document.DecodedObject.FieldPositions;
import io.policyscheduler.engine.document.SourcePosition;
import java.util.Map;
import java.util.function.BiConsumer;

/** The leader election of a decoded configuration, with the two names that {@code v1alpha1} has for its lock. */
public final class LeaderElectionAssembler {
    private final ConfigVersion version;
    private final FieldPositions positions;
    private final BiConsumer<String, SourcePosition> problems;

    /** @param problems is told of names that contradict each other, and where */
    public LeaderElectionAssembler(
            ConfigVersion version, FieldPositions positions, BiConsumer<String, SourcePosition> problems) {
        this.version = version;
        this.positions = positions;
        this.problems = problems;
    }

    /** The settings of a document, with the defaults of its version. */
    public LeaderElectionSettings settings(JsonNode tree) {
        return new LeaderElectionSettings(
                Settings.LEADER_ELECT.value(tree, version).asBoolean(),
                Settings.LEASE_DURATION.duration(tree, version),
                Settings.RENEW_DEADLINE.duration(tree, version),
                Settings.RETRY_PERIOD.duration(tree, version),
                Settings.RESOURCE_LOCK.value(tree, version).asText(),
                lockName(tree, Settings.RESOURCE_NAMESPACE, Settings.LOCK_OBJECT_NAMESPACE),
                lockName(tree, Settings.RESOURCE_NAME, Settings.LOCK_OBJECT_NAME));
    }

    private String lockName(JsonNode tree, Setting resource, Setting lockObject) {
        String older = lockObject.value(tree, version).asText("");
        String newer = tree.at("/" + resource.field().replace('.', '/')).asText("");
        if (!newer.isEmpty() && !older.isEmpty() && !newer.equals(older)) {
            String part = resource.field().substring(resource.field().lastIndexOf("resource") + "resource".length());
            String name = "Resource" + part;
            String olderName = "LockObject" + part;
            problems.accept(
                    name + " and " + olderName + " are both set and do not match, " + name + ": " + newer + ", "
                            + olderName + ": " + older,
                    positions.nearest(lockObject.field()));
        }
        return newer.isEmpty() && !older.isEmpty()
                ? older
                : resource.value(tree, version).asText();
    }

    /** What a file says under an older name counts for the newer one. */
    public static void lockGiven(Map<String, String> given) {
        lockGiven(given, Settings.RESOURCE_NAME, Settings.LOCK_OBJECT_NAME);
        lockGiven(given, Settings.RESOURCE_NAMESPACE, Settings.LOCK_OBJECT_NAMESPACE);
    }

    private static void lockGiven(Map<String, String> given, Setting resource, Setting lockObject) {
        String older = given.getOrDefault(lockObject.field(), "");
        if (!older.isEmpty()) {
            given.put(resource.field(), older);
        }
    }
}
