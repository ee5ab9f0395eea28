package io.policyscheduler.cmd.kube.watch;

import static io.policyscheduler.cmd.kube.watch.PodTexts.JSON;
import static io.policyscheduler.cmd.kube.watch.PodTexts.PODS;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.FakeApiServer;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import io.policyscheduler.cmd.kube.watch.Reflector.ResourceDiscovery.Paths;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Runs a reflector against a scripted server. */
@Timeout(60)
abstract class ReflectorTestCase {
    final RecordingListener listener = new RecordingListener();
    final List<Duration> sleeps = new CopyOnWriteArrayList<>();
    final List<AutoCloseable> toClose = new ArrayList<>();
    Sleeper sleeper = sleeps::add;
    InstantSource clock = InstantSource.system();

    @Nullable
    Thread thread;

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : toClose) {
            closeable.close();
        }
    }

    FakeApiServer serve(FakeApiServer.Script script) {
        FakeApiServer server = new FakeApiServer(script);
        toClose.add(server);
        return server;
    }

    Reflector<String> start(FakeApiServer server, Options options) {
        return start(server, options, PODS, Paths.fixed(PODS));
    }

    Reflector<String> start(FakeApiServer server, Options options, String path, Paths paths) {
        KubeConnection connection = KubeConnection.fromUrl(server.url());
        toClose.add(0, connection);
        Reflector<String> reflector = reflector(connection, options, path, paths);
        reflector.start(task -> {
            thread = new Thread(task, "reflector");
            return thread;
        });
        toClose.add(0, reflector);
        return reflector;
    }

    Reflector<String> reflector(KubeConnection connection, Options options, String path, Paths paths) {
        return Reflector.of(connection, path, PodTexts::decode, listener)
                .paths(paths)
                .json(JSON)
                .options(options)
                .random(new SplittableRandom(7))
                .clock(clock)
                .sleeper(delay -> sleeper.sleep(delay))
                .build();
    }

    static List<String> versions(FakeApiServer server, boolean watch) {
        return server.requests.stream()
                .filter(request -> request.watch() == watch)
                .map(request -> request.parameter("resourceVersion"))
                .toList();
    }

    static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
