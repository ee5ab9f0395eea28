package io.policyscheduler.engine.reader.protobuf;

import io.policyscheduler.engine.cluster.object.PodVolume;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The volume that an API server since v1.21 adds to pods for their tokens. What it makes up at the end of its name differs from pod to
 * pod, and is not kept of it: {@link PodVolume}.
 */
final class TokenVolume {
    private static final byte[] PREFIX = (PodVolume.TOKEN + "-").getBytes(StandardCharsets.US_ASCII);
    private static final int MADE_UP = 5;
    private static final int LENGTH = PREFIX.length + MADE_UP;
    private static final byte SOURCE = 2 << 3 | ProtobufBytes.DELIMITED;
    /** The tag of {@code projected}, number 26, takes two bytes. */
    private static final byte[] PROJECTED = {(byte) 0xd2, 1};

    private TokenVolume() {}

    /**
     * How many bytes at the end of a name are made up: a few, or none.
     *
     * @param message with a volume in it, whose name comes before its source
     * @param nameEnd where the name ends
     * @param end where the volume ends
     */
    static int madeUp(byte[] message, int nameEnd, int end) {
        int name = nameEnd - LENGTH;
        boolean named = name > 0
                && message[name - 1] == LENGTH
                && Arrays.equals(message, name, name + PREFIX.length, PREFIX, 0, PREFIX.length);
        if (!named || nameEnd >= end || message[nameEnd] != SOURCE) {
            return 0;
        }
        int source = nameEnd + 1;
        while (source < end && message[source] < 0) {
            source++;
        }
        source++;
        boolean projected = source + PROJECTED.length <= end
                && Arrays.equals(message, source, source + PROJECTED.length, PROJECTED, 0, PROJECTED.length);
        return projected ? MADE_UP : 0;
    }
}
