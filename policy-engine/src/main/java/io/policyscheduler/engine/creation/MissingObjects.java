package io.policyscheduler.engine.creation;

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
