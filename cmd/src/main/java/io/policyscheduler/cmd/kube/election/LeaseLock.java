package io.policyscheduler.cmd.kube.election;

import io.policyscheduler.cmd.kube.ApiIoException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Where the Lease is kept. Every call ends within its limit. */
interface LeaseLock {
    /** The Lease, null when there is none. */
    @Nullable
    Lease read(Duration limit) throws ApiIoException;

    /** False when it exists already. */
    boolean create(Lease lease, Duration limit) throws ApiIoException;

    /** False when somebody has changed it since it was read. */
    boolean update(Lease lease, Duration limit) throws ApiIoException;
}
