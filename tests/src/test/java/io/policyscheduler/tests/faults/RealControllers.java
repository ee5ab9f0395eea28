package io.policyscheduler.tests.faults;

import io.policyscheduler.tests.RealPrograms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A real kube-controller-manager with some of its controllers; skips the test if it is not installed. */
final class RealControllers implements AutoCloseable {
    private static final int END_SECONDS = 10;

    private final Process process;

    private RealControllers(Process process) {
        this.process = process;
    }

    /**
     * Starts those of 1.34 that create claims from templates, bind volumes, and delete unused claims.
     *
     * @param log for its output
     */
    static RealControllers start(Path kubeconfig, Path log) throws IOException, InterruptedException {
        return start(
                "1.34",
                "resourceclaim-controller,garbage-collector-controller,persistentvolume-binder-controller",
                kubeconfig,
                log);
    }

    /**
     * Starts controllers of a release.
     *
     * @param names as in {@code --controllers}
     * @param log for the output
     */
    static RealControllers start(String release, String names, Path kubeconfig, Path log)
            throws IOException, InterruptedException {
        return new RealControllers(new ProcessBuilder(
                        RealPrograms.program("kube-controller-manager", release).toString(),
                        "--kubeconfig=" + kubeconfig,
                        "--leader-elect=false",
                        "--secure-port=0",
                        "--controllers=" + names)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("kube-controller-manager does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
