package io.policyscheduler.engine.document;

import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The kind and apiVersion of a document. Mirrors {@code SimpleMetaFactory} of {@code k8s.io/apimachinery} and the errors of its
 * scheme.
 *
 * @param kind empty when absent
 * @param apiVersion empty when absent
 * @param kindPosition position of the kind, of the document if absent
 * @param versionPosition position of the apiVersion, of the document if absent
 * @param lastPosition position of the later one of both, of the document if absent
 */
public record TypeMeta(
        String kind,
        String apiVersion,
        SourcePosition kindPosition,
        SourcePosition versionPosition,
        SourcePosition lastPosition) {
    /** The prefix of errors in a document whose kind Kubernetes looks up. */
    public static final String ERROR = "couldn't get version/kind; json parse error: ";

    private static final String SCHEME = "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:30";
    private static final String STRUCT = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\";"
            + " Kind string \"json:\\\"kind,omitempty\\\"\" }";

    /**
     * Reads kind and apiVersion; the last of duplicate keys applies.
     *
     * @param anyCase whether keys are case-insensitive, as up to 1.17
     * @throws DocumentException if the document is not an object, or one of both is not a string
     */
    public static TypeMeta of(SourceNode document, boolean anyCase) throws DocumentException {
        if (document.kind() != SourceNode.Kind.OBJECT && document.kind() != SourceNode.Kind.NULL) {
            String type = document.kind().goName();
            throw new DocumentException(
                    ERROR + "json: cannot unmarshal " + type + " into Go value of type " + STRUCT,
                    "the document must be an object, found a value of type " + type,
                    document.position());
        }
        SourceNode kind = null;
        SourceNode apiVersion = null;
        SourcePosition last = document.position();
        for (SourceNode.Member member : document.members()) {
            String key = anyCase ? member.key().toLowerCase(Locale.ROOT) : member.key();
            SourceNode value = member.value();
            if (value.kind() == SourceNode.Kind.NULL) {
                continue;
            }
            if (key.equals("kind")) {
                kind = string(value, "kind");
                last = value.position();
            } else if (key.equals(anyCase ? "apiversion" : "apiVersion")) {
                apiVersion = string(value, "apiVersion");
                last = value.position();
            }
        }
        return new TypeMeta(
                kind == null ? "" : kind.text(),
                apiVersion == null ? "" : apiVersion.text(),
                position(kind, document),
                position(apiVersion, document),
                last);
    }

    /** The error of Kubernetes for a kind that a scheme does not have. */
    public static String notRegistered(String kind, String groupVersion) {
        return "no kind " + GoText.quote(kind) + " is registered for version " + GoText.quote(groupVersion)
                + " in scheme " + GoText.quote(SCHEME);
    }

    /** The fix for an unquoted string that YAML 1.1 reads as a boolean, in parentheses; empty for other values. */
    public static String booleanHint(Shape shape, SourceNode value) {
        return shape.kind() == Shape.Kind.STRING && value.kind() == SourceNode.Kind.BOOL
                ? " (YAML reads y, n, yes, no, on, and off as booleans: write the text in quotes)"
                : "";
    }

    private static SourceNode string(SourceNode value, String field) throws DocumentException {
        if (value.kind() != SourceNode.Kind.STRING) {
            String type = value.kind().goName();
            throw new DocumentException(
                    ERROR + "json: cannot unmarshal " + type + " into Go struct field ." + field + " of type string",
                    field + " must be a string, found a value of type " + type,
                    value.position());
        }
        return value;
    }

    private static SourcePosition position(@Nullable SourceNode value, SourceNode document) {
        return value == null ? document.position() : value.position();
    }
}
