package io.policyscheduler.tests.deploy;

import java.nio.file.Path;
import java.util.List;

/** An empty API server that enforces roles. */
interface RoleServer extends AutoCloseable {
    /** A kubeconfig of an administrator. */
    Path kubeconfig();

    /** What somebody asked for so far, refused or not, of the resources. */
    List<Asked> asked(String user);

    /** Makes it take the objects of the Prometheus operator that the overlays have. */
    void serveMonitoring();

    @Override
    void close();
}
