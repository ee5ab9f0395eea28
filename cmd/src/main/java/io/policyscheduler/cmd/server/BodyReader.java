package io.policyscheduler.cmd.server;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;

/** Gathers a request's body without holding a thread while the client takes its time. */
final class BodyReader {
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
