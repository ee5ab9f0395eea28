package io.policyscheduler.cmd.server;

/** Answers the requests of a {@link WebServer}. */
@FunctionalInterface
public interface ExchangeHandler {
    /**
     * Called when a request has come in whole, on one of the server's few threads: it must not block. It answers there or
     * leaves that to another thread. What it throws is logged and answered
     * 500; a VirtualMachineError is also told to the thread's handler of uncaught exceptions.
     */
    void handle(Exchange exchange);
}
