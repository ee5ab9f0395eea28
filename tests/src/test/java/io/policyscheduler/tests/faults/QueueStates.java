package io.policyscheduler.tests.faults;

import java.util.List;

/** What kube-scheduler 1.34.1 makes of the steps of scenarios. */
final class QueueStates {
    /** Of {@link QueueScenario}. */
    static final List<String> EXPECTED = List.of(
            "a pod is placed: a on n0",
            "another one waits for its room: a on n0; b waits [False Unschedulable: 0/1 nodes are available: 1 In"
                    + "sufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption vi"
                    + "ctims found for incoming pod.] [FailedScheduling]",
            "and gets it at once: b on n0",
            "a pod waits for another node to have one like it: s0 on n0; s1 waits [False Unschedulable: 0/2 nodes"
                    + " are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) had untolerated ta"
                    + "int {k: v}. no new claims to deallocate, preemption: 0/2 nodes are available: 1 No preemption victim"
                    + "s found for incoming pod, 1 Preemption is not helpful for scheduling.] [FailedScheduling]",
            "and is placed as soon as it has: s0 on n0; s1 on n0; s2 on n1",
            "a pod waits for a node: c waits [False Unschedulable: 0/2 nodes are available: 1 node(s) didn't matc"
                    + "h Pod's node affinity/selector, 1 node(s) had untolerated taint {k: v}. no new claims to deallocate,"
                    + " preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.] [FailedScheduling"
                    + "]; s0 on n0; s1 on n0; s2 on n1",
            "which comes cordoned: c waits [False Unschedulable: 0/3 nodes are available: 1 node(s) didn't match "
                    + "Pod's node affinity/selector, 1 node(s) had untolerated taint {k: v}, 1 node(s) were unschedulable. "
                    + "no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for sc"
                    + "heduling.] [FailedScheduling]; s0 on n0; s1 on n0; s2 on n1",
            "and is opened: c on n2; s0 on n0; s1 on n0; s2 on n1",
            "a gated pod is left alone: c on n2; g waits [False SchedulingGated: Scheduling is blocked due to non"
                    + "-empty scheduling gates] []; s0 on n0; s1 on n0; s2 on n1",
            "until its gate opens: c on n2; g on n2; s0 on n0; s1 on n0; s2 on n1",
            "a pod evicts another one: c on n2; g on n2; high waits promised n3 [False Unschedulable: 0/4 nodes a"
                    + "re available: 1 Insufficient cpu, 1 node(s) had untolerated taint {k: v}, 2 node(s) didn't match Pod"
                    + "'s node affinity/selector.] [FailedScheduling]; low on n3 going [True PreemptionByScheduler: policy-"
                    + "scheduler: preempting to accommodate a higher priority pod] [Preempted by pod UID on node n3]; s0 on"
                    + " n0; s1 on n0; s2 on n1",
            "and gets its room when that is gone: c on n2; g on n2; high on n3 promised n3; s0 on n0; s1 on n0; s"
                    + "2 on n1");

    /** Of {@link VictimScenario}. */
    static final List<String> OF_VICTIMS = List.of(
            "a node is full: a on n0; b on n0; c on n0",
            "a pod that may not preempt waits: a on n0; b on n0; c on n0; never waits [False Unschedulable: 0/1 n"
                    + "odes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to"
                    + " preemptionPolicy=Never.] [FailedScheduling]",
            "a pod evicts two of three: a on n0 going [True PreemptionByScheduler: policy-scheduler: preempting t"
                    + "o accommodate a higher priority pod] [Preempted by pod UID on node n0]; b on n0; c on n0 going [True"
                    + " PreemptionByScheduler: policy-scheduler: preempting to accommodate a higher priority pod] [Preempte"
                    + "d by pod UID on node n0]; high waits promised n0 [False Unschedulable: 0/1 nodes are available: 1 In"
                    + "sufficient cpu.] [FailedScheduling]",
            "one of less priority waits behind it: a on n0 going [True PreemptionByScheduler: policy-scheduler: p"
                    + "reempting to accommodate a higher priority pod] [Preempted by pod UID on node n0]; b on n0; c on n0 "
                    + "going [True PreemptionByScheduler: policy-scheduler: preempting to accommodate a higher priority pod"
                    + "] [Preempted by pod UID on node n0]; high waits promised n0 [False Unschedulable: 0/1 nodes are avai"
                    + "lable: 1 Insufficient cpu.] [FailedScheduling]; late waits [False Unschedulable: 0/1 nodes are avail"
                    + "able: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Insuff"
                    + "icient cpu.] [FailedScheduling]",
            "the pod gets its room when both are gone: b on n0; high on n0 promised n0");

    private QueueStates() {}
}
