package io.policyscheduler.cmd.server;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * One complete request and its response: one call of {@link #answer}, {@link #stream} or {@link #drop}, on any thread. A second
 * call has no effect.
 */
public final class Exchange {
    /** The type of plain texts. */
    public static final String TEXT = "text/plain; charset=utf-8";

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final ConnectionGuard guard;
    private final byte[] body;
    private final AtomicBoolean answered = new AtomicBoolean();

    Exchange(Request request, Response response, Callback callback, ConnectionGuard guard, byte[] body) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.guard = guard;
        this.body = body;
    }

    /** The HTTP method. */
    public String method() {
        return request.getMethod();
    }

    /** The encoded path; starts with a slash. */
    public String path() {
        String path = request.getHttpURI().getPath();
        return path == null ? "/" : path;
    }

    /** The encoded query without the question mark; empty if there is none. */
    public String query() {
        @Nullable String query = request.getHttpURI().getQuery();
        return query == null ? "" : query;
    }

    /** The first header of a name; empty if absent. */
    public String header(String name) {
        @Nullable String value = request.getHeaders().get(name);
        return value == null ? "" : value;
    }

    /** The body; empty if there is none. Must not be changed. */
    public byte[] body() {
        return body;
    }

    /** The local port of the request. */
    public int localPort() {
        return Request.getLocalPort(request);
    }

    /** All headers of a name, in order. */
    public List<String> headers(String name) {
        return ImmutableList.copyOf(request.getHeaders().getValuesList(name));
    }

    /** The names of all headers, with their original case. */
    public Set<String> headerNames() {
        return ImmutableSet.copyOf(request.getHeaders().getFieldNamesCollection());
    }

    /** The certificate chain of the client, not verified; empty if it sent none. */
    public List<X509Certificate> clientCertificates() {
        return request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE) instanceof EndPoint.SslSessionData session
                        && session.peerCertificates() != null
                ? ImmutableList.copyOf(session.peerCertificates())
                : ImmutableList.of();
    }

    /** Adds a header to the response, before it is sent. */
    public void responseHeader(String name, String value) {
        response.getHeaders().put(name, value);
    }

    /** Responds with a text. */
    public void answer(int code, String text) {
        answer(code, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Responds; returns before the client has received the response. For a HEAD request, only the headers are sent. */
    public void answer(int code, String contentType, byte[] content) {
        if (answered.compareAndSet(false, true)) {
            guard.answering(connection());
            begin(code, contentType);
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, content.length);
            response.write(true, ByteBuffer.wrap(content), callback);
        }
    }

    /**
     * Starts a response of unknown length. Each flush sends the written bytes; a write blocks while the client is slow, and fails
     * if it has disconnected. Closing ends the response.
     */
    public OutputStream stream(int code, String contentType) throws IOException {
        if (!answered.compareAndSet(false, true)) {
            throw new IOException("answered already");
        }
        request.addIdleTimeoutListener(timeout -> false);
        begin(code, contentType);
        return new Stream(Content.Sink.asOutputStream(response), callback);
    }

    /** Closes the connection without a response. */
    public void drop() {
        if (answered.compareAndSet(false, true)) {
            connection().getEndPoint().close();
            callback.failed(new IOException("dropped"));
        }
    }

    private void begin(int code, String contentType) {
        response.setStatus(code);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
    }

    private Connection connection() {
        return request.getConnectionMetaData().getConnection();
    }

    /** Completes the exchange when it is closed, or fails. */
    private static final class Stream extends OutputStream {
        private final OutputStream sink;
        private final Callback callback;
        private boolean ended;

        Stream(OutputStream sink, Callback callback) {
            this.sink = sink;
            this.callback = callback;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            guarded(() -> sink.write(bytes, offset, length));
        }

        @Override
        public void flush() throws IOException {
            guarded(sink::flush);
        }

        @Override
        public void close() throws IOException {
            if (!ended) {
                guarded(sink::close);
                ended = true;
                callback.succeeded();
            }
        }

        private interface Step {
            void run() throws IOException;
        }

        private void guarded(Step step) throws IOException {
            try {
                step.run();
            } catch (IOException e) {
                if (!ended) {
                    ended = true;
                    callback.failed(e);
                }
                throw e;
            }
        }
    }

    /** Handles the requests of a {@link WebServer}. */
    @FunctionalInterface
    public interface ExchangeHandler {
        /**
         * Called with a complete request, on one of the server's few threads: it must not block. It responds immediately or on
         * another thread. An exception is logged, and the response is 500; a VirtualMachineError also goes to the thread's
         * handler of uncaught exceptions.
         */
        void handle(Exchange exchange);
    }

    /** Reads a request's body without blocking a thread. */
    static final class BodyReader {
        /** Receives the result; one of the methods is called once. */
        interface Outcome {
            /** The complete body. */
            void read(byte[] body);

            /** The body is rejected: 413 if it exceeds the limit, 503 if the memory for bodies is exhausted. */
            void refused(int code, String why);

            /** The client has disconnected. */
            void lost(Throwable cause);
        }

        private final Content.Source source;
        private final int limit;
        private final BodyBudget budget;
        private final Outcome outcome;
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();

        BodyReader(Content.Source source, int limit, BodyBudget budget, Outcome outcome) {
            this.source = source;
            this.limit = limit;
            this.budget = budget;
            this.outcome = outcome;
        }

        /** Reads the available bytes, and continues when more arrive. */
        void read() {
            if (source.getLength() > limit) {
                refuse(413, "the request body is longer than " + limit + " bytes");
                return;
            }
            while (true) {
                Content.Chunk chunk = source.read();
                if (chunk == null) {
                    source.demand(this::read);
                    return;
                }
                if (Content.Chunk.isFailure(chunk)) {
                    giveBack();
                    outcome.lost(chunk.getFailure());
                    return;
                }
                boolean last = chunk.isLast();
                boolean taken = take(chunk.getByteBuffer());
                chunk.release();
                if (!taken) {
                    return;
                }
                if (last) {
                    outcome.read(body.toByteArray());
                    return;
                }
            }
        }

        private boolean take(ByteBuffer bytes) {
            int count = bytes.remaining();
            if (body.size() + (long) count > limit) {
                refuse(413, "the request body is longer than " + limit + " bytes");
                return false;
            }
            if (!budget.take(count)) {
                refuse(503, "too many requests with large bodies");
                return false;
            }
            byte[] copy = new byte[count];
            bytes.get(copy);
            body.writeBytes(copy);
            return true;
        }

        private void refuse(int code, String why) {
            giveBack();
            outcome.refused(code, why);
        }

        private void giveBack() {
            budget.give(body.size());
        }

        /** The memory limit of all request bodies of a server. Thread-safe. */
        static final class BodyBudget {
            private long left;

            BodyBudget(long bytes) {
                this.left = bytes;
            }

            /** Reserves bytes; returns false if they are not available. */
            synchronized boolean take(long bytes) {
                if (bytes > left) {
                    return false;
                }
                left -= bytes;
                return true;
            }

            /** Releases bytes. */
            synchronized void give(long bytes) {
                left += bytes;
            }
        }
    }
}
