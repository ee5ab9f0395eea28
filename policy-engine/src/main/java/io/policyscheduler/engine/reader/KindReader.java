package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.ServiceInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.DeviceClassInfo;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceSelector;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.reader.AffinityReader.SelectorReader;
import io.policyscheduler.engine.reader.ResourceClaimReader.DeviceReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds an object of one kind while its fields are read. */
abstract class KindReader {
    final Metadata metadata;

    KindReader(boolean keepAnnotations) {
        this(keepAnnotations, false);
    }

    KindReader(boolean keepAnnotations, boolean keepFinalizers) {
        this.metadata = new Metadata(keepAnnotations, keepFinalizers);
    }

    /** Reads one top-level field. */
    final void field(String name, JsonCursor cursor) throws IOException {
        if (name.equals("metadata")) {
            metadata.read(cursor);
        } else {
            body(name, cursor);
        }
    }

    /** Reads a top-level field other than metadata. Kinds with other fields than {@code spec} override this method. */
    void body(String name, JsonCursor cursor) throws IOException {
        if (name.equals("spec")) {
            spec(cursor);
        } else {
            cursor.skip();
        }
    }

    /** Reads {@code spec}; skips it unless overridden. */
    void spec(JsonCursor cursor) throws IOException {
        cursor.skip();
    }

    /** The object, once all fields are read. */
    abstract ClusterObject build() throws IOException;

    /** Builds {@code metadata} while its fields are read. */
    static final class Metadata {
        private final boolean keepAnnotations;
        private final boolean keepFinalizers;
        String name = "";
        String namespace = "";
        String uid = "";
        String resourceVersion = "";
        Labels labels = Labels.EMPTY;
        Labels annotations = Labels.EMPTY;
        List<String> finalizers = List.of();
        boolean terminating;
        long created = PodInfo.NO_TIME;
        long generation;

        @Nullable
        OwnerReference controller;

        Metadata(boolean keepAnnotations, boolean keepFinalizers) {
            this.keepAnnotations = keepAnnotations;
            this.keepFinalizers = keepFinalizers;
        }

        void read(JsonCursor cursor) throws IOException {
            cursor.object((field, c) -> {
                switch (field) {
                    case "name" -> name = c.uniqueString();
                    case "namespace" -> namespace = c.string();
                    case "uid" -> uid = c.uniqueString();
                    case "resourceVersion" -> resourceVersion = c.uniqueString();
                    case "labels" -> labels = c.labels();
                    case "annotations" -> {
                        if (keepAnnotations) {
                            annotations = c.labels();
                        } else {
                            c.object(this::keepOrSkip);
                        }
                    }
                    case "finalizers" -> {
                        if (keepFinalizers) {
                            finalizers = c.strings();
                        } else {
                            c.skip();
                        }
                    }
                    case "deletionTimestamp" -> terminating = !c.uniqueString().isEmpty();
                    case "creationTimestamp" -> created = c.timeOrNone();
                    case "generation" -> generation = c.longInteger();
                    case "ownerReferences" -> c.array(this::readOwner);
                    default -> c.skip();
                }
            });
        }

        private void keepOrSkip(String key, JsonCursor cursor) throws IOException {
            if (PodInfo.KEPT_ANNOTATIONS.contains(key)) {
                annotations = annotations.with(key, cursor.string());
            } else {
                cursor.skip();
            }
        }

        private void readOwner(JsonCursor cursor) throws IOException {
            String[] owner = {"", "", "", ""};
            boolean[] isController = {false};
            cursor.object((field, c) -> {
                switch (field) {
                    case "apiVersion" -> owner[0] = c.string();
                    case "kind" -> owner[1] = c.string();
                    case "name" -> owner[2] = c.string();
                    case "uid" -> owner[3] = c.string();
                    case "controller" -> isController[0] = c.bool();
                    default -> c.skip();
                }
            });
            if (isController[0] && controller == null) {
                controller = new OwnerReference(owner[0], owner[1], owner[2], owner[3]);
            }
        }
    }

    /** A Service. */
    static final class ServiceReader extends KindReader {
        private @Nullable Labels selector;

        ServiceReader() {
            super(false);
        }

        @Override
        void spec(JsonCursor cursor) throws IOException {
            cursor.field("selector", c -> selector = c.labels());
        }

        @Override
        ClusterObject build() {
            return new ServiceInfo(metadata.namespace, metadata.name, selector);
        }
    }

    /** A ReplicationController, ReplicaSet or StatefulSet. */
    static final class WorkloadReader extends KindReader {
        private final WorkloadInfo.Kind kind;
        private @Nullable Labels mapSelector;
        private @Nullable LabelSelector selector;

        WorkloadReader(WorkloadInfo.Kind kind) {
            super(false);
            this.kind = kind;
        }

        @Override
        void spec(JsonCursor cursor) throws IOException {
            cursor.object((f, c) -> {
                if (!f.equals("selector")) {
                    c.skip();
                } else if (kind == WorkloadInfo.Kind.REPLICATION_CONTROLLER) {
                    mapSelector = c.labels();
                } else {
                    selector = SelectorReader.labelSelector(c);
                }
            });
        }

        @Override
        ClusterObject build() {
            return new WorkloadInfo(kind, metadata.namespace, metadata.name, mapSelector, selector);
        }
    }

    /** A PodDisruptionBudget. */
    static final class DisruptionBudgetReader extends KindReader {
        private @Nullable LabelSelector selector;
        private int disruptionsAllowed;
        private final Set<String> disruptedPods = new LinkedHashSet<>(0);

        DisruptionBudgetReader() {
            super(false);
        }

        @Override
        void body(String name, JsonCursor cursor) throws IOException {
            switch (name) {
                case "spec" -> cursor.field("selector", c -> selector = SelectorReader.labelSelector(c));
                case "status" ->
                    cursor.object((f, c) -> {
                        switch (f) {
                            case "disruptionsAllowed" -> disruptionsAllowed = c.integer();
                            case "disruptedPods" ->
                                c.object((pod, d) -> {
                                    disruptedPods.add(pod);
                                    d.skip();
                                });
                            default -> c.skip();
                        }
                    });
                default -> cursor.skip();
            }
        }

        @Override
        ClusterObject build() {
            return new DisruptionBudgetInfo(
                    metadata.namespace, metadata.name, selector, disruptionsAllowed, disruptedPods);
        }
    }

    /** A Namespace. */
    static final class NamespaceReader extends KindReader {
        NamespaceReader() {
            super(false);
        }

        @Override
        ClusterObject build() {
            return new NamespaceInfo(metadata.name, metadata.labels);
        }
    }

    /** A DeviceClass. */
    static final class DeviceClassReader extends KindReader {
        private final List<DeviceSelector> selectors = new ArrayList<>(1);
        private final List<DeviceConfig> config = new ArrayList<>(0);
        private String extendedResourceName = "";

        DeviceClassReader() {
            super(false);
        }

        @Override
        void spec(JsonCursor cursor) throws IOException {
            cursor.object((f, c) -> {
                switch (f) {
                    case "selectors" -> selectors.addAll(DeviceReader.selectors(c));
                    case "config" -> c.array(e -> config.add(DeviceReader.config(e)));
                    case "extendedResourceName" -> extendedResourceName = c.string();
                    default -> c.skip();
                }
            });
        }

        @Override
        ClusterObject build() {
            return new DeviceClassInfo(metadata.name, selectors, config, extendedResourceName, metadata.created);
        }
    }
}
