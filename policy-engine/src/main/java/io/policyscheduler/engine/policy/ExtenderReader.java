package io.policyscheduler.engine.policy;

import static io.policyscheduler.engine.document.ShapeDecoder.Shape.field;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.document.DecodedObject;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.engine.document.TextInput;
import io.policyscheduler.engine.policy.ExtenderConfig.ExtenderTls;
import io.policyscheduler.engine.policy.ExtenderConfig.ManagedResource;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts decoded extenders to records. */
public final class ExtenderReader {
    private static final Pattern PEM_BLOCK =
            Pattern.compile("-----BEGIN ([^-]+)-----\\s.*?-----END \\1-----", Pattern.DOTALL);

    private ExtenderReader() {}

    /** The extenders of a document, from its key {@code extenders}; empty if it has none. */
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
                raw.bool(ENABLE_HTTPS) || raw.bool(ENABLE_HTTPS_OF_POLICY),
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

    /**
     * The text with which kube-scheduler rejects the extender, null if its client can be built. Mirrors {@code TLSConfigFor} of
     * {@code client-go/transport}.
     *
     * @param v117 whether to accept a CA that is not PEM, as v1.17 did, whose calls then failed
     */
    public static @Nullable String tlsProblem(ExtenderConfig extender, boolean v117) {
        ExtenderTls tls = extender.tlsConfig();
        if (tls == null) {
            return null;
        }
        boolean hasCa = !tls.caFile().isEmpty() || !tls.caData().isEmpty();
        boolean hasCertificate = !tls.certFile().isEmpty() || !tls.certData().isEmpty();
        boolean hasKey = !tls.keyFile().isEmpty() || !tls.keyData().isEmpty();
        boolean insecure = tls.insecure() || (extender.enableHttps() && !hasCa);
        boolean used = hasCa
                || (hasCertificate && hasKey)
                || insecure
                || !tls.serverName().isEmpty();
        if (!used) {
            return null;
        }
        if (hasCa && insecure) {
            return "specifying a root certificates file with the insecure flag is not allowed";
        }
        try {
            String ca = load(tls.caData(), tls.caFile());
            String caProblem = hasCa && !v117 ? caProblem(ca) : null;
            if (caProblem != null) {
                return "unable to load root certificates: " + caProblem;
            }
            String certificate = load(tls.certData(), tls.certFile());
            String key = load(tls.keyData(), tls.keyFile());
            if (hasCertificate && hasKey) {
                return pairProblem(certificate, key);
            }
            return null;
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static @Nullable String caProblem(String pem) {
        Matcher blocks = PEM_BLOCK.matcher(pem);
        int count = 0;
        while (blocks.find()) {
            count++;
            if (!blocks.group(1).equals("CERTIFICATE")) {
                continue;
            }
            byte[] block = blocks.group().getBytes(StandardCharsets.ISO_8859_1);
            try {
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(block));
                return null;
            } catch (CertificateException e) {
                return "failed to parse certificate: "
                        + String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            }
        }
        return count == 0 ? "unable to parse bytes as PEM block" : "no valid certificate authority data seen";
    }

    private static @Nullable String pairProblem(String certificate, String key) {
        if (!certificate.contains("-----BEGIN CERTIFICATE-----")) {
            return "tls: failed to find any PEM data in certificate input";
        }
        return key.contains("PRIVATE KEY-----") ? null : "tls: failed to find any PEM data in key input";
    }

    private static String load(String data, String file) throws IOException {
        if (!data.isEmpty()) {
            return new String(ExtenderTls.decode(data), StandardCharsets.UTF_8);
        }
        if (file.isEmpty()) {
            return "";
        }
        if (new File(file).isDirectory()) {
            throw new IOException("read " + file + ": is a directory");
        }
        try {
            return new String(TextInput.read(Path.of(file)), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new IOException("open " + file + ": no such file or directory", e);
        } catch (AccessDeniedException e) {
            throw new IOException("open " + file + ": permission denied", e);
        }
    }

    /** The shape in policies and in configurations up to {@code v1alpha2}: case-insensitive keys, the timeout in nanoseconds. */
    public static final Shape OF_POLICY = shape(true);
    /** The shape in configurations since {@code v1beta1}. */
    public static final Shape OF_CONFIGURATION = shape(false);

    static final String ENABLE_HTTPS = "enableHTTPS";
    static final String ENABLE_HTTPS_OF_POLICY = "enableHttps";

    private static Shape shape(boolean policy) {
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
