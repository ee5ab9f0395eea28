package io.policyscheduler.cmd.world;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import io.policyscheduler.framework.devices.cel.AttributeReads;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The copies of {@code dump --anonymize} for objects that come one after the other: names are hashes with a secret key, so that equal
 * texts get equal names without knowing all of them first. Unlike those of a dump, the names are in another order than before. The
 * attributes of devices are replaced, too. Not thread-safe.
 */
public final class AnonymousStream implements UnaryOperator<@Nullable ObjectNode> {
    private static final int DIGITS = 12;

    private final AnonymousObjects copies;

    /**
     * Copies of one key.
     *
     * @param key random bytes; whoever has them can test whether a name is in the result
     * @param kept texts that stay as they are
     */
    public AnonymousStream(byte[] key, Set<String> kept) {
        HashFunction hash = Hashing.hmacSha256(key);
        Set<String> open = Set.copyOf(kept);
        copies = new AnonymousObjects(
                text -> Anonymizer.Pseudonyms.isOpen(text) || open.contains(text)
                        ? text
                        : "x"
                                + hash.hashString(text, StandardCharsets.UTF_8)
                                        .toString()
                                        .substring(0, DIGITS),
                List.of(),
                AttributeReads.of(Set.of()));
    }

    /** Returns a copy; null for an object of a kind that may identify the cluster. */
    @Override
    public @Nullable ObjectNode apply(@Nullable ObjectNode object) {
        if (object == null) {
            return null;
        }
        copies.seen(object);
        return copies.copy(object);
    }
}
