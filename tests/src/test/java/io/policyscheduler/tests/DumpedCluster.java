package io.policyscheduler.tests;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A cluster that is read from files as a user would write them: pods without a node are pending, and UIDs may be missing. */
final class DumpedCluster implements ClusterFile.Sink {
    private final ClusterFile files;
    private final ClusterState cluster = new ClusterState();
    private final List<PodInfo> pending = new ArrayList<>();
    private final List<String> malformed = new ArrayList<>();

    DumpedCluster() {
        this(FeatureGates.defaults());
    }

    DumpedCluster(FeatureGates gates) {
        this.files = new ClusterFile(new ObjectReader(gates, false));
    }

    void load(Path file) throws IOException {
        files.read(file, this);
    }

    void load(String text) throws IOException {
        files.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), this);
    }

    @Override
    public void object(ClusterObject object) {
        if (object instanceof Node node) {
            cluster.putNode(node);
        } else if (object instanceof PodInfo pod) {
            PodInfo known = pod.uid().isEmpty() ? withUid(pod) : pod;
            if (known.nodeName().isEmpty()) {
                pending.add(known);
            } else {
                cluster.addPod(known);
            }
        } else {
            cluster.putObject(object);
        }
    }

    /** Generates a UID, as the API server would. */
    private static PodInfo withUid(PodInfo pod) {
        return pod.toBuilder().uid(pod.key()).build();
    }

    @Override
    public void malformed(String reason) {
        malformed.add(reason);
    }

    ClusterState cluster() {
        return cluster;
    }

    List<PodInfo> pending() {
        return pending;
    }

    /** Returns the reasons of the objects that were skipped. */
    List<String> malformed() {
        return malformed;
    }
}
