package io.policyscheduler.cmd.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.EmbeddedCluster;
import io.policyscheduler.cmd.embedded.access.AuthorizationMode;
import io.policyscheduler.cmd.embedded.api.ReleaseProfile;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.options.ClusterTroubleException;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.ManifestFiles;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of an embedded cluster, as a mixin. */
final class ClusterOptions {
    @Option(
            names = "--release",
            paramLabel = "RELEASE",
            defaultValue = "modern",
            description =
                    "API of this Kubernetes release: 1.17 or 1.34 (modern is 1.34) (default:" + " ${DEFAULT-VALUE}).")
    private String release = "modern";

    /** Of which release the cluster will be. */
    Release release() {
        return profile().release();
    }

    private ReleaseProfile profile() {
        return switch (release) {
            case "1.17", "v1.17" -> ReleaseProfile.V1_17;
            case "modern", "1.34", "v1.34" -> ReleaseProfile.MODERN;
            default -> throw new InputException("--release: \"" + release + "\" is neither 1.17 nor 1.34 (modern)");
        };
    }

    /** Starts a cluster on {@code port}, 0 for any; with controllers, which do not begin by themselves, or without. */
    EmbeddedCluster start(int port, AuthorizationMode authorization, boolean controllers) {
        ReleaseProfile profile = profile();
        try {
            return EmbeddedCluster.builder()
                    .port(port)
                    .release(profile)
                    .authorization(authorization)
                    .controllers(controllers)
                    .nodeAdmission(new GeneralPredicatesAdmission(profile.release()))
                    .start();
        } catch (IOException e) {
            throw new ClusterTroubleException("cannot listen on port " + port + ": " + e.getMessage(), e);
        }
    }

    /** Creates everything that the files hold, as {@code kubectl create} would; returns how many documents that were. */
    static int load(EmbeddedCluster cluster, List<Path> files) {
        int count = 0;
        for (Path file : files) {
            for (JsonNode document : ManifestFiles.read(file)) {
                try {
                    cluster.load(document);
                } catch (StatusError | IllegalArgumentException e) {
                    throw new InputException(file + ": " + e.getMessage(), e);
                }
                JsonNode items = document.path("items");
                count += items.isArray() ? items.size() : 1;
            }
        }
        return count;
    }
}
