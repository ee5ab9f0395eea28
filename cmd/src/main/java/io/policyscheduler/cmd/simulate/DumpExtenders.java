package io.policyscheduler.cmd.simulate;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.extender.client.FileRawObjects;
import io.policyscheduler.cmd.extender.client.HttpExtenders;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.ManifestFiles;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.framework.extender.Extenders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A policy's extenders for a simulation: they are called with the objects of the dump. */
final class DumpExtenders implements AutoCloseable {
    private final ExecutorService calls = Executors.newCachedThreadPool(new ThreadFactoryBuilder()
            .setNameFormat("extender-%d")
            .setDaemon(true)
            .build());
    private final Extenders extenders;

    /** @param files the dump once more, as whole objects; none are read when the policy has no extenders */
    DumpExtenders(EffectivePolicy policy, List<Path> files) {
        FileRawObjects objects = new FileRawObjects();
        if (!policy.extenders().isEmpty()) {
            files.forEach(file -> ManifestFiles.read(file).forEach(objects::add));
        }
        try {
            extenders = HttpExtenders.of(policy, objects, calls);
        } catch (IOException e) {
            throw new InputException(policy.source() + ": " + e.getMessage(), e);
        }
    }

    Extenders extenders() {
        return extenders;
    }

    @Override
    public void close() {
        calls.shutdownNow();
    }
}
