package example.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.embedded.EmbeddedCluster;
import io.policyscheduler.embedded.TestCluster;
import org.junit.jupiter.api.Test;

/** The controllers of the embedded cluster create the pods of a Deployment. */
@EmbeddedCluster(release = "1.34")
class DeploymentTest {
    @Test
    void deploymentGetsItsPods(TestCluster cluster) throws Exception {
        cluster.create("""
                {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
                 "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
                  "template": {"metadata": {"labels": {"app": "web"}},
                   "spec": {"containers": [{"name": "web", "image": "nginx"}]}}}}""");
        cluster.await(
                "deployments.apps",
                "default",
                "web",
                web -> web.at("/status/replicas").asInt() == 2);
        assertEquals(2, cluster.list("pods").size());
    }
}
