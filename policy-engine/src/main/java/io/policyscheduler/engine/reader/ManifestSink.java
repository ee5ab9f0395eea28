package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import org.jspecify.annotations.Nullable;

/** Is given objects of files as trees: those that no API server has written yet, and those that say what becomes of such. */
public interface ManifestSink {
    /** Which objects of a kind are wanted as trees. */
    enum Wish {
        /** None. */
        NONE,
        /** Those that no API server has written. */
        WRITTEN_BY_HAND,
        /** All; those that an API server has written are read as always, too. */
        ALL
    }

    /** What is wanted of a kind. */
    Wish wishFor(String kind);

    /**
     * An object as it stands in the file.
     *
     * @param tree the whole, with its kind
     * @param asWritten what it is read as without anything added; null for kinds that decisions do not look at
     * @return true when it is taken over, so that nobody else gets it
     */
    boolean take(String kind, ObjectNode tree, @Nullable ClusterObject asWritten) throws MalformedObjectException;
}
