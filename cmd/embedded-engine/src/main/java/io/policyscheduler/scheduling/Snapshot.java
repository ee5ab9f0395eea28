package io.policyscheduler.scheduling;

import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects of a cluster at one moment: nodes, running pods, pending pods, and other objects that decisions depend on.
 * Immutable. Unreadable objects are skipped with a warning in the log.
 */
public final class Snapshot {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshot.class);

    private final ClusterSnapshot objects;
    private final FeatureGates gates;

    private Snapshot(ClusterSnapshot objects, FeatureGates gates) {
        this.objects = objects;
        this.gates = gates;
    }

    /**
     * Reads the output of {@code policy-scheduler dump} or {@code kubectl get ... -o json}, or manifests: YAML, JSON, or JSON Lines, also
     * gzipped. Manifests get the defaults of an API server. The release is that of the newest kubelet, else the newest supported one.
     *
     * @throws IOException if a file cannot be read; the message names the file
     */
    public static Snapshot read(Path... files) throws IOException {
        return read(null, files);
    }

    /**
     * Reads the objects of a cluster of this release.
     *
     * @param release such as {@code 1.22}
     * @throws IllegalArgumentException if this is not a supported release
     */
    public static Snapshot ofRelease(String release, Path... files) throws IOException {
        Release parsed = Release.parse(release);
        if (!parsed.atLeast(Release.V1_17.minor()) || parsed.compareTo(Release.NEWEST) > 0) {
            throw new IllegalArgumentException(
                    release + " is not a supported release; use " + Release.V1_17 + " to " + Release.NEWEST);
        }
        return read(parsed, files);
    }

    private static Snapshot read(@Nullable Release release, Path... files) throws IOException {
        FeatureGates all = FeatureGates.defaults()
                .at(release == null ? Release.NEWEST : release)
                .keepingPodAnnotations(true);
        Dump dump = new Dump(all, LOG::warn, objects -> {});
        for (Path file : files) {
            dump.read(file);
        }
        dump.finish();
        ClusterSnapshot objects = dump.snapshot();
        return new Snapshot(
                objects, release == null ? all.at(objects.knownRelease().orElse(Release.NEWEST)) : all);
    }

    ClusterSnapshot objects() {
        return objects;
    }

    FeatureGates gates() {
        return gates;
    }

    /** The release that pods are read with, such as {@code 1.22}. */
    public String release() {
        return gates.release().toString();
    }

    /** The pods without a node that are neither finished nor being deleted, as {@code namespace/name}. */
    public List<String> pendingPods() {
        return objects.pending().stream().map(PodInfo::key).toList();
    }
}
