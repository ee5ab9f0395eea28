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
 * One request that has come in whole, and its answer: one call of {@link #answer}, {@link #stream} or {@link #drop}, on any
 * thread. A second one has no effect.
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

    /** The path as it was sent, encoded; starts with a slash. */
    public String path() {
        String path = request.getHttpURI().getPath();
        return path == null ? "/" : path;
    }

    /** The query as it was sent, encoded, without the question mark; empty when there is none. */
    public String query() {
        @Nullable String query = request.getHttpURI().getQuery();
        return query == null ? "" : query;
    }

    /** The first header of a name; empty when there is none. */
    public String header(String name) {
        @Nullable String value = request.getHeaders().get(name);
        return value == null ? "" : value;
    }

    /** The body; empty when there is none. Not to be changed. */
    public byte[] body() {
        return body;
    }

    /** The port on which the request came in. */
    public int localPort() {
        return Request.getLocalPort(request);
    }

    /** All headers of a name, in the order in which they came. */
    public List<String> headers(String name) {
        return ImmutableList.copyOf(request.getHeaders().getValuesList(name));
    }

    /** The names of all headers, as they were sent. */
    public Set<String> headerNames() {
        return ImmutableSet.copyOf(request.getHeaders().getFieldNamesCollection());
    }

    /** The certificates that the client has shown, its own first, not verified; empty when it has shown none. */
    public List<X509Certificate> clientCertificates() {
        return request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE) instanceof EndPoint.SslSessionData session
                        && session.peerCertificates() != null
                ? ImmutableList.copyOf(session.peerCertificates())
                : ImmutableList.of();
    }

    /** Adds a header to the answer, before that is given. */
    public void responseHeader(String name, String value) {
        response.getHeaders().put(name, value);
    }

    /** Answers with a text. */
    public void answer(int code, String text) {
        answer(code, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Answers; returns before the client has taken the answer. A HEAD request is sent the headers only. */
    public void answer(int code, String contentType, byte[] content) {
        if (answered.compareAndSet(false, true)) {
            guard.answering(connection());
            begin(code, contentType);
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, content.length);
            response.write(true, ByteBuffer.wrap(content), callback);
        }
    }

    /**
     * Begins an answer of unknown length. Each flush sends what was written; writing blocks while the client is slow, and
     * fails when it has gone. Closing ends the answer.
     */
    public OutputStream stream(int code, String contentType) throws IOException {
        if (!answered.compareAndSet(false, true)) {
            throw new IOException("answered already");
        }
        request.addIdleTimeoutListener(timeout -> false);
        begin(code, contentType);
        return new Stream(Content.Sink.asOutputStream(response), callback);
    }

    /** Ends the connection without an answer. */
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

    /** Answers the requests of a {@link WebServer}. */
    @FunctionalInterface
    public interface ExchangeHandler {
        /**
         * Called when a request has come in whole, on one of the server's few threads: it must not block. It answers there or
         * leaves that to another thread. What it throws is logged and answered
         * 500; a VirtualMachineError is also told to the thread's handler of uncaught exceptions.
         */
        void handle(Exchange exchange);
    }

    /** Gathers a request's body without holding a thread while the client takes its time. */
    static final class BodyReader {
        /** What becomes of a body; one of the methods is called once. */
        interface Outcome {
            /** It has come in whole. */
            void read(byte[] body);

            /** It will not be had: 413 when it is longer than is granted, 503 when there is no room for it. */
            void refused(int code, String why);

            /** The client has gone. */
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

        /** Reads what is there and, when that is not all, goes on when there is more. */
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

        /** The bytes that the bodies of all requests of a server may take together. Thread-safe. */
        static final class BodyBudget {
            private long left;

            BodyBudget(long bytes) {
                this.left = bytes;
            }

            /** Takes bytes; false when there are not so many left. */
            synchronized boolean take(long bytes) {
                if (bytes > left) {
                    return false;
                }
                left -= bytes;
                return true;
            }

            /** Gives bytes back. */
            synchronized void give(long bytes) {
                left += bytes;
            }
        }
    }
}
