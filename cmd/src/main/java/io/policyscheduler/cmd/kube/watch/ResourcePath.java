package io.policyscheduler.cmd.kube.watch;

import io.policyscheduler.cmd.kube.ApiIoException;
import java.util.Optional;

/** Finds where a server has a resource; upgrades add, move and remove some. */
@FunctionalInterface
public interface ResourcePath {
    /**
     * Asks the server.
     *
     * @return the URL path of the collection, such as /apis/storage.k8s.io/v1/csidrivers; empty when the server does not have it
     * @throws ApiIoException when the server does not say
     */
    Optional<String> find() throws ApiIoException;

    /** One that is where it always was. */
    static ResourcePath fixed(String path) {
        return () -> Optional.of(path);
    }
}
