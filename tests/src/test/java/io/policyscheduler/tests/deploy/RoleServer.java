package io.policyscheduler.tests.deploy;

import java.nio.file.Path;
import java.util.List;

/** An empty API server that enforces RBAC. */
interface RoleServer extends AutoCloseable {
    /** Returns a kubeconfig of an administrator. */
    Path kubeconfig();

    /** Returns the requests of a user for these resources so far, allowed or not. */
    List<ReceivedRequest> asked(String user);

    /** Adds the custom resources of the Prometheus operator that the overlays use. */
    void serveMonitoring();

    @Override
    void close();
}
