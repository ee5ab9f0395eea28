package io.policyscheduler.tests.simulation;

/**
 * The kind of cluster and scheduler that a seed selects.
 *
 * @param nodes at the start
 * @param actions things that users and machines do
 * @param pauseMillis longest time between two of them
 * @param faultPercent share of API calls that go wrong
 * @param feedDelayMillis longest delay of a watch event
 * @param lateMillis how late the watch of one resource is throughout, beyond every time-out of ours; 0 for none
 * @param latePods that one is pods, rather than any other
 * @param stormPercent chance, at each call, that the server becomes too busy for all calls for a while
 * @param reorders watch events of different objects may overtake each other
 * @param staleLists lists may be older than what was already shown
 * @param crashes the scheduler's process may end at any write
 * @param extender the policy has an extender
 * @param extenderBinds which also binds
 * @param nodeCacheCapable which is sent names of nodes only
 * @param storage pods use volumes
 * @param preemption allowed
 * @param clockJumps the machine's clock is set forward and back
 * @param newer the cluster is one of today, whose pods take room in ways that v1.17 did not know
 * @param modern the scheduler decides and waits as one of today, and some pods come with gates
 * @param devices pods ask for devices through resource claims
 * @param slowWrites the class of writes that waits for seconds before each write; {@link WriteClass#NONE} for none
 */
record Scenario(
        int nodes,
        int actions,
        int pauseMillis,
        double faultPercent,
        int feedDelayMillis,
        int lateMillis,
        boolean latePods,
        double stormPercent,
        boolean reorders,
        boolean staleLists,
        boolean crashes,
        boolean extender,
        boolean extenderBinds,
        boolean nodeCacheCapable,
        boolean storage,
        boolean preemption,
        boolean clockJumps,
        boolean newer,
        boolean modern,
        boolean devices,
        WriteClass slowWrites) {

    /** Writes that have threads of their own. */
    enum WriteClass {
        NONE,
        BINDS,
        OTHERS,
        STATUSES,
        EVICTIONS
    }

    static Scenario of(RandomChoices random) {
        boolean extender = random.percent(25);
        boolean newer = random.percent(60);
        return new Scenario(
                random.between(3, 6),
                random.between(8, random.of(20, 40, 70)),
                random.of(500, 1500, 4000),
                random.of(0, 2, 8, 20),
                random.of(20, 300, 5000),
                random.percent(20) ? random.of(40_000, 90_000) : 0,
                random.percent(60),
                random.percent(20) ? 1 : 0,
                random.percent(25),
                random.percent(12),
                random.percent(40),
                extender,
                extender && random.percent(40),
                random.percent(50),
                random.percent(35),
                random.percent(80),
                random.percent(30),
                newer,
                newer && random.percent(60),
                newer && random.percent(50),
                random.percent(70) ? WriteClass.NONE : random.of(WriteClass.values()));
    }
}
