package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A policy that changes while the server is not available. */
@Tag("faults")
@Timeout(120)
class PolicyFaultsTest {
    private static final String MAP = "/api/v1/namespaces/default/configmaps/policy";
    private static final Predicate<Call> READS =
            call -> call.method().equals("GET") && call.path().equals(MAP);
    private static final Pattern HASH = Pattern.compile("policy_scheduler_policy_info\\{[^}]*hash=\"([^\"]+)\"");
    private static final String GENERATION = "policy_scheduler_policy_generation";

    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.call("DELETE", MAP, "");
        fixture.close();
    }

    private static ObjectNode configMap(String label) {
        ObjectNode map = Manifest.json(
                "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'policy','namespace':'default'},'data':{}}");
        map.withObject("/data")
                .put(
                        "policy.cfg",
                        "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"PodFitsResources\"},"
                                + "{\"name\":\"Zone\",\"argument\":{\"labelsPresence\":{\"labels\":[\"" + label
                                + "\"],\"presence\":true}}}],\"priorities\":[]}");
        return map;
    }

    private Program start(Path folder, String name) throws java.io.IOException {
        return Program.start(
                Files.createDirectory(folder.resolve(name)),
                "run",
                "--master",
                fixture.proxy().url(),
                "--policy-configmap",
                "policy",
                "--policy-configmap-namespace",
                "default",
                "--status-address",
                "0");
    }

    private static String hash(Program program) {
        Matcher hash = HASH.matcher(program.metrics());
        return hash.find() ? hash.group(1) : "";
    }

    @Test
    void aChangeThatCannotBeReadAtOnceIsReadLaterAndReplicasAgree(@TempDir Path folder) throws Exception {
        for (String label : new String[] {"a", "b"}) {
            ObjectNode node = Manifest.node("on-" + label, "8");
            node.withObject("/metadata/labels").put(label, "yes");
            fixture.server().load(node);
        }
        fixture.server().load(configMap("a"));
        try (Program first = start(folder, "first");
                Program second = start(folder, "second")) {
            first.awaitMetric(GENERATION, "1.0");
            second.awaitMetric(GENERATION, "1.0");
            String before = hash(first);
            assertEquals(before, hash(second));
            fixture.proxy().order(3, READS, Fault.Answer.refused(500, "etcdserver: request timed out"));
            fixture.proxy().order(1, READS, Fault.Answer.notFoundPage());
            ObjectNode changed = configMap("b");
            fixture.call("PUT", MAP, changed.toString());
            first.awaitMetric(GENERATION, "2.0");
            second.awaitMetric(GENERATION, "2.0");
            assertNotEquals(before, hash(first));
            assertEquals(hash(first), hash(second));
            fixture.addPods("p", 1, "100m");
            fixture.awaitBound("p0");
            assertEquals("on-b", fixture.nodeOf("p0"));
        }
    }
}
