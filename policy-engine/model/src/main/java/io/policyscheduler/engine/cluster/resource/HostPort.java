package io.policyscheduler.engine.cluster.resource;

/**
 * A host port of a container, with defaults: ip {@code 0.0.0.0}, protocol {@code TCP}. {@code port} is above 0. Mirrors
 * {@code pkg/scheduler/nodeinfo/host_ports.go}.
 */
public record HostPort(String ip, String protocol, int port) {
    /** The address that conflicts with every other one. */
    public static final String ANY_IP = "0.0.0.0";

    /** Applies the defaults for empty ip and protocol. */
    public static HostPort of(String ip, String protocol, int port) {
        return new HostPort(ip.isEmpty() ? ANY_IP : ip, protocol.isEmpty() ? "TCP" : protocol, port);
    }

    /** True if a node cannot provide both. */
    public boolean conflictsWith(HostPort other) {
        return port == other.port
                && protocol.equals(other.protocol)
                && (ip.equals(other.ip) || ip.equals(ANY_IP) || other.ip.equals(ANY_IP));
    }
}
