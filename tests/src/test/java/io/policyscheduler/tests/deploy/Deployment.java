package io.policyscheduler.tests.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.tests.e2e.Await;
import io.policyscheduler.tests.e2e.Program;
import io.policyscheduler.tests.packaging.Kustomizations;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/**
 * Applies the shipped manifests with kubectl and starts their programs with the service accounts, arguments, and files that they name, on a server
 * that enforces RBAC. Skipped if there is no kubectl.
 */
@Timeout(180)
abstract class Deployment {
    static final String ACCOUNT = "system:serviceaccount:kube-system:";
    static final String READER = ACCOUNT + "policy-scheduler-reader";
    static final String DEPLOYMENTS = "/apis/apps/v1/namespaces/kube-system/deployments/";
    static final String POD_TEMPLATE = "/spec/template/spec";

    private final Path folder;
    private final RoleServer server;
    private final Admin admin;
    private final Deque<Program> programs = new ArrayDeque<>();

    Deployment(Path folder, RoleServer server) {
        this.folder = folder;
        this.server = server;
        this.admin = new Admin(server.kubeconfig());
    }

    @AfterEach
    void close() {
        programs.forEach(Program::close);
        server.close();
    }

    Path folder() {
        return folder;
    }

    Admin admin() {
        return admin;
    }

    RoleServer server() {
        return server;
    }

    void applyOverlay(String name) {
        applyFolder("overlays/" + name);
    }

    void applyFolder(String folder) {
        admin.kubectl("apply", "-k", Kustomizations.folder().resolve(folder).toString());
    }

    /** Starts the pod of the template in an object of the server. */
    Program start(String object, String template) {
        JsonNode spec = admin.get(object).at(template);
        return start(DeployedPod.ofServiceAccount(admin, folder, spec));
    }

    Program start(DeployedPod pod) {
        Program program = pod.start();
        programs.push(program);
        return program;
    }

    /** Returns the state for failure messages. */
    String state() {
        return programs.stream().map(Program::output).collect(Collectors.joining("\n--\n"));
    }

    Workload workload(String scheduler) {
        return new Workload(admin, scheduler, this::state);
    }

    /** Returns the rights of a role that were used so far. */
    private Set<String> used(String user, RoleRights rights) {
        String role = rights.kind() + " " + rights.name() + ": ";
        return server.asked(user).stream()
                .filter(ReceivedRequest::allowed)
                .map(ReceivedRequest::use)
                .filter(use -> use.startsWith(role))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Waits until every right of a role was used.
     *
     * @param but rights for other cases, which are not used here
     */
    void awaitAllUsed(String user, RoleRights rights, Set<String> but) {
        Set<String> expected = rights.uses();
        expected.removeAll(but);
        Await.until(
                Workload.PATIENCE,
                "all rights are used of " + rights.kind() + " " + rights.name(),
                () -> used(user, rights).containsAll(expected),
                () -> expected + "; used are " + used(user, rights) + "\n" + state());
        assertEquals(expected, used(user, rights));
    }

    /** Fails if the server rejected a request. */
    void assertAllAllowed(String user) {
        assertEquals(Set.of(), refused(user), this::state);
    }

    Set<String> refused(String user) {
        return server.asked(user).stream()
                .filter(asked -> !asked.allowed())
                .map(ReceivedRequest::right)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
