package io.policyscheduler.cmd.kube.connection;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.engine.reader.protobuf.PodMessages.StatusMessage;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import okhttp3.Call;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * One streaming GET (a list page or a watch). It belongs to the thread that opens, reads and closes it; {@link #cancel()}
 * may be called by any thread at any time and ends a blocked open or read promptly.
 */
public final class ApiStream implements Closeable {
    private static final int ERROR_BODY_LIMIT = 64 * 1024;

    private final Call call;
    private final String name;
    private @Nullable Response response;

    ApiStream(Call call, String name) {
        this.call = call;
        this.name = name;
    }

    /**
     * Sends the request and waits for the answer's head.
     *
     * @return the body of a 2xx answer
     * @throws ApiIoException for a transport error, or with the status of any other answer
     */
    public InputStream open() throws ApiIoException {
        Response answer = ServerCalls.execute(call, name);
        response = answer;
        if (!answer.isSuccessful()) {
            byte[] body;
            try {
                body = answer.body().byteStream().readNBytes(ERROR_BODY_LIMIT);
            } catch (IOException e) {
                body = new byte[0];
            }
            ApiResponse failure = ApiResponse.of(answer.code(), body, answer.header("Retry-After"));
            String message = isProtobuf() ? StatusMessage.of(body) : failure.message();
            throw ApiIoException.answered(
                    name + ": HTTP " + failure.code() + ": " + message, failure.code(), failure.retryAfter());
        }
        return answer.body().byteStream();
    }

    /** Whether the answer is in protobuf; false before there is one. */
    public boolean isProtobuf() {
        Response answer = response;
        if (answer == null) {
            return false;
        }
        String type = answer.header("Content-Type");
        return type != null && type.startsWith(KubeConnection.PROTOBUF);
    }

    /** Ends the request; a blocked reader gets an IOException. */
    public void cancel() {
        call.cancel();
    }

    @Override
    public void close() {
        // Cancelling first: closing an unfinished body would otherwise try to drain it.
        call.cancel();
        if (response != null) {
            response.close();
        }
    }
}
