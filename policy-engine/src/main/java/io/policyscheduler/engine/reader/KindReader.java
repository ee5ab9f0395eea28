package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.io.IOException;
import java.util.List;
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

    /** Reads a top-level field other than metadata. */
    abstract void body(String name, JsonCursor cursor) throws IOException;

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
}
