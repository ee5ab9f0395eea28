package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.io.BaseEncoding;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP extender of a Policy. An empty verb means that the extender is not called for that step.
 *
 * @param urlPrefix as written; trailing slashes are trimmed when it is called
 * @param weight factor of the extender's scores
 * @param httpTimeoutNanos nanoseconds, 0 means the default of 5 s, negative means no timeout
 * @param managedResources empty means that the extender is called for all pods
 * @param ignorable whether scheduling continues if the extender cannot be reached
 */
public record ExtenderConfig(
        String urlPrefix,
        String filterVerb,
        String preemptVerb,
        String prioritizeVerb,
        long weight,
        String bindVerb,
        boolean enableHttps,
        @Nullable ExtenderTls tlsConfig,
        long httpTimeoutNanos,
        boolean nodeCacheCapable,
        List<ManagedResource> managedResources,
        boolean ignorable,
        SourcePosition position,
        SourcePosition httpTimeoutPosition) {

    public ExtenderConfig {
        managedResources = ImmutableList.copyOf(managedResources);
    }

    /** The call order of v1.17: extenders that are not ignorable first, each group in file order. */
    public static List<ExtenderConfig> inCallOrder(List<ExtenderConfig> extenders) {
        return extenders.stream()
                .sorted(Comparator.comparing(ExtenderConfig::ignorable))
                .toList();
    }

    /** The resources that only extenders check, in file order. */
    public static Set<String> ignoredResources(List<ExtenderConfig> extenders) {
        return extenders.stream()
                .flatMap(extender -> extender.managedResources().stream())
                .filter(ManagedResource::ignoredByScheduler)
                .map(ManagedResource::name)
                .collect(ImmutableSet.toImmutableSet());
    }

    /**
     * An extended resource that an extender manages.
     *
     * @param ignoredByScheduler whether the scheduler does not check the resource
     */
    public record ManagedResource(String name, boolean ignoredByScheduler, SourcePosition position) {}

    /**
     * TLS settings of an extender. Data takes precedence over a file of the same kind; empty strings and empty data mean not set.
     *
     * @param certData PEM in base64, as in the file
     * @param keyData PEM in base64, as in the file
     * @param caData PEM in base64, as in the file
     */
    public record ExtenderTls(
            boolean insecure,
            String serverName,
            String certFile,
            String keyFile,
            String caFile,
            String certData,
            String keyData,
            String caData) {

        /** The decoded bytes of one of the data fields; the reader has checked the encoding. */
        public static byte[] decode(String base64) {
            return BaseEncoding.base64().decode(base64.replace("\n", "").replace("\r", ""));
        }

        /** Omits the key. */
        @Override
        public String toString() {
            return "ExtenderTls[insecure=" + insecure + ", serverName=" + serverName + ", certFile=" + certFile
                    + ", keyFile=" + keyFile + ", caFile=" + caFile + "]";
        }
    }
}
