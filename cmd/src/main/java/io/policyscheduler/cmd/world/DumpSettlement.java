package io.policyscheduler.cmd.world;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.creation.ObjectCreation.RefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the pods and claims of files once all files are read: an API server completes, or refuses, those that none has
 * written, and claims and namespaces come into being with the pods.
 */
final class DumpSettlement {
    private final WrittenObjects.Completion completion;
    private final Set<String> seen;
    private final BiConsumer<WrittenObjects.Written, String> skipped;
    private final List<ClusterObject> others = new ArrayList<>();
    private final List<ClusterObject> generated = new ArrayList<>();
    private final List<PodInfo> running = new ArrayList<>();
    private final List<PodInfo> pending = new ArrayList<>();
    private final Set<String> namespaces = new TreeSet<>();

    /**
     * A settlement of nothing yet.
     *
     * @param seen kind and key of all objects that are there; grows
     * @param skipped is told what is left out, and why
     */
    DumpSettlement(
            WrittenObjects.Completion completion,
            Set<String> seen,
            BiConsumer<WrittenObjects.Written, String> skipped) {
        this.completion = completion;
        this.seen = seen;
        this.skipped = skipped;
    }

    void claim(Dump.Entry entry) {
        settled(entry, generated).ifPresent(others::add);
    }

    void pod(Dump.Entry entry) {
        List<ClusterObject> ofPod = new ArrayList<>();
        if (!(settled(entry, ofPod).orElse(null) instanceof PodInfo read)) {
            return;
        }
        PodInfo pod = read.uid().isEmpty() ? read.toBuilder().uid(read.key()).build() : read;
        if (pod.isFinished()) {
            return;
        }
        if (entry.written() != null) {
            namespaces.add(pod.namespace());
        }
        if (!pod.nodeName().isEmpty()) {
            running.add(pod);
            generated.addAll(ofPod);
        } else if (!pod.terminating()) {
            pending.add(pod);
            generated.addAll(ofPod);
        }
    }

    /** The objects besides pods that have been settled, with those that came into being. */
    List<ClusterObject> finish() {
        for (ClusterObject claim : generated) {
            if (seen.add(claim.resourceKind().objectKind() + " " + claim.key())) {
                others.add(claim);
            }
        }
        namespaces.forEach(this::addNamespace);
        return others;
    }

    /** Nobody can create a pod in a namespace that is not there. */
    private void addNamespace(String name) {
        if (seen.add("Namespace " + name)) {
            ObjectNode namespace = JsonNodeFactory.instance.objectNode();
            namespace.putObject("metadata").put("name", name);
            ClusterObject completed = complete(WrittenObjects.written(name, "Namespace", namespace), new ArrayList<>());
            if (completed != null) {
                others.add(completed);
            }
        }
    }

    private Optional<ClusterObject> settled(Dump.Entry entry, List<ClusterObject> made) {
        WrittenObjects.Written text = entry.written();
        if (text == null) {
            return Optional.of(entry.object());
        }
        return Optional.ofNullable(complete(text, made)).map(Dump::inDefaultNamespace);
    }

    /** Null when it cannot be. */
    private @Nullable ClusterObject complete(WrittenObjects.Written text, List<ClusterObject> made) {
        try {
            return completion.complete(text, made);
        } catch (RefusedException | IOException e) {
            skipped.accept(text, MissingObjectText.refused(text, e));
            return null;
        }
    }

    List<PodInfo> running() {
        return running;
    }

    List<PodInfo> pending() {
        return pending;
    }
}
