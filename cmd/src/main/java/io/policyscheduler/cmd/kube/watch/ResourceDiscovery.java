package io.policyscheduler.cmd.kube.watch;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.Sleeper;
import io.policyscheduler.cmd.kube.watch.Reflector.Listener;
import io.policyscheduler.cmd.kube.watch.ReflectorRequests.Contact;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out where the server has a reflector's resource, and moves the reflector there. */
final class ResourceDiscovery {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceDiscovery.class);

    /** Between two looks whether the server has the resource by now. */
    private static final Duration ABSENT_PERIOD = Duration.ofSeconds(30);

    private final Paths paths;
    private final ReflectorState position;
    private final Contact contact;
    private final Listener<?> listener;
    private final Sleeper sleeper;

    ResourceDiscovery(Paths paths, ReflectorState position, Contact contact, Listener<?> listener, Sleeper sleeper) {
        this.paths = paths;
        this.position = position;
        this.contact = contact;
        this.listener = listener;
        this.sleeper = sleeper;
    }

    /**
     * Looks where the server has a resource that it does not have where it was.
     *
     * @return false when nothing was found out, so that the old place has to be tried again
     */
    boolean findElsewhere() {
        String found;
        try {
            found = paths.find().orElse("");
        } catch (ApiIoException e) {
            LOG.debug("{}: {}", position.path(), e.getMessage());
            return false;
        }
        if (found.equals(position.path())) {
            return false;
        }
        LOG.info(
                "the API server no longer serves {}{}",
                position.path(),
                found.isEmpty() ? "; it is treated as empty" : ", but " + found);
        moveTo(found);
        return true;
    }

    /** Returns once the server has the resource. */
    void await() throws InterruptedException {
        contact.nothingMissing();
        while (true) {
            sleeper.sleep(ABSENT_PERIOD);
            try {
                String found = paths.find().orElse("");
                if (!found.isEmpty()) {
                    LOG.info("the API server serves {} now", found);
                    moveTo(found);
                    return;
                }
            } catch (ApiIoException e) {
                LOG.debug("cannot discover a missing resource: {}", e.getMessage());
            }
        }
    }

    private void moveTo(String path) {
        position.moveTo(path);
        if (path.isEmpty()) {
            contact.leave();
            listener.onReplaced(List.of(), "");
        }
    }

    /** Finds where a server has a resource; upgrades add, move and remove some. */
    @FunctionalInterface
    public interface Paths {
        /**
         * Asks the server.
         *
         * @return the URL path of the collection, such as /apis/storage.k8s.io/v1/csidrivers; empty when the server does not have it
         * @throws ApiIoException when the server does not say
         */
        Optional<String> find() throws ApiIoException;

        /** One that is where it always was. */
        static Paths fixed(String path) {
            return () -> Optional.of(path);
        }
    }
}
