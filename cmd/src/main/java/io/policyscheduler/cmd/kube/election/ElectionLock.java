package io.policyscheduler.cmd.kube.election;

import io.policyscheduler.cmd.kube.ApiIoException;

/** A lock of a leader election (client-go resourcelock.Interface). Each call has a time limit. */
interface ElectionLock {
    /** All objects of the lock, those that are not there as absent. */
    LockState read(TimeLeft time) throws ApiIoException;

    /**
     * Writes one object after the other. The first one decides between candidates of the same lock; those behind a failure stay as
     * they are.
     *
     * @return false when somebody has changed or created one of them since it was read
     */
    boolean write(LockState state, TimeLeft time) throws ApiIoException;
}
