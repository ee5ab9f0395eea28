package io.policyscheduler.tests.faults;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The API server behind the proxy, as users and kubelets see it: the embedded one, or with {@code -Dfaults.server=1.34} or {@code real} a real one.
 * Empty at first.
 */
interface FaultServer extends AutoCloseable {
    /** Returns the selected server; skips the test if its programs are missing. */
    static FaultServer choose() {
        String kind = System.getProperty("faults.server", "embedded");
        return kind.equals("embedded") ? new EmbeddedServer() : RealServer.start(kind);
    }

    String url();

    /** Returns a client with the TLS settings of the server. */
    HttpClient client();

    /** Headers of every request. */
    Map<String, String> headers();

    /** Stores an object, including its status. */
    void load(ObjectNode object);

    Optional<ObjectNode> get(String resource, String namespace, String name);

    /** Lists the objects of all namespaces. */
    List<ObjectNode> list(String resource);

    /** Sends a request without the proxy. Returns the status code. */
    int call(String method, String path, String contentType, String body);

    /** Returns violations: a node with more requested than it has, a pod that moves or that its kubelet rejects. */
    List<String> violations();

    /** Returns the number of pods that were ever bound. */
    int bound();

    @Override
    void close();
}
