package io.policyscheduler.cmd.run;

import com.google.common.net.InetAddresses;
import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.http.ServingSettings;
import io.policyscheduler.cmd.settings.ServingFlags;
import io.policyscheduler.cmd.settings.SettingTree;
import io.policyscheduler.framework.config.BindAddress;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Settings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What {@code run} serves. Nothing by default: the plain port has no authentication, so that it is opened only where somebody says
 * so. Error texts of ports and addresses are those of kube-scheduler 1.17.
 */
final class Serving {
    private static final String STATUS = Settings.HEALTHZ_ADDRESS.flag();
    private static final int LAST_PORT = 65_535;

    private final SettingTree settings;

    private Serving(SettingTree settings) {
        this.settings = settings;
    }

    /**
     * What the settings say.
     *
     * @throws IllegalArgumentException when one makes no sense; the message is for users
     */
    static ServingSettings of(SettingTree settings) {
        return new Serving(settings).all();
    }

    private ServingSettings all() {
        return new ServingSettings(
                insecure(),
                ip(ServingFlags.BIND_ADDRESS),
                port(ServingFlags.SECURE_PORT, "0 for turning off secure port"),
                new ServingSettings.Tls(
                        path(ServingFlags.TLS_CERT_FILE),
                        path(ServingFlags.TLS_KEY_FILE),
                        path(ServingFlags.CERT_DIR),
                        settings.texts(ServingFlags.TLS_SNI_CERT_KEY),
                        settings.texts(ServingFlags.TLS_CIPHER_SUITES),
                        settings.text(ServingFlags.TLS_MIN_VERSION)),
                new ServingSettings.Authentication(
                        path(ServingFlags.CLIENT_CA_FILE),
                        path(ServingFlags.AUTHENTICATION_KUBECONFIG),
                        settings.isOn(ServingFlags.AUTHENTICATION_SKIP_LOOKUP),
                        settings.isOn(ServingFlags.AUTHENTICATION_TOLERATE_FAILURE),
                        settings.duration(ServingFlags.AUTHENTICATION_TOKEN_TTL),
                        new ServingSettings.RequestHeader(
                                path(ServingFlags.REQUEST_HEADER_CA),
                                settings.texts(ServingFlags.REQUEST_HEADER_NAMES),
                                settings.texts(ServingFlags.REQUEST_HEADER_USERS),
                                settings.texts(ServingFlags.REQUEST_HEADER_UIDS),
                                settings.texts(ServingFlags.REQUEST_HEADER_GROUPS),
                                settings.texts(ServingFlags.REQUEST_HEADER_EXTRA))),
                new ServingSettings.Authorization(
                        path(ServingFlags.AUTHORIZATION_KUBECONFIG),
                        settings.texts(ServingFlags.ALWAYS_ALLOW_PATHS),
                        settings.duration(ServingFlags.AUTHORIZED_TTL),
                        settings.duration(ServingFlags.UNAUTHORIZED_TTL)));
    }

    private @Nullable InetSocketAddress insecure() {
        int port = port(ServingFlags.PORT, "0 for turning off insecure (HTTP) port");
        String address = ip(ServingFlags.ADDRESS);
        if (isStatusFirst()) {
            return status();
        }
        boolean addressAlone =
                settings.isGivenAtStart(ServingFlags.ADDRESS) && !settings.isGivenAtStart(ServingFlags.PORT);
        int open = addressAlone ? BindAddress.DEFAULT_PORT : port;
        return open == 0 ? null : new InetSocketAddress(InetAddresses.forString(address), open);
    }

    /** The port of kube-scheduler goes before the address of a file, as flags do, and after that of a flag. */
    private boolean isStatusFirst() {
        boolean portGiven = settings.isGivenAtStart(ServingFlags.PORT) || settings.isGivenAtStart(ServingFlags.ADDRESS);
        return settings.isGivenAtStart(Settings.HEALTHZ_ADDRESS)
                || (!portGiven && settings.find(Settings.HEALTHZ_ADDRESS).isPresent());
    }

    /** What says where plain HTTP is served. */
    static StatusPorts.Plain plain(SettingTree settings) {
        String flag = new Serving(settings).isStatusFirst() ? STATUS : ServingFlags.PORT.flag();
        return new StatusPorts.Plain(flag, settings.isGivenAtStart(Settings.HEALTHZ_ADDRESS));
    }

    private InetSocketAddress status() {
        try {
            return ListenAddress.parse(settings.text(Settings.HEALTHZ_ADDRESS));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(STATUS + ": " + e.getMessage(), e);
        }
    }

    private int port(Setting setting, String off) {
        long port = settings.number(setting);
        if (port < 0 || port > LAST_PORT) {
            throw new IllegalArgumentException(
                    setting.flag() + " " + port + " must be between 0 and 65535, inclusive. " + off);
        }
        return Math.toIntExact(port);
    }

    private String ip(Setting setting) {
        String address = settings.text(setting);
        if (!InetAddresses.isInetAddress(address)) {
            throw new IllegalArgumentException(setting.flag() + " " + address + " is an invalid IP address");
        }
        return address;
    }

    private @Nullable Path path(Setting setting) {
        String file = settings.text(setting);
        return file.isEmpty() ? null : Path.of(file);
    }
}
