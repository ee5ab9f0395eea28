package io.policyscheduler.cmd.kube;

import java.io.IOException;
import java.io.InterruptedIOException;
import okhttp3.Call;
import okhttp3.Response;

/** Carries out calls of the HTTP client. */
public final class HttpCalls {
    private HttpCalls() {}

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
