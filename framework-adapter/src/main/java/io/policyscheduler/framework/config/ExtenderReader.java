package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderTls;
import io.policyscheduler.engine.policy.GoDuration;
import io.policyscheduler.engine.policy.ManagedResource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code extenders} into the type that a Policy has for them. */
final class ExtenderReader {
    private ExtenderReader() {}

    static List<ExtenderConfig> read(JsonNode list, ConfigVersion version, FieldPositions positions) {
        boolean old = !version.atLeast(ConfigVersion.V1BETA1);
        List<ExtenderConfig> extenders = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            JsonNode extender = list.get(i);
            String path = "extenders[" + i + "]";
            extenders.add(new ExtenderConfig(
                    extender.path("urlPrefix").asText(""),
                    extender.path("filterVerb").asText(""),
                    extender.path("preemptVerb").asText(""),
                    extender.path("prioritizeVerb").asText(""),
                    extender.path("weight").asLong(0),
                    extender.path("bindVerb").asText(""),
                    extender.path(old ? "enableHttps" : "enableHTTPS").asBoolean(false),
                    tls(extender.path("tlsConfig")),
                    timeoutNanos(extender.path("httpTimeout"), old),
                    extender.path("nodeCacheCapable").asBoolean(false),
                    managed(extender.path("managedResources"), path + ".managedResources", positions),
                    extender.path("ignorable").asBoolean(false),
                    positions.nearest(path),
                    positions.nearest(path + ".httpTimeout")));
        }
        return extenders;
    }

    private static long timeoutNanos(JsonNode timeout, boolean old) {
        if (old) {
            return timeout.asLong(0);
        }
        String text = timeout.asText("");
        return text.isEmpty() ? 0 : GoDuration.parse(text).toNanos();
    }

    private static List<ManagedResource> managed(JsonNode list, String path, FieldPositions positions) {
        List<ManagedResource> resources = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            resources.add(new ManagedResource(
                    list.get(i).path("name").asText(""),
                    list.get(i).path("ignoredByScheduler").asBoolean(false),
                    positions.nearest(path + "[" + i + "]")));
        }
        return resources;
    }

    private static @Nullable ExtenderTls tls(JsonNode tls) {
        if (!tls.isObject()) {
            return null;
        }
        return new ExtenderTls(
                tls.path("insecure").asBoolean(false),
                tls.path("serverName").asText(""),
                tls.path("certFile").asText(""),
                tls.path("keyFile").asText(""),
                tls.path("caFile").asText(""),
                tls.path("certData").asText(""),
                tls.path("keyData").asText(""),
                tls.path("caData").asText(""));
    }
}
