package io.policyscheduler.cmd.options;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.page.OwnPage;
import io.policyscheduler.cmd.page.PageAddition;
import java.io.IOException;
import java.time.Clock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a command without a status port serves the live page, as a mixin. */
public final class UiOption {
    /** For the options that only make sense with it. */
    public static final String NAME = "--ui";

    @Option(
            names = NAME,
            arity = "0..1",
            paramLabel = "ADDRESS",
            fallbackValue = "0",
            description = "Serve the web page at ADDRESS. Without ADDRESS, use a free port on 127.0.0.1. The page"
                    + " has no authentication.")
    private @Nullable String address;

    /**
     * Whether the page is wanted, where only this machine reaches it.
     *
     * @throws InputException when the address cannot be used
     */
    public boolean isLocal() {
        try {
            return address != null && ListenAddress.parse(address).getAddress().isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            throw new InputException(NAME + ": " + e.getMessage(), e);
        }
    }

    /** Whether the page is wanted. */
    public boolean isGiven() {
        return address != null;
    }

    /**
     * Serves it, if it {@link #isGiven}.
     *
     * @param policy what is in force: an array of profiles
     * @return null when it is not given
     * @throws InputException when the address cannot be used
     */
    public @Nullable OwnPage open(Supplier<JsonNode> policy, String tieBreak, Clock clock) {
        return open(policy, tieBreak, clock, PageAddition.NONE);
    }

    /** The same with one more view. */
    public @Nullable OwnPage open(Supplier<JsonNode> policy, String tieBreak, Clock clock, PageAddition addition) {
        if (address == null) {
            return null;
        }
        try {
            return new OwnPage(ListenAddress.parse(address), policy, tieBreak, clock, addition);
        } catch (IllegalArgumentException | IOException e) {
            throw new InputException(NAME + ": " + e.getMessage(), e);
        }
    }
}
