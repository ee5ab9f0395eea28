package io.policyscheduler.cmd.page;

import io.policyscheduler.cmd.server.Exchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One browser that looks. Frames are written on a thread of its own, so that a slow one delays nobody; one that lags behind is let
 * go, and comes back by itself.
 */
final class Viewer implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Viewer.class);
    /** Some seconds of frames, which are shared by all viewers. */
    private static final int MOST_FRAMES = 8;

    private static final Duration PING = Duration.ofSeconds(10);
    /** After that the browser asks again, and whether it may is asked again. */
    private static final Duration LIFETIME = Duration.ofMinutes(10);

    private static final byte[] HELLO = "retry: 1000\n\n".getBytes(StandardCharsets.UTF_8);
    private static final byte[] ALIVE = ": alive\n\n".getBytes(StandardCharsets.UTF_8);
    private static final byte[] END = new byte[0];

    private final Exchange exchange;
    private final BlockingQueue<byte[]> frames = new ArrayBlockingQueue<>(MOST_FRAMES);
    private volatile boolean ended;

    Viewer(Exchange exchange) {
        this.exchange = exchange;
    }

    /** Whether nothing more will be written. */
    boolean isEnded() {
        return ended;
    }

    /** Hands a frame on; a viewer that has not taken the frames before is let go. */
    void send(byte[] frame) {
        if (!frames.offer(frame)) {
            end();
        }
    }

    /** Lets it go once the frame under way is written. */
    void end() {
        ended = true;
        frames.clear();
        if (!frames.offer(END)) {
            LOG.trace("a frame came in between; it is the last one");
        }
    }

    @Override
    public void run() {
        long last = System.nanoTime() + LIFETIME.toNanos();
        try (OutputStream out = exchange.stream(200, "text/event-stream; charset=utf-8")) {
            out.write(HELLO);
            out.flush();
            while (!ended && System.nanoTime() - last < 0) {
                byte[] frame = frames.poll(PING.toMillis(), TimeUnit.MILLISECONDS);
                out.write(frame == null ? ALIVE : frame);
                out.flush();
            }
        } catch (IOException e) {
            LOG.debug("a viewer has gone", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended = true;
        }
    }
}
