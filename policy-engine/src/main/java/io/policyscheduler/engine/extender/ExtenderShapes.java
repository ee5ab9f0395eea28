package io.policyscheduler.engine.extender;

import static io.policyscheduler.engine.document.Shape.field;

import io.policyscheduler.engine.document.Shape;

/** The shapes of an extender. Mirrors {@code Extender} of {@code k8s.io/kube-scheduler/config}. */
public final class ExtenderShapes {
    /** Of policies and of configurations up to {@code v1alpha2}: keys in any case, the timeout in nanoseconds. */
    public static final Shape OF_POLICY = extender(true);
    /** Of configurations since {@code v1beta1}. */
    public static final Shape OF_CONFIGURATION = extender(false);

    static final String ENABLE_HTTPS = "enableHTTPS";
    static final String ENABLE_HTTPS_OF_POLICY = "enableHttps";

    private ExtenderShapes() {}

    private static Shape extender(boolean policy) {
        Shape tls = Shape.object(
                "ExtenderTLSConfig",
                field("insecure", "Insecure", Shape.BOOL),
                field("serverName", "ServerName", Shape.STRING),
                field("certFile", "CertFile", Shape.STRING),
                field("keyFile", "KeyFile", Shape.STRING),
                field("caFile", "CAFile", Shape.STRING),
                field("certData", "CertData", Shape.BYTES),
                field("keyData", "KeyData", Shape.BYTES),
                field("caData", "CAData", Shape.BYTES));
        Shape managed = Shape.object(
                "ExtenderManagedResource",
                field("name", "Name", Shape.STRING),
                field("ignoredByScheduler", "IgnoredByScheduler", Shape.BOOL));
        Shape extender = Shape.object(
                "Extender",
                field("urlPrefix", "URLPrefix", Shape.STRING),
                field("filterVerb", "FilterVerb", Shape.STRING),
                field("preemptVerb", "PreemptVerb", Shape.STRING),
                field("prioritizeVerb", "PrioritizeVerb", Shape.STRING),
                field("weight", "Weight", Shape.INT64),
                field("bindVerb", "BindVerb", Shape.STRING),
                field(policy ? ENABLE_HTTPS_OF_POLICY : ENABLE_HTTPS, "EnableHTTPS", Shape.BOOL),
                field("tlsConfig", "TLSConfig", policy ? tls.loosely() : tls),
                field("httpTimeout", "HTTPTimeout", policy ? Shape.NANOSECONDS : Shape.DURATION),
                field("nodeCacheCapable", "NodeCacheCapable", Shape.BOOL),
                field("managedResources", "ManagedResources", Shape.list(policy ? managed.loosely() : managed)),
                field("ignorable", "Ignorable", Shape.BOOL));
        return policy ? extender.loosely() : extender;
    }
}
