package io.policyscheduler.framework.config;

import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.DecodedObject;
import io.policyscheduler.engine.document.DocumentException;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.ShapeDecoder;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceNode;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.document.TypeMeta;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.framework.config.setting.ConfigVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads a KubeSchedulerConfiguration, YAML or JSON, of any version. {@code v1alpha1} drops unknown keys with a warning, later
 * versions refuse them. Values are checked for their type only; {@link ConfigurationValidator} does the rest.
 *
 * <p>Mirrors {@code loadConfig} of {@code cmd/kube-scheduler/app/options}.
 */
public final class ConfigurationReader {
    private final Release release;

    /** Reads as the newest release. */
    public ConfigurationReader() {
        this(Release.NEWEST);
    }

    /** @param release the one whose default plugins hold, and whose decisions are wanted of them */
    public ConfigurationReader(Release release) {
        this.release = release;
    }

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
            throw refuse(Problem.at(ConfigurationProblemCode.DECODE, e.text(), file, e.position()));
        }
        ConfigVersion version = version(document.root(), file);
        ConfigurationReading reading = new ConfigurationReading(file, version);
        DecodedObject tree = ShapeDecoder.decode(document.root(), ConfigurationShapes.of(version), reading);
        if (!reading.problems().isEmpty()) {
            throw new ConfigurationException(reading.problems(), reading.message());
        }
        List<Warning> warnings = new ArrayList<>(reading.warnings());
        if (document.moreDocuments()) {
            warnings.add(new Warning(
                    ConfigurationWarningCode.MORE_DOCUMENTS,
                    "only the first YAML document is read, the others are ignored",
                    SourcePosition.UNKNOWN));
        }
        return new ConfigurationAssembler(version, release, file, warnings).configuration(tree);
    }

    /** Whether a text says that it is a configuration, of a version that is known or not. */
    public static boolean isConfiguration(String text) {
        try {
            return TypeMeta.of(SourceDocument.parse(text).root(), false).kind().equals(ConfigVersion.KIND);
        } catch (DocumentException e) {
            return false;
        }
    }

    private static ConfigVersion version(SourceNode root, String file) throws ConfigurationException {
        TypeMeta meta;
        try {
            meta = TypeMeta.of(root, false);
        } catch (DocumentException e) {
            throw refuse(Problem.at(ConfigurationProblemCode.DECODE, e.text(), file, e.position()));
        }
        if (meta.kind().isEmpty() || meta.apiVersion().isEmpty()) {
            String missing = meta.kind().isEmpty() ? "Kind" : "apiVersion";
            String message = "Object '" + missing + "' is missing";
            throw refuse(Problem.at(ConfigurationProblemCode.KIND, message, file, root.position())
                    .suggesting("kind: " + ConfigVersion.KIND + ", apiVersion: " + ConfigVersion.V1.apiVersion()));
        }
        boolean kindFits = meta.kind().equals(ConfigVersion.KIND);
        Optional<ConfigVersion> version = ConfigVersion.of(meta.apiVersion());
        if (kindFits && version.isPresent()) {
            return version.get();
        }
        String nearest = Suggestions.nearest(meta.apiVersion(), ConfigVersion.apiVersions());
        String message = TypeMeta.notRegistered(meta.kind(), meta.apiVersion());
        SourcePosition blamed = kindFits ? meta.versionPosition() : meta.kindPosition();
        throw refuse(Problem.at(ConfigurationProblemCode.KIND, message, file, blamed)
                .suggesting(kindFits ? nearest : ConfigVersion.KIND));
    }

    private static ConfigurationException refuse(Problem problem) {
        return new ConfigurationException(List.of(problem));
    }
}
