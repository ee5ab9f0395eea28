package io.policyscheduler.cmd.kube.connection;

/** Hears of the calls of a connection to an API server, on the threads that make them; must be fast. */
@FunctionalInterface
public interface CallListener {
    /** Hears nothing. */
    CallListener UNHEARD = (method, host, code, nanos) -> {};

    /**
     * A call was answered, or broke off before; a watch is answered when it begins.
     *
     * @param method of HTTP, such as {@code GET}
     * @param host of the server, with its port
     * @param code of the answer; 0 when there was none
     * @param nanos until the head of the answer
     */
    void called(String method, String host, int code, long nanos);
}
