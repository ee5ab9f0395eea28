package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import java.io.IOException;

/** An object of one kind while it is being read. */
abstract class ObjectDraft {
    final Metadata metadata;

    ObjectDraft(boolean keepAnnotations) {
        this(keepAnnotations, false);
    }

    ObjectDraft(boolean keepAnnotations, boolean keepFinalizers) {
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
}
