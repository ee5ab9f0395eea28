package io.policyscheduler.cmd.options;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.page.LivePage.PageAddition;
import io.policyscheduler.cmd.page.OwnPage;
import java.io.IOException;
import java.time.Clock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Picocli mixin: {@code --ui} of commands without a status port. */
public final class UiOption {
    /** The name, for options that require it. */
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
     * Returns whether the page is requested on a loopback address.
     *
     * @throws InputException if the address cannot be used
     */
    public boolean isLocal() {
        try {
            return address != null && ListenAddress.parse(address).getAddress().isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            throw new InputException(NAME + ": " + e.getMessage(), e);
        }
    }

    /**
     * Serves the page, if it is requested.
     *
     * @param policy the current policy: an array of profiles
     * @return null if it is not requested
     * @throws InputException when the address cannot be used
     */
    public @Nullable OwnPage open(Supplier<JsonNode> policy, String tieBreak, Clock clock) {
        return open(policy, tieBreak, clock, PageAddition.NONE);
    }

    /** Serves the page with an additional view. */
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
