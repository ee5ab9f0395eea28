package io.policyscheduler.tests.faults;

import io.policyscheduler.tests.RealPrograms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A real kube-controller-manager of 1.34 that creates claims from templates, binds volumes, and deletes unused claims. */
final class RealControllers implements AutoCloseable {
    private static final int END_SECONDS = 10;

    private final Process process;

    private RealControllers(Process process) {
        this.process = process;
    }

    /** @param log for its output */
    static RealControllers start(Path kubeconfig, Path log) throws IOException, InterruptedException {
        return new RealControllers(new ProcessBuilder(
                        RealPrograms.program("kube-controller-manager", "1.34").toString(),
                        "--kubeconfig=" + kubeconfig,
                        "--leader-elect=false",
                        "--secure-port=0",
                        "--controllers=resourceclaim-controller,garbage-collector-controller,"
                                + "persistentvolume-binder-controller")
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
