package io.policyscheduler.cmd.kube.election;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A lock in objects of the API server. */
final class LockClient implements ElectionLock {
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private final KubeConnection connection;
    private final ResourceLock lock;
    private final String namespace;
    private final String name;

    LockClient(KubeConnection connection, LeaseSettings settings) {
        this.connection = connection;
        this.lock = settings.lock();
        this.namespace = settings.namespace();
        this.name = settings.name();
    }

    @Override
    public LockState read(TimeLeft time) throws ApiIoException {
        List<LockObject> objects = new ArrayList<>();
        for (LockKind kind : lock.kinds()) {
            objects.add(read(kind, time));
        }
        return new LockState(objects);
    }

    private LockObject read(LockKind kind, TimeLeft time) throws ApiIoException {
        String path = path(kind);
        ApiResponse response = connection.withTimeout(time.get()).get(path);
        if (response.code() == NOT_FOUND) {
            return LockObject.absent(kind, namespace, name);
        }
        require(response, "GET " + path);
        JsonNode object;
        try {
            object = response.json();
        } catch (IOException e) {
            throw new ApiIoException("GET " + path + ": the response is not JSON", e);
        }
        try {
            return LockObject.stored(kind, object);
        } catch (JsonProcessingException e) {
            throw new ApiIoException(
                    "GET " + path + ": the annotation " + LockKind.ANNOTATION
                            + " is not a leader election record; remove it if no process is the leader",
                    e);
        }
    }

    @Override
    public boolean write(LockState state, TimeLeft time) throws ApiIoException {
        for (LockObject object : state.objects()) {
            if (!write(object, time)) {
                return false;
            }
        }
        return true;
    }

    private boolean write(LockObject object, TimeLeft time) throws ApiIoException {
        KubeConnection timed = connection.withTimeout(time.get());
        byte[] body = object.json().toString().getBytes(StandardCharsets.UTF_8);
        String collection = object.kind().collection(namespace);
        String path = path(object.kind());
        ApiResponse response = object.isStored() ? timed.put(path, body) : timed.post(collection, body);
        if (response.code() == CONFLICT) {
            return false;
        }
        require(response, object.isStored() ? "PUT " + path : "POST " + collection);
        return true;
    }

    private String path(LockKind kind) {
        return kind.collection(namespace) + "/" + name;
    }

    private static void require(ApiResponse response, String call) throws ApiIoException {
        if (!response.success()) {
            throw new ApiIoException(call + ": " + response, response.code());
        }
    }
}
