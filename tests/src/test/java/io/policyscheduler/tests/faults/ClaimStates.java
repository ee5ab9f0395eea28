package io.policyscheduler.tests.faults;

import java.util.List;

/** What kube-scheduler 1.34.1 and the controllers of 1.34 make of the steps of {@link ClaimScenario}. */
final class ClaimStates {
    static final List<String> EXPECTED = List.of(
            "a pod gets a device: c0 on n0; claim of c0 [\"resource.kubernetes.io/delete-protection\"] [r"
                    + " gpu.example.com/n0/a] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\""
                    + "n0\"]}]}] [pods c0]",
            "another one gets the other device: c0 on n0; c1 on n0; claim of c0 [\"resource.kubernetes.i"
                    + "o/delete-protection\"] [r gpu.example.com/n0/a] [{\"matchFields\":[{\"key\":\"metadata.name\",\"op"
                    + "erator\":\"In\",\"values\":[\"n0\"]}]}] [pods c0]; claim of c1 [\"resource.kubernetes.io/delete-pr"
                    + "otection\"] [r gpu.example.com/n0/b] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In"
                    + "\",\"values\":[\"n0\"]}]}] [pods c1]",
            "a third one waits: c0 on n0; c1 on n0; c2 waits [False Unschedulable: 0/1 nodes are availa"
                    + "ble: 1 cannot allocate all claims. still not schedulable, preemption: 0/1 nodes are availa"
                    + "ble: 1 Preemption is not helpful for scheduling.] [FailedScheduling]; claim of c0 [\"resour"
                    + "ce.kubernetes.io/delete-protection\"] [r gpu.example.com/n0/a] [{\"matchFields\":[{\"key\":\"met"
                    + "adata.name\",\"operator\":\"In\",\"values\":[\"n0\"]}]}] [pods c0]; claim of c1 [\"resource.kubernet"
                    + "es.io/delete-protection\"] [r gpu.example.com/n0/b] [{\"matchFields\":[{\"key\":\"metadata.name\""
                    + ",\"operator\":\"In\",\"values\":[\"n0\"]}]}] [pods c1]; claim of c2 free []",
            "and gets the device of the first when that is gone: c1 on n0; c2 on n0; claim of c1 [\"reso"
                    + "urce.kubernetes.io/delete-protection\"] [r gpu.example.com/n0/b] [{\"matchFields\":[{\"key\":\"m"
                    + "etadata.name\",\"operator\":\"In\",\"values\":[\"n0\"]}]}] [pods c1]; claim of c2 [\"resource.kubern"
                    + "etes.io/delete-protection\"] [r gpu.example.com/n0/a] [{\"matchFields\":[{\"key\":\"metadata.nam"
                    + "e\",\"operator\":\"In\",\"values\":[\"n0\"]}]}] [pods c2]",
            "a claim gets the device for a pod: c1 on n0; c2 on n0; s0 on n1; claim of c1 [\"resource.ku"
                    + "bernetes.io/delete-protection\"] [r gpu.example.com/n0/b] [{\"matchFields\":[{\"key\":\"metadata"
                    + ".name\",\"operator\":\"In\",\"values\":[\"n0\"]}]}] [pods c1]; claim of c2 [\"resource.kubernetes.io"
                    + "/delete-protection\"] [r gpu.example.com/n0/a] [{\"matchFields\":[{\"key\":\"metadata.name\",\"ope"
                    + "rator\":\"In\",\"values\":[\"n0\"]}]}] [pods c2]; shared [\"resource.kubernetes.io/delete-protecti"
                    + "on\"] [r gpu.example.com/n1/x] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"val"
                    + "ues\":[\"n1\"]}]}] [pods s0]",
            "and another pod may use it: c1 on n0; c2 on n0; s0 on n1; s1 on n1; claim of c1 [\"resource"
                    + ".kubernetes.io/delete-protection\"] [r gpu.example.com/n0/b] [{\"matchFields\":[{\"key\":\"metad"
                    + "ata.name\",\"operator\":\"In\",\"values\":[\"n0\"]}]}] [pods c1]; claim of c2 [\"resource.kubernetes"
                    + ".io/delete-protection\"] [r gpu.example.com/n0/a] [{\"matchFields\":[{\"key\":\"metadata.name\",\""
                    + "operator\":\"In\",\"values\":[\"n0\"]}]}] [pods c2]; shared [\"resource.kubernetes.io/delete-prote"
                    + "ction\"] [r gpu.example.com/n1/x] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\""
                    + "values\":[\"n1\"]}]}] [pods s0, pods s1]",
            "which keeps it when the first is gone: c1 on n0; c2 on n0; s1 on n1; claim of c1 [\"resourc"
                    + "e.kubernetes.io/delete-protection\"] [r gpu.example.com/n0/b] [{\"matchFields\":[{\"key\":\"meta"
                    + "data.name\",\"operator\":\"In\",\"values\":[\"n0\"]}]}] [pods c1]; claim of c2 [\"resource.kubernete"
                    + "s.io/delete-protection\"] [r gpu.example.com/n0/a] [{\"matchFields\":[{\"key\":\"metadata.name\","
                    + "\"operator\":\"In\",\"values\":[\"n0\"]}]}] [pods c2]; shared [\"resource.kubernetes.io/delete-prot"
                    + "ection\"] [r gpu.example.com/n1/x] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\","
                    + "\"values\":[\"n1\"]}]}] [pods s1]",
            "until nobody uses it: c1 on n0; c2 on n0; claim of c1 [\"resource.kubernetes.io/delete-prot"
                    + "ection\"] [r gpu.example.com/n0/b] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\","
                    + "\"values\":[\"n0\"]}]}] [pods c1]; claim of c2 [\"resource.kubernetes.io/delete-protection\"] [r"
                    + " gpu.example.com/n0/a] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\""
                    + "n0\"]}]}] [pods c2]; shared free []",
            "then somebody else gets the device: c1 on n0; c2 on n0; s2 on n1; claim of c1 [\"resource.k"
                    + "ubernetes.io/delete-protection\"] [r gpu.example.com/n0/b] [{\"matchFields\":[{\"key\":\"metadat"
                    + "a.name\",\"operator\":\"In\",\"values\":[\"n0\"]}]}] [pods c1]; claim of c2 [\"resource.kubernetes.i"
                    + "o/delete-protection\"] [r gpu.example.com/n0/a] [{\"matchFields\":[{\"key\":\"metadata.name\",\"op"
                    + "erator\":\"In\",\"values\":[\"n0\"]}]}] [pods c2]; claim of s2 [\"resource.kubernetes.io/delete-pr"
                    + "otection\"] [r gpu.example.com/n1/x] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In"
                    + "\",\"values\":[\"n1\"]}]}] [pods s2]; shared free []",
            "and the claim waits for it: c1 on n0; c2 on n0; s2 on n1; s3 waits [False Unschedulable: 0"
                    + "/2 nodes are available: 1 cannot allocate all claims, 1 node(s) didn't match Pod's node af"
                    + "finity/selector. still not schedulable, preemption: 0/2 nodes are available: 2 Preemption "
                    + "is not helpful for scheduling.] [FailedScheduling]; claim of c1 [\"resource.kubernetes.io/d"
                    + "elete-protection\"] [r gpu.example.com/n0/b] [{\"matchFields\":[{\"key\":\"metadata.name\",\"opera"
                    + "tor\":\"In\",\"values\":[\"n0\"]}]}] [pods c1]; claim of c2 [\"resource.kubernetes.io/delete-prote"
                    + "ction\"] [r gpu.example.com/n0/a] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\""
                    + "values\":[\"n0\"]}]}] [pods c2]; claim of s2 [\"resource.kubernetes.io/delete-protection\"] [r "
                    + "gpu.example.com/n1/x] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"n"
                    + "1\"]}]}] [pods s2]; shared free []",
            "until it is free: c1 on n0; c2 on n0; s3 on n1; claim of c1 [\"resource.kubernetes.io/delet"
                    + "e-protection\"] [r gpu.example.com/n0/b] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\""
                    + ":\"In\",\"values\":[\"n0\"]}]}] [pods c1]; claim of c2 [\"resource.kubernetes.io/delete-protectio"
                    + "n\"] [r gpu.example.com/n0/a] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"valu"
                    + "es\":[\"n0\"]}]}] [pods c2]; shared [\"resource.kubernetes.io/delete-protection\"] [r gpu.examp"
                    + "le.com/n1/x] [{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"n1\"]}]}] ["
                    + "pods s3]");

    private ClaimStates() {}
}
