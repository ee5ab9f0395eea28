package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.reader.protobuf.MalformedProtobufException;
import io.policyscheduler.engine.reader.protobuf.MessageImage;
import io.policyscheduler.engine.reader.protobuf.ProtobufParser;
import org.jspecify.annotations.Nullable;

/**
 * Remembers specs of pods that came in protobuf by the bytes that are read of them, so that one that comes again, on whatever node, is
 * not read again. Bounded. Not thread-safe.
 */
final class ReadSpecs {
    private static final int REMEMBERED = 1 << 10;

    /** Longer ones are read each time, for the sake of memory. */
    private static final int MAX_BYTES = 4096;

    private record Known(byte[] image, PodSpecDraft spec) {}

    private final InternCache<Known> known = new InternCache<>(REMEMBERED);
    private final MessageImage image = new MessageImage("nodeName");

    /** The spec that begins here, of which nothing is read then; null when it has to be read. */
    @Nullable
    PodSpecDraft recall(ProtobufParser parser) throws MalformedProtobufException {
        parser.take(image);
        Known same = known.find(image.hash(), candidate -> image.is(candidate.image));
        return same == null ? null : same.spec;
    }

    /** The node in the spec that was last looked for; empty when it has none. */
    String nodeName() {
        return image.apart();
    }

    /** Remembers what the spec that was last looked for was read as. */
    void keep(PodSpecDraft spec) {
        if (image.length() <= MAX_BYTES) {
            known.keep(image.hash(), new Known(image.copy(), spec));
        }
    }
}
