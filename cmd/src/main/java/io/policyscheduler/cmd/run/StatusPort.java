package io.policyscheduler.cmd.run;

import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.http.StatusContent;
import io.policyscheduler.cmd.http.StatusServer;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.settings.SettingTree;
import io.policyscheduler.framework.config.setting.Settings;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The status port of {@code run}. Off by default: the port has no authentication, so that it is opened only where somebody says
 * so.
 */
final class StatusPort {
    private static final String FLAG = Settings.HEALTHZ_ADDRESS.flag();

    private StatusPort() {}

    /**
     * Where to listen, null for nowhere.
     *
     * @throws IllegalArgumentException when the text is no address; the message is for users
     */
    static @Nullable InetSocketAddress address(SettingTree settings) {
        String text = settings.text(Settings.HEALTHZ_ADDRESS);
        try {
            return settings.find(Settings.HEALTHZ_ADDRESS).isEmpty() ? null : ListenAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(FLAG + ": " + e.getMessage(), e);
        }
    }

    /**
     * Starts to serve; null when not asked for.
     *
     * @throws InputException when the port is not free
     */
    static @Nullable StatusServer start(@Nullable InetSocketAddress address, StatusContent content) {
        if (address == null) {
            return null;
        }
        try {
            return new StatusServer(address, content);
        } catch (IOException e) {
            throw new InputException(FLAG + ": " + e.getMessage(), e);
        }
    }
}
