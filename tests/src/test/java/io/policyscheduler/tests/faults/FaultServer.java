package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The API server behind the proxy, as users and kubelets see it: the embedded one, or with {@code -Dfaults.server=1.34} or
 * {@code real} a real one. Empty at first.
 */
interface FaultServer extends AutoCloseable {
    /** The one that was asked for; skips the test where it is not there. */
    static FaultServer choose() {
        String wanted = System.getProperty("faults.server", "embedded");
        return wanted.equals("embedded") ? new EmbeddedServer() : RealServer.start(wanted);
    }

    String url();

    /** Speaks to it, with whatever TLS that needs. */
    HttpClient client();

    /** Sent with every request. */
    Map<String, String> headers();

    /** Stores an object, status included. */
    void load(ObjectNode object);

    Optional<ObjectNode> get(String resource, String namespace, String name);

    /** Of all namespaces. */
    List<ObjectNode> list(String resource);

    /** A call past the proxy. Returns the status code. */
    int call(String method, String path, String contentType, String body);

    /** What must never happen: a node with more requested than it has, a pod that moves or that its kubelet refuses. */
    List<String> violations();

    /** How many pods have ever been bound. */
    int bound();

    @Override
    void close();
}
