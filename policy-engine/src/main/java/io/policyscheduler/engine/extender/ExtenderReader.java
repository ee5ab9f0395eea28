package io.policyscheduler.engine.extender;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.document.DecodedObject;
import io.policyscheduler.engine.document.GoDuration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes records of decoded extenders. */
public final class ExtenderReader {
    private ExtenderReader() {}

    /** The extenders of a document, which stand under {@code extenders}; empty if it has none. */
    public static List<ExtenderConfig> read(DecodedObject document) {
        return document.objects("extenders").stream()
                .map(ExtenderReader::extender)
                .toList();
    }

    private static ExtenderConfig extender(DecodedObject raw) {
        DecodedObject tls = raw.object("tlsConfig");
        List<ManagedResource> managed = raw.objects("managedResources").stream()
                .map(resource -> new ManagedResource(
                        resource.string("name"), resource.bool("ignoredByScheduler"), resource.position()))
                .toList();
        return new ExtenderConfig(
                raw.string("urlPrefix"),
                raw.string("filterVerb"),
                raw.string("preemptVerb"),
                raw.string("prioritizeVerb"),
                raw.number("weight"),
                raw.string("bindVerb"),
                raw.bool(ExtenderShapes.ENABLE_HTTPS) || raw.bool(ExtenderShapes.ENABLE_HTTPS_OF_POLICY),
                tls == null ? null : tls(tls),
                nanoseconds(raw.any("httpTimeout")),
                raw.bool("nodeCacheCapable"),
                managed,
                raw.bool("ignorable"),
                raw.position(),
                raw.position("httpTimeout"));
    }

    private static long nanoseconds(@Nullable JsonNode timeout) {
        if (timeout == null) {
            return 0;
        }
        return timeout.isTextual() ? GoDuration.parse(timeout.asText()).toNanos() : timeout.asLong();
    }

    private static ExtenderTls tls(DecodedObject raw) {
        return new ExtenderTls(
                raw.bool("insecure"),
                raw.string("serverName"),
                raw.string("certFile"),
                raw.string("keyFile"),
                raw.string("caFile"),
                raw.string("certData"),
                raw.string("keyData"),
                raw.string("caData"));
    }
}
