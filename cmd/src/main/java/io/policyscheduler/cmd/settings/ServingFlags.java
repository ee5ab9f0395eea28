package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.framework.config.setting.FlagGroup;
import io.policyscheduler.framework.config.setting.Setting;

/** The serving flags of kube-scheduler, 1.17 to 1.34: ports, certificates, who may ask. */
public final class ServingFlags {
    private static final Shape LIST = Shape.list(Shape.STRING);
    private static final String HTTP1 = "HTTP/1.1 is served, which has no streams; leave the flag out";

    public static final Setting ADDRESS = Setting.ofFlag("--address", Shape.STRING)
            .standard("0.0.0.0")
            .label("IP")
            .text("Address of the plain HTTP port of --port.")
            .in(FlagGroup.PLAIN_STATUS)
            .row();
    /** Without a variable: Kubernetes sets the one that it would have for a Service named policy-scheduler. */
    public static final Setting PORT = Setting.ofFlag("--port", Shape.INT32)
            .withoutVariable()
            .standard("0")
            .in117("10251")
            .text(
                    "Serve what --status-address serves on this plain HTTP port; 0 is off. --status-address goes before it.",
                    "With --address alone it is 10251.")
            .in(FlagGroup.PLAIN_STATUS)
            .row();

    public static final Setting BIND_ADDRESS = Setting.ofFlag("--bind-address", Shape.STRING)
            .standard("0.0.0.0")
            .label("IP")
            .text("Address of the HTTPS port.")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting SECURE_PORT = Setting.ofFlag("--secure-port", Shape.INT32)
            .standard("0")
            .in117("10259")
            .text("HTTPS port; 0 is off.")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting TLS_CERT_FILE = Setting.ofFlag("--tls-cert-file", Shape.STRING)
            .label("FILE")
            .text("Certificate of the HTTPS port with those that signed it, PEM.")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting TLS_KEY_FILE = Setting.ofFlag("--tls-private-key-file", Shape.STRING)
            .label("FILE")
            .text("Its private key, PEM.")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting CERT_DIR = Setting.ofFlag("--cert-dir", Shape.STRING)
            .label("DIR")
            .text("Folder for a certificate that this program signs itself where none is given.")
            .shownDefault("kept in memory")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting TLS_CIPHER_SUITES = Setting.ofFlag("--tls-cipher-suites", LIST)
            .label("NAME,...")
            .text("Cipher suites of the HTTPS port, by their names in Go.")
            .shownDefault("those of the Java runtime")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting TLS_MIN_VERSION = Setting.ofFlag("--tls-min-version", Shape.STRING)
            .choices("VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13")
            .label("VERSION")
            .text("Oldest TLS of the HTTPS port: VersionTLS10 to VersionTLS13.")
            .shownDefault("that of the Java runtime")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting TLS_SNI_CERT_KEY = Setting.ofFlag("--tls-sni-cert-key", Shape.STRING)
            .repeatable()
            .label("CERT,KEY[:NAME,...]")
            .text("A certificate for some server names; may be given several times.")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting HTTP2_MAX_STREAMS = Setting.ofFlag("--http2-max-streams-per-connection", Shape.INT32)
            .standard("0")
            .text("Requests at once on an HTTP/2 connection; 0 leaves it to the server.")
            .noEffect("W148", HTTP1)
            .harmless("0")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting DISABLE_HTTP2 = Setting.ofFlag("--disable-http2-serving", Shape.BOOL)
            .standard("false")
            .text("Serve HTTP/1.1 only.")
            .noEffect("W148", HTTP1)
            .harmless("true", "false")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting PERMIT_ADDRESS_SHARING = Setting.ofFlag("--permit-address-sharing", Shape.BOOL)
            .standard("false")
            .text("Open the HTTPS port although an old connection still has its address (SO_REUSEADDR).")
            .noEffect("W148", "the port is opened so anyway; leave the flag out")
            .harmless("true", "false")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting PERMIT_PORT_SHARING = Setting.ofFlag("--permit-port-sharing", Shape.BOOL)
            .standard("false")
            .text("Open the HTTPS port although another process has it, too (SO_REUSEPORT).")
            .noEffect("W148", "one process at a time has the port; leave the flag out, or choose another --secure-port")
            .harmless("false")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting CLIENT_CA_FILE = Setting.ofFlag("--client-ca-file", Shape.STRING)
            .label("FILE")
            .text("Whoever has a certificate signed by one of these is known by its name, PEM.")
            .in(FlagGroup.STATUS_READERS)
            .row();

    public static final Setting AUTHENTICATION_KUBECONFIG = Setting.ofFlag("--authentication-kubeconfig", Shape.STRING)
            .label("FILE")
            .text("How to ask the API server whose tokens they are.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting AUTHENTICATION_SKIP_LOOKUP = Setting.ofFlag("--authentication-skip-lookup", Shape.BOOL)
            .standard("false")
            .text("Do not read the ConfigMap kube-system/extension-apiserver-authentication.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting AUTHENTICATION_TOKEN_TTL = Setting.ofFlag(
                    "--authentication-token-webhook-cache-ttl", Shape.DURATION)
            .standard("10s")
            .text("How long an answer about a token is kept.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting AUTHENTICATION_TOLERATE_FAILURE = Setting.ofFlag(
                    "--authentication-tolerate-lookup-failure", Shape.BOOL)
            .standard("true")
            .text("Start although that ConfigMap cannot be read.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting AUTHORIZATION_KUBECONFIG = Setting.ofFlag("--authorization-kubeconfig", Shape.STRING)
            .label("FILE")
            .text("How to ask the API server who may read.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting ALWAYS_ALLOW_PATHS = Setting.ofFlag("--authorization-always-allow-paths", LIST)
            .standard("/healthz,/readyz,/livez")
            .in117("/healthz")
            .label("PATH,...")
            .text("Paths that everybody may read; one with * at its end stands for all below.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting AUTHORIZED_TTL = Setting.ofFlag(
                    "--authorization-webhook-cache-authorized-ttl", Shape.DURATION)
            .standard("10s")
            .text("How long a yes about a reader is kept.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting UNAUTHORIZED_TTL = Setting.ofFlag(
                    "--authorization-webhook-cache-unauthorized-ttl", Shape.DURATION)
            .standard("10s")
            .text("How long a no about a reader is kept.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting REQUEST_HEADER_CA = Setting.ofFlag("--requestheader-client-ca-file", Shape.STRING)
            .label("FILE")
            .text("Whoever has a certificate signed by one of these may say in headers for whom it asks, PEM.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting REQUEST_HEADER_NAMES = Setting.ofFlag("--requestheader-allowed-names", LIST)
            .label("NAME,...")
            .text("The names that such certificates must have; empty for any.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting REQUEST_HEADER_USERS = Setting.ofFlag("--requestheader-username-headers", LIST)
            .standard("x-remote-user")
            .label("HEADER,...")
            .text("Headers with the name of the user.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting REQUEST_HEADER_UIDS = Setting.ofFlag("--requestheader-uid-headers", LIST)
            .label("HEADER,...")
            .text("Headers with the UID of the user.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting REQUEST_HEADER_GROUPS = Setting.ofFlag("--requestheader-group-headers", LIST)
            .standard("x-remote-group")
            .label("HEADER,...")
            .text("Headers with the groups of the user.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting REQUEST_HEADER_EXTRA = Setting.ofFlag("--requestheader-extra-headers-prefix", LIST)
            .standard("x-remote-extra-")
            .label("PREFIX,...")
            .text("What headers with more about the user begin with.")
            .in(FlagGroup.STATUS_READERS)
            .row();

    static final ImmutableList<Setting> ALL = ImmutableList.of(
            ADDRESS,
            PORT,
            BIND_ADDRESS,
            SECURE_PORT,
            TLS_CERT_FILE,
            TLS_KEY_FILE,
            CERT_DIR,
            TLS_CIPHER_SUITES,
            TLS_MIN_VERSION,
            TLS_SNI_CERT_KEY,
            HTTP2_MAX_STREAMS,
            DISABLE_HTTP2,
            PERMIT_ADDRESS_SHARING,
            PERMIT_PORT_SHARING,
            CLIENT_CA_FILE,
            AUTHENTICATION_KUBECONFIG,
            AUTHENTICATION_SKIP_LOOKUP,
            AUTHENTICATION_TOKEN_TTL,
            AUTHENTICATION_TOLERATE_FAILURE,
            AUTHORIZATION_KUBECONFIG,
            ALWAYS_ALLOW_PATHS,
            AUTHORIZED_TTL,
            UNAUTHORIZED_TTL,
            REQUEST_HEADER_CA,
            REQUEST_HEADER_NAMES,
            REQUEST_HEADER_USERS,
            REQUEST_HEADER_UIDS,
            REQUEST_HEADER_GROUPS,
            REQUEST_HEADER_EXTRA);

    private ServingFlags() {}
}
