package io.policyscheduler.engine.reader.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** What a packed file holds, up to a size that no dump of a cluster has: a file made to fill memory or time is given up. */
final class UnpackedStream extends FilterInputStream {
    /** Dumps become 20 to 60 times smaller. */
    private static final long MOST_TIMES = 250;
    /** Small files may be odd. */
    private static final long ALWAYS = 16L << 20;

    private final Path file;
    private final long limit;
    private long read;

    /** @param packed size of the file, in bytes */
    UnpackedStream(InputStream in, Path file, long packed) {
        super(in);
        this.file = file;
        this.limit = Math.max(ALWAYS, Math.multiplyExact(MOST_TIMES, packed));
    }

    @Override
    public int read() throws IOException {
        int next = super.read();
        count(next < 0 ? 0 : 1);
        return next;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int done = super.read(bytes, offset, length);
        count(Math.max(done, 0));
        return done;
    }

    private void count(int more) throws IOException {
        read += more;
        if (read > limit) {
            throw new IOException(file + ": unpacks to more than " + (limit >> 20)
                    + " MiB, as no dump of a cluster of its size does");
        }
    }
}
