package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.http.StatusContent;
import io.policyscheduler.cmd.http.StatusServer;
import io.policyscheduler.cmd.options.InputException;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The status port of {@code run}; a mixin. Off by default: the port has no authentication, so that it is opened only where
 * somebody says so.
 */
final class ServingOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--status-address",
            paramLabel = "HOST:PORT",
            description = {
                "Serve /healthz, /livez, /readyz, /metrics and /configz there, without authentication; :PORT is all",
                "addresses, PORT alone loopback only, port 0 any free one (default: off)."
            })
    private @Nullable String statusAddress;

    /** Where to listen, null for nowhere; a text that is no address is a usage error. */
    @Nullable
    InetSocketAddress address() {
        try {
            return statusAddress == null ? null : ListenAddress.parse(statusAddress);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--status-address: " + e.getMessage(), e);
        }
    }

    /**
     * Starts to serve; null when not asked for.
     *
     * @throws InputException when the port is not free
     */
    @Nullable
    StatusServer start(StatusContent content) {
        InetSocketAddress address = address();
        if (address == null) {
            return null;
        }
        try {
            return new StatusServer(address, content);
        } catch (IOException e) {
            throw new InputException("--status-address: " + e.getMessage(), e);
        }
    }
}
