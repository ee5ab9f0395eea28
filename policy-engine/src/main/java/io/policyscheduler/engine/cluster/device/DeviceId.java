package io.policyscheduler.engine.cluster.device;

/**
 * What names a device in the whole cluster.
 *
 * @param driver name of the driver
 * @param pool name of the pool, which is one of the driver's
 * @param device name in the pool
 */
public record DeviceId(String driver, String pool, String device) {
    /** As messages have it. */
    @Override
    public String toString() {
        return driver + "/" + pool + "/" + device;
    }
}
