package io.policyscheduler.cmd.kube.connection;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import okhttp3.Call;
import okhttp3.Response;

/** Carries out calls of the HTTP client. */
public final class HttpCalls {
    private HttpCalls() {}

    /**
     * Reads a response body to its end.
     *
     * @param limit in bytes; a server that sends more, or without end, must not use up the memory of the process
     * @throws IOException also when the body is longer than the limit
     */
    public static byte[] read(InputStream body, int limit) throws IOException {
        byte[] bytes = body.readNBytes(limit);
        if (bytes.length == limit && body.read() >= 0) {
            throw new IOException("the response is longer than " + limit + " bytes");
        }
        return bytes;
    }

    /**
     * The answer to a call; to be closed.
     *
     * @throws InterruptedIOException when the thread is interrupted; it stays so
     */
    public static Response execute(Call call) throws IOException {
        try {
            return call.execute();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (
                Exception
                        e) { // the client is written in Kotlin, which declares nothing: a wait for a connection throws
            // this
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
                InterruptedIOException interrupted = new InterruptedIOException("interrupted");
                interrupted.initCause(e);
                throw interrupted;
            }
            throw new IOException(e);
        }
    }
}
