package io.policyscheduler.cmd.kube.watch;

/**
 * The identifying fields of an object's metadata.
 *
 * @param namespace empty when absent, as all others
 */
record ObjectHead(String namespace, String name, String uid, String resourceVersion) {
    static final ObjectHead UNKNOWN = new ObjectHead("", "", "", "");

    /** namespace/name, or the name alone. */
    String qualifiedName() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
