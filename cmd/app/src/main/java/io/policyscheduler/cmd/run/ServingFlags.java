package io.policyscheduler.cmd.run;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.FlagGroup;

/** The serving flags of kube-scheduler 1.17 to 1.34: ports, certificates, authentication, and authorization. */
public final class ServingFlags {
    private static final Shape LIST = Shape.list(Shape.STRING);
    private static final String HTTP1 = "the scheduler serves HTTP/1.1, which has no streams; remove the flag";

    public static final Setting ADDRESS = Setting.ofFlag("--address", Shape.STRING)
            .standard("0.0.0.0")
            .label("IP")
            .text("Address for the plain HTTP port of --port.")
            .in(FlagGroup.PLAIN_STATUS)
            .row();
    /** No environment variable: for a Service named policy-scheduler, Kubernetes sets one with this name. */
    public static final Setting PORT = Setting.ofFlag("--port", Shape.INT32)
            .withoutVariable()
            .standard("0")
            .in117("10251")
            .text("Port of plain HTTP for the same endpoints as --status-address. Ignored if --status-address is set. 0"
                    + " disables the port. If --address is set and --port is not, the port is 10251.")
            .in(FlagGroup.PLAIN_STATUS)
            .row();

    public static final Setting STATUS_HOST = Setting.ofFlag("--status-host", LIST)
            .label("NAME,...")
            .text("Host names by which clients may call the plain HTTP port, for a proxy or a Service. IP"
                    + " addresses and localhost are always allowed.")
            .in(FlagGroup.PLAIN_STATUS)
            .row();

    public static final Setting BIND_ADDRESS = Setting.ofFlag("--bind-address", Shape.STRING)
            .standard("0.0.0.0")
            .label("IP")
            .text("Address for the HTTPS port.")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting SECURE_PORT = Setting.ofFlag("--secure-port", Shape.INT32)
            .standard("0")
            .in117("10259")
            .text("HTTPS port. 0 disables it.")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting TLS_CERT_FILE = Setting.ofFlag("--tls-cert-file", Shape.STRING)
            .label("FILE")
            .text("Certificate chain for HTTPS, PEM.")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting TLS_KEY_FILE = Setting.ofFlag("--tls-private-key-file", Shape.STRING)
            .label("FILE")
            .text("Private key for --tls-cert-file, PEM.")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting CERT_DIR = Setting.ofFlag("--cert-dir", Shape.STRING)
            .label("DIR")
            .text("Directory for a self-signed certificate. Used if no certificate is set.")
            .displayedDefault("kept in memory")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting TLS_CIPHER_SUITES = Setting.ofFlag("--tls-cipher-suites", LIST)
            .label("NAME,...")
            .text("Cipher suites for HTTPS, with the names that Go uses.")
            .displayedDefault("those of the Java runtime")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting TLS_MIN_VERSION = Setting.ofFlag("--tls-min-version", Shape.STRING)
            .choices("VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13")
            .label("VERSION")
            .text("Minimum TLS version for HTTPS: VersionTLS10 to VersionTLS13.")
            .displayedDefault("that of the Java runtime")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting TLS_SNI_CERT_KEY = Setting.ofFlag("--tls-sni-cert-key", Shape.STRING)
            .repeatable()
            .label("CERT,KEY[:NAME,...]")
            .text("Certificate and key for some server names. Repeatable.")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting HTTP2_MAX_STREAMS = Setting.ofFlag("--http2-max-streams-per-connection", Shape.INT32)
            .standard("0")
            .text("Maximum number of streams per HTTP/2 connection. 0 uses the default of the server.")
            .noEffect("W148", HTTP1)
            .harmless("0")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting DISABLE_HTTP2 = Setting.ofFlag("--disable-http2-serving", Shape.BOOL)
            .standard("false")
            .text("Serve only HTTP/1.1.")
            .noEffect("W148", HTTP1)
            .harmless("true", "false")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting PERMIT_ADDRESS_SHARING = Setting.ofFlag("--permit-address-sharing", Shape.BOOL)
            .standard("false")
            .text("Set SO_REUSEADDR on the HTTPS port.")
            .noEffect("W148", "the scheduler always sets SO_REUSEADDR; remove the flag")
            .harmless("true", "false")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting PERMIT_PORT_SHARING = Setting.ofFlag("--permit-port-sharing", Shape.BOOL)
            .standard("false")
            .text("Set SO_REUSEPORT on the HTTPS port.")
            .noEffect("W148", "two processes cannot share the port; remove the flag, or use another --secure-port")
            .harmless("false")
            .in(FlagGroup.SECURE_STATUS)
            .row();
    public static final Setting CLIENT_CA_FILE = Setting.ofFlag("--client-ca-file", Shape.STRING)
            .label("FILE")
            .text("CA certificates for client certificates, PEM. The common name is the user name.")
            .in(FlagGroup.STATUS_READERS)
            .row();

    public static final Setting AUTHENTICATION_KUBECONFIG = Setting.ofFlag("--authentication-kubeconfig", Shape.STRING)
            .label("FILE")
            .text("Kubeconfig for token reviews.")
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
            .text("Time to cache the result of a token review.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting AUTHENTICATION_TOLERATE_FAILURE = Setting.ofFlag(
                    "--authentication-tolerate-lookup-failure", Shape.BOOL)
            .standard("true")
            .text("Start even if the ConfigMap kube-system/extension-apiserver-authentication cannot be" + " read.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting AUTHORIZATION_KUBECONFIG = Setting.ofFlag("--authorization-kubeconfig", Shape.STRING)
            .label("FILE")
            .text("Kubeconfig for subject access reviews.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting ALWAYS_ALLOW_PATHS = Setting.ofFlag("--authorization-always-allow-paths", LIST)
            .standard("/healthz,/readyz,/livez")
            .in117("/healthz")
            .label("PATH,...")
            .text("Paths that need no authorization. A * at the end of a path stands for any text.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting AUTHORIZED_TTL = Setting.ofFlag(
                    "--authorization-webhook-cache-authorized-ttl", Shape.DURATION)
            .standard("10s")
            .text("Time to cache an allowed access review.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting UNAUTHORIZED_TTL = Setting.ofFlag(
                    "--authorization-webhook-cache-unauthorized-ttl", Shape.DURATION)
            .standard("10s")
            .text("Time to cache a denied access review.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting REQUEST_HEADER_CA = Setting.ofFlag("--requestheader-client-ca-file", Shape.STRING)
            .label("FILE")
            .text("CA certificates of authenticating proxies, PEM. Their requests name the user in headers.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting REQUEST_HEADER_NAMES = Setting.ofFlag("--requestheader-allowed-names", LIST)
            .label("NAME,...")
            .text("Common names that proxy certificates may have. Empty allows all.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting REQUEST_HEADER_USERS = Setting.ofFlag("--requestheader-username-headers", LIST)
            .standard("x-remote-user")
            .label("HEADER,...")
            .text("Headers with the user name.")
            .in(FlagGroup.STATUS_READERS)
            .row();
    public static final Setting REQUEST_HEADER_UIDS = Setting.ofFlag("--requestheader-uid-headers", LIST)
            .label("HEADER,...")
            .text("Headers with the user UID.")
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
            .text("Prefixes of headers with extra information about the user.")
            .in(FlagGroup.STATUS_READERS)
            .row();

    static final ImmutableList<Setting> ALL = ImmutableList.of(
            ADDRESS,
            PORT,
            STATUS_HOST,
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
