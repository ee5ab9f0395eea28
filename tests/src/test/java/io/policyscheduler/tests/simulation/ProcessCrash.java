package io.policyscheduler.tests.simulation;

/** The crash of the scheduler's process. An Error, because the scheduler catches exceptions. */
final class ProcessCrash extends Error {
    private static final long serialVersionUID = 1;

    ProcessCrash(String where) {
        super(where, null, false, false);
    }
}
