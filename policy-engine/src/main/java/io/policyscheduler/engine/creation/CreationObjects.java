package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** The objects of a cluster that say what becomes of new ones. */
@FunctionalInterface
public interface CreationObjects {
    /** A cluster without any. */
    CreationObjects NONE = kind -> List.of();

    /** What is looked at. */
    enum Kind {
        /** Defaults of containers, by namespace. */
        LIMIT_RANGE("LimitRange"),
        /** Priorities by name, and the default one. */
        PRIORITY_CLASS("PriorityClass"),
        /** Overhead, node selector and tolerations by name. */
        RUNTIME_CLASS("RuntimeClass"),
        /** Of which one may be the default of claims. */
        STORAGE_CLASS("StorageClass"),
        /** Of which claims are made for single pods, by namespace and name. */
        RESOURCE_CLAIM_TEMPLATE("ResourceClaimTemplate");

        private final String objectKind;

        Kind(String objectKind) {
            this.objectKind = objectKind;
        }

        /** Field {@code kind} of such objects. */
        public String objectKind() {
            return objectKind;
        }
    }

    /** All objects of the kind, of all namespaces, in any order. They are not changed. */
    List<ObjectNode> all(Kind kind);

    /** Is told of what an object needs and nobody has, where the object is to count nevertheless. */
    @FunctionalInterface
    public interface MissingObjects {
        /**
         * An object names another one that is not there.
         *
         * @param kind of the other one
         * @param name of the other one
         */
        void missing(CreationObjects.Kind kind, String name);
    }
}
