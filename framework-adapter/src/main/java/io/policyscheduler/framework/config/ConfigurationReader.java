package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.policy.DocumentException;
import io.policyscheduler.engine.policy.GoText;
import io.policyscheduler.engine.policy.JsonNode;
import io.policyscheduler.engine.policy.SourceDocument;
import io.policyscheduler.engine.policy.SourcePosition;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a KubeSchedulerConfiguration, YAML or JSON, of any version. {@code v1alpha1} drops unknown keys with a warning, later
 * versions refuse them. Values are checked for their type only; {@link ConfigurationValidator} does the rest.
 *
 * <p>Mirrors {@code loadConfig} of {@code cmd/kube-scheduler/app/options}.
 */
public final class ConfigurationReader {
    private static final String SCHEME = "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:30";
    private static final String META_ERROR = "couldn't get version/kind; json parse error: ";
    private static final String META_STRUCT = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\";"
            + " Kind string \"json:\\\"kind,omitempty\\\"\" }";

    /**
     * Reads a configuration and fills in the defaults of its version.
     *
     * @param text the whole file
     * @param file its name, for messages
     * @throws ConfigurationException with every problem, if the release of the version would refuse the text
     */
    public SchedulerConfiguration read(String text, String file) throws ConfigurationException {
        SourceDocument document;
        try {
            document = SourceDocument.parse(text);
        } catch (DocumentException e) {
            throw refuse(ConfigurationProblem.of(ConfigurationProblem.DECODE, e.text(), file, e.position()));
        }
        ConfigVersion version = version(document.root(), file);
        ArgumentShapes arguments = ArgumentShapes.of(version);
        ShapeDecoder decoder =
                new ShapeDecoder(file, version == ConfigVersion.V1ALPHA1, arguments, ConfigurationShapes.MOVED);
        ObjectNode tree = decoder.decode(document.root(), ConfigurationShapes.of(version));
        if (!decoder.problems().isEmpty()) {
            throw new ConfigurationException(decoder.problems());
        }
        List<ConfigurationWarning> warnings = new ArrayList<>(decoder.warnings());
        if (document.moreDocuments()) {
            warnings.add(new ConfigurationWarning(
                    ConfigurationWarning.MORE_DOCUMENTS,
                    "only the first YAML document is read, the others are ignored",
                    SourcePosition.UNKNOWN));
        }
        return new ConfigurationAssembler(version, file, decoder.positions(), warnings).configuration(tree);
    }

    private static ConfigVersion version(JsonNode root, String file) throws ConfigurationException {
        if (root.kind() != JsonNode.Kind.OBJECT && root.kind() != JsonNode.Kind.NULL) {
            String message = META_ERROR + "json: cannot unmarshal "
                    + root.kind().goName() + " into Go value of type " + META_STRUCT;
            throw refuse(ConfigurationProblem.of(ConfigurationProblem.DECODE, message, file, root.position()));
        }
        JsonNode kindNode = meta(root, "kind", file);
        JsonNode versionNode = meta(root, "apiVersion", file);
        String kind = kindNode == null ? "" : kindNode.text();
        String apiVersion = versionNode == null ? "" : versionNode.text();
        if (kind.isEmpty() || apiVersion.isEmpty()) {
            String missing = kind.isEmpty() ? "Kind" : "apiVersion";
            throw refuse(ConfigurationProblem.of(
                            ConfigurationProblem.KIND, "Object '" + missing + "' is missing", file, root.position())
                    .suggesting("kind: " + ConfigVersion.KIND + ", apiVersion: " + ConfigVersion.V1.apiVersion()));
        }
        if (kind.equals(ConfigVersion.KIND) && ConfigVersion.of(apiVersion).isPresent()) {
            return ConfigVersion.of(apiVersion).get();
        }
        boolean kindFits = kind.equals(ConfigVersion.KIND);
        String nearest = Suggestions.nearest(apiVersion, ConfigVersion.apiVersions());
        JsonNode blamed = kindFits ? versionNode : kindNode;
        throw refuse(ConfigurationProblem.of(
                        ConfigurationProblem.KIND,
                        "no kind " + GoText.quote(kind) + " is registered for version " + GoText.quote(apiVersion)
                                + " in scheme " + GoText.quote(SCHEME),
                        file,
                        blamed == null ? root.position() : blamed.position())
                .suggesting(kindFits ? nearest : ConfigVersion.KIND));
    }

    private static @Nullable JsonNode meta(JsonNode root, String key, String file) throws ConfigurationException {
        JsonNode found = null;
        for (JsonNode.Member member : root.members()) {
            if (!member.key().equals(key) || member.value().kind() == JsonNode.Kind.NULL) {
                continue;
            }
            found = member.value();
            if (found.kind() != JsonNode.Kind.STRING) {
                String message = META_ERROR + "json: cannot unmarshal "
                        + found.kind().goName() + " into Go struct field ." + key + " of type string";
                throw refuse(ConfigurationProblem.of(ConfigurationProblem.DECODE, message, file, found.position()));
            }
        }
        return found;
    }

    private static ConfigurationException refuse(ConfigurationProblem problem) {
        return new ConfigurationException(List.of(problem));
    }
}
