package io.policyscheduler.cmd.world;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.insight.compare.World;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * A cluster and its pending pods, as read from files. Objects without a namespace are taken to be in {@code default}, as if
 * they had been created by kubectl; what cannot be used is left out with a warning.
 */
public final class Dump {
    private static final String DEFAULT_NAMESPACE = "default";

    private final List<Node> nodes = new ArrayList<>();
    private final List<ClusterObject> others = new ArrayList<>();
    private final List<PodInfo> running = new ArrayList<>();
    private final List<PodInfo> pending = new ArrayList<>();
    private final ClusterFile reader;
    private final Consumer<String> warnings;
    private final IntConsumer progress;
    private final Set<String> seen = new HashSet<>();
    private int objects;
    private int skipped;
    private int withoutUid;

    /**
     * An empty dump.
     *
     * @param warnings is told what is left out or taken otherwise than it stands, a line each
     * @param progress is told the number of objects read so far, for each object
     */
    public Dump(FeatureGates gates, Consumer<String> warnings, IntConsumer progress) {
        this.reader = new ClusterFile(
                ObjectReader.ofManifests(gates, path -> warnings.accept(UnknownPodFields.warning(path))));
        this.warnings = warnings;
        this.progress = progress;
    }

    /**
     * Adds the objects of a file.
     *
     * @throws IOException when it cannot be read; one line that names the file
     */
    public void read(Path file) throws IOException {
        int before = objects;
        reader.read(file, new ClusterFile.Sink() {
            @Override
            public void object(ClusterObject object) {
                objects++;
                progress.accept(objects);
                add(file.toString(), object);
            }

            @Override
            public void malformed(String reason) {
                objects++;
                skip(file.toString(), reason);
            }
        });
        if (objects == before) {
            warnings.accept(file + ": no objects that scheduling looks at");
        }
    }

    /** To be called after the last file: says what is true of many objects at once. */
    public void finish() {
        if (withoutUid > 0) {
            warnings.accept(withoutUid + (withoutUid == 1 ? " pod has" : " pods have")
                    + " no uid; namespace/name stands in for it");
        }
    }

    private void skip(String where, String reason) {
        skipped++;
        warnings.accept(where + ": skipped: " + reason);
    }

    /** How many objects there were, those that were skipped included. */
    public int objects() {
        return objects;
    }

    /** How many objects could not be used. */
    public int skipped() {
        return skipped;
    }

    /** All that was read. */
    public World world() {
        return new World(nodes, others, running, pending);
    }

    /** Pods without a node that are neither finished nor being deleted, in the order of appearance. */
    public List<PodInfo> pending() {
        return List.copyOf(pending);
    }

    /**
     * Adds an object that was read elsewhere.
     *
     * @param where it comes from, for warnings
     */
    public void add(String where, ClusterObject read) {
        ClusterObject object = inDefaultNamespace(read);
        String name = object.resourceKind().objectKind() + " " + object.key();
        if (!seen.add(name)) {
            skip(where, name + " is there twice; the first one is used");
        } else if (object instanceof Node node) {
            nodes.add(node);
        } else if (object instanceof PodInfo pod) {
            add(pod);
        } else {
            others.add(object);
        }
    }

    private void add(PodInfo read) {
        PodInfo pod = read;
        if (pod.uid().isEmpty()) {
            withoutUid++;
            pod = read.toBuilder().uid(read.key()).build();
        }
        if (pod.isFinished()) {
            return;
        }
        if (!pod.nodeName().isEmpty()) {
            running.add(pod);
        } else if (!pod.terminating()) {
            pending.add(pod);
        }
    }

    private static ClusterObject inDefaultNamespace(ClusterObject object) {
        return object.namespace().isEmpty() ? object.withNamespace(DEFAULT_NAMESPACE) : object;
    }
}
