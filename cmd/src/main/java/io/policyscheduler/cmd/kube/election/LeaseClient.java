package io.policyscheduler.cmd.kube.election;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A Lease of the API server. */
final class LeaseClient implements LeaseLock {
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final KubeConnection connection;
    private final String collection;
    private final String path;

    LeaseClient(KubeConnection connection, String namespace, String name) {
        this.connection = connection;
        this.collection = "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases";
        this.path = collection + "/" + name;
    }

    @Override
    public @Nullable Lease read(Duration limit) throws ApiIoException {
        ApiResponse response = connection.withTimeout(limit).get(path);
        if (response.code() == NOT_FOUND) {
            return null;
        }
        require(response, "GET " + path);
        try {
            return Lease.of(response.json());
        } catch (IOException e) {
            throw new ApiIoException("GET " + path + ": the answer is not JSON", e);
        }
    }

    @Override
    public boolean create(Lease lease, Duration limit) throws ApiIoException {
        ApiResponse response = connection.withTimeout(limit).post(collection, bytes(lease));
        return isDone(response, "POST " + collection);
    }

    @Override
    public boolean update(Lease lease, Duration limit) throws ApiIoException {
        ApiResponse response = connection.withTimeout(limit).put(path, bytes(lease));
        return isDone(response, "PUT " + path);
    }

    private static boolean isDone(ApiResponse response, String call) throws ApiIoException {
        if (response.code() == CONFLICT) {
            return false;
        }
        require(response, call);
        return true;
    }

    private static void require(ApiResponse response, String call) throws ApiIoException {
        if (!response.success()) {
            throw new ApiIoException(call + ": " + response, response.code());
        }
    }

    private static byte[] bytes(Lease lease) {
        return lease.json().toString().getBytes(StandardCharsets.UTF_8);
    }
}
